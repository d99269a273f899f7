import {
  applyDecorators,
  SetMetadata,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { AccessGuard } from './access.guard.ts';
import { ApiExtension, ApiSecurity } from './api-docs.ts';
import type { Scope } from './caller.ts';
import { GateInterceptor } from './gate.interceptor.ts';
import { ProblemFilter } from './problem.filter.ts';

export const SCOPE_METADATA = 'access:scope';
const PUBLIC_METADATA = 'access:public';
const ANY_SCOPE_METADATA = 'access:any-scope';
const CLIENT_SECRET_METADATA = 'access:client-secret';
/** Names of security schemes in the OpenAPI document. */
export const API_TOKEN_SCHEME = 'ApiToken';
export const CLIENT_SECRET_SCHEME = 'ClientSecret';

/** How calls of a handler share the database with others. */
export interface HandlerOptions {
  /**
   * Whether a call waits for one of the few turns of its workspace, and keeps it until the handler is done.
   * False for a handler that takes turns by itself, or whose statements all go through lanes: one that streams, or waits
   * for something else than the database.
   * @defaultValue true
   */
  gated?: boolean;
}

/** What guards a handler and answers its errors, in whatever application it is. */
const guarded = ({ gated = true }: HandlerOptions) =>
  applyDecorators(
    UseGuards(AccessGuard),
    UseFilters(ProblemFilter),
    ...(gated ? [UseInterceptors(GateInterceptor)] : []),
  );

/**
 * Declares the scope that a handler needs, for the guard and the OpenAPI document alike, and has it
 * guarded. The service does not start with a handler that has neither this line nor `Public` or `AnyScope`.
 */
export function RequiresScope(scope: Scope, options: HandlerOptions = {}): MethodDecorator {
  return applyDecorators(
    guarded(options),
    SetMetadata(SCOPE_METADATA, scope),
    ApiSecurity(API_TOKEN_SCHEME),
    ApiExtension('x-required-scope', scope),
  );
}

/**
 * Also accepts the API token as an OAuth 2.0 client sends its secret (RFC 6749, section 2.3.1): by
 * HTTP Basic, or as `client_secret` in the form that the handler takes.
 */
export function AcceptsClientSecret(): MethodDecorator {
  return applyDecorators(
    SetMetadata(CLIENT_SECRET_METADATA, true),
    ApiSecurity(CLIENT_SECRET_SCHEME),
  );
}

/** Opens a handler to everybody; no token is asked for or looked at. */
export function Public(options: HandlerOptions = {}): MethodDecorator {
  return applyDecorators(guarded(options), SetMetadata(PUBLIC_METADATA, true));
}

/** Opens a handler to every caller that is known, whatever its scopes. */
export function AnyScope(options: HandlerOptions = {}): MethodDecorator {
  return applyDecorators(guarded(options), SetMetadata(ANY_SCOPE_METADATA, true));
}

/** Who may call a handler, by its decorators; a handler without them is closed. */
export interface Access {
  /** Undefined if it declares none. */
  scope: Scope | undefined;
  isPublic: boolean;
  /** Whether any scope will do. */
  isForAnyScope: boolean;
  acceptsClientSecret: boolean;
}

/** Decorators do not change, and looking them up takes as long as a guard. */
const known = new WeakMap<object, Access>();

/** Returns who may call the handler. */
export function accessOf(handler: object): Access {
  let access = known.get(handler);
  if (!access) {
    access = {
      scope: Reflect.getMetadata(SCOPE_METADATA, handler) as Scope | undefined,
      isPublic: Reflect.getMetadata(PUBLIC_METADATA, handler) === true,
      isForAnyScope: Reflect.getMetadata(ANY_SCOPE_METADATA, handler) === true,
      acceptsClientSecret: Reflect.getMetadata(CLIENT_SECRET_METADATA, handler) === true,
    };
    known.set(handler, access);
  }
  return access;
}

/** Whether the handler is `Public`. */
export function isPublic(handler: object): boolean {
  return accessOf(handler).isPublic;
}
