import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { Scope } from './caller';

export const SCOPE_METADATA = 'access:scope';
/** Name of the security scheme in the OpenAPI document. */
export const API_TOKEN_SCHEME = 'ApiToken';

/**
 * Says which scope a handler needs, once, for the guard and the OpenAPI document alike.
 * A handler without this line is refused to everybody.
 */
export function RequiresScope(scope: Scope): MethodDecorator {
  return applyDecorators(
    SetMetadata(SCOPE_METADATA, scope),
    ApiSecurity(API_TOKEN_SCHEME),
    ApiExtension('x-required-scope', scope),
  );
}
