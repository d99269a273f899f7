import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { Scope } from './caller';

export const SCOPE_METADATA = 'access:scope';
const PUBLIC_METADATA = 'access:public';
/** Name of the security scheme in the OpenAPI document. */
export const API_TOKEN_SCHEME = 'ApiToken';

/**
 * Says which scope a handler needs, once, for the guard and the OpenAPI document alike.
 * A handler without this line is refused to everybody, unless it is `Public`.
 */
export function RequiresScope(scope: Scope): MethodDecorator {
  return applyDecorators(
    SetMetadata(SCOPE_METADATA, scope),
    ApiSecurity(API_TOKEN_SCHEME),
    ApiExtension('x-required-scope', scope),
  );
}

/**
 * Opens a handler to everybody, with no token asked for or looked at: for what is nobody's own. A
 * handler that declares a scope besides is refused to everybody.
 */
export function Public(): MethodDecorator {
  return SetMetadata(PUBLIC_METADATA, true);
}

/** Whether the handler is `Public`; what is not decided is not. */
export function isPublic(handler: object): boolean {
  return Reflect.getMetadata(PUBLIC_METADATA, handler) === true;
}
