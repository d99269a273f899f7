import { applyDecorators, SetMetadata } from '@nestjs/common';
import { ApiExtension, ApiSecurity } from '@nestjs/swagger';
import type { Scope } from './caller';

export const SCOPE_METADATA = 'access:scope';
const PUBLIC_METADATA = 'access:public';
const CLIENT_SECRET_METADATA = 'access:client-secret';
/** Names of security schemes in the OpenAPI document. */
export const API_TOKEN_SCHEME = 'ApiToken';
export const CLIENT_SECRET_SCHEME = 'ClientSecret';

/**
 * Says which scope a handler needs, once, for the guard and the OpenAPI document alike.
 * With a handler without this line that is not `Public` either, the service does not start.
 */
export function RequiresScope(scope: Scope): MethodDecorator {
  return applyDecorators(
    SetMetadata(SCOPE_METADATA, scope),
    ApiSecurity(API_TOKEN_SCHEME),
    ApiExtension('x-required-scope', scope),
  );
}

/**
 * Lets callers of a handler that takes a form send their API token as an OAuth 2.0 client sends its
 * secret as well (RFC 6749, section 2.3.1): by HTTP Basic, or as `client_secret` in the form.
 */
export function AcceptsClientSecret(): MethodDecorator {
  return applyDecorators(
    SetMetadata(CLIENT_SECRET_METADATA, true),
    ApiSecurity(CLIENT_SECRET_SCHEME),
  );
}

/** Whether the handler `AcceptsClientSecret`; what is not decided does not. */
export function acceptsClientSecret(handler: object): boolean {
  return Reflect.getMetadata(CLIENT_SECRET_METADATA, handler) === true;
}

/**
 * Opens a handler to everybody, with no token asked for or looked at: for what is nobody's own. It
 * declares no scope besides.
 */
export function Public(): MethodDecorator {
  return SetMetadata(PUBLIC_METADATA, true);
}

/** Whether the handler is `Public`; what is not decided is not. */
export function isPublic(handler: object): boolean {
  return Reflect.getMetadata(PUBLIC_METADATA, handler) === true;
}
