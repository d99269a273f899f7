import {
  applyDecorators,
  createParamDecorator,
  type ExecutionContext,
  SetMetadata,
  UseFilters,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import type { Request } from 'express';
import { AccessGuard } from './access.guard.ts';
import { ApiExtension, ApiSecurity } from '../api-docs.ts';
import { type Caller, findCaller, type Scope } from './caller.ts';
import { EndingGateInterceptor, GateInterceptor } from './gate.interceptor.ts';
import { QUERY_METADATA } from '../http/parameters/request-params.ts';
import { ProblemFilter } from '../problem/problem.filter.ts';

export type { Caller };

const SCOPE_METADATA = 'access:scope';
const ALSO_METADATA = 'access:also';
const SCOPES_WITH_METADATA = 'access:scopes-with';
const PUBLIC_METADATA = 'access:public';
const ANY_SCOPE_METADATA = 'access:any-scope';
const LENIENT_METADATA = 'access:lenient';
const FOR_RANGES_METADATA = 'access:for-ranges';
const CLIENT_SECRET_METADATA = 'access:client-secret';
export const API_TOKEN_SCHEME = 'ApiToken';
export const CLIENT_SECRET_SCHEME = 'ClientSecret';

/** Options of the declarations of access. */
export interface HandlerOptions {
  /**
   * Whether a call waits for one of the few turns of its workspace, and keeps it until the handler is done: `'ending'`
   * for a handler that ends access, whose turns no others take. False for a handler that acquires turns itself,
   * streams, or sends all statements through lanes.
   * @defaultValue true
   */
  gated?: boolean | 'ending';
  /**
   * Whether query parameters that the handler does not declare by `QueryOf`, and a malformed `Idempotency-Key`, are
   * ignored. They are refused otherwise, unless the handler is public.
   * @defaultValue false
   */
  lenient?: boolean;
  /**
   * Whether API tokens that are restricted to certain user groups are admitted: the handler passes the caller's range on
   * to everything that reads or writes a group.
   * @defaultValue false
   */
  inRange?: boolean;
}

/** Options of the declaration of a scope. */
export interface ScopeOptions extends HandlerOptions {
  /** A second scope that every call needs. */
  also?: Scope;
  /**
   * Fields of the body with which a call needs another scope instead. The guard, which runs before the body is read,
   * admits callers with any of the scopes; the service requires the right one.
   */
  scopesWith?: Readonly<Record<string, Scope>>;
  /** Name of the security scheme in the OpenAPI document, for a handler whose calls a guard of its own authenticates. */
  scheme?: string;
}

const guarded = ({ gated = true, lenient = false, inRange = false }: HandlerOptions) =>
  applyDecorators(
    SetMetadata(LENIENT_METADATA, lenient),
    ...(inRange
      ? [SetMetadata(FOR_RANGES_METADATA, true), ApiExtension('x-restricted-tokens', true)]
      : []),
    UseGuards(AccessGuard),
    UseFilters(ProblemFilter),
    ...(gated
      ? [UseInterceptors(gated === 'ending' ? EndingGateInterceptor : GateInterceptor)]
      : []),
  );

/**
 * Declares the scope that a handler needs, or both scopes, for the guard and the OpenAPI document alike. The service does not start
 * with a handler that has neither this decorator nor `Public` or `AnyScope`.
 */
export function RequiresScope(scope: Scope, options: ScopeOptions = {}): MethodDecorator {
  const { also, scopesWith, scheme = API_TOKEN_SCHEME } = options;
  return applyDecorators(
    guarded(options),
    SetMetadata(SCOPE_METADATA, scope),
    ApiSecurity(scheme),
    ApiExtension('x-required-scopes', also ? [scope, also] : [scope]),
    ...(also ? [SetMetadata(ALSO_METADATA, also)] : []),
    ...(scopesWith
      ? [
          SetMetadata(SCOPES_WITH_METADATA, scopesWith),
          ApiExtension('x-required-scope-with', scopesWith),
        ]
      : []),
  );
}

/**
 * Accepts the API token also as an OAuth 2.0 client sends its secret (RFC 6749, section 2.3.1): by HTTP Basic, or as
 * `client_secret` in a form.
 */
export function AcceptsClientSecret(): MethodDecorator {
  return applyDecorators(
    SetMetadata(CLIENT_SECRET_METADATA, true),
    ApiSecurity(CLIENT_SECRET_SCHEME),
  );
}

/** Opens a handler to everybody; tokens are ignored. */
export function Public(options: HandlerOptions = {}): MethodDecorator {
  return applyDecorators(guarded(options), SetMetadata(PUBLIC_METADATA, true));
}

/** Opens a handler to every authenticated caller, whatever its scopes. */
export function AnyScope(options: HandlerOptions = {}): MethodDecorator {
  return applyDecorators(
    guarded(options),
    SetMetadata(ANY_SCOPE_METADATA, true),
    ApiSecurity(API_TOKEN_SCHEME),
  );
}

/** Access to a handler, as its decorators declare it; a handler without them is closed. */
export interface Access {
  /** Undefined if it declares none. */
  scope: Scope | undefined;
  /** The scopes that callers need one of: `scope`, and those of bodies with certain fields. */
  scopes: readonly Scope[];
  /** A second scope that callers need. */
  also: Scope | undefined;
  isPublic: boolean;
  isForAnyScope: boolean;
  /** Whether API tokens for certain user groups are admitted. */
  isForRanges: boolean;
  acceptsClientSecret: boolean;
  /** Whether what it does not know, other than in its body, is ignored. */
  isLenient: boolean;
  /** Whether it has query parameters. */
  takesQuery: boolean;
}

/** Decorators do not change, and looking them up takes as long as a guard. */
const known = new WeakMap<object, Access>();

export function accessOf(handler: object): Access {
  let access = known.get(handler);
  if (!access) {
    const scope = Reflect.getMetadata(SCOPE_METADATA, handler) as Scope | undefined;
    const scopesWith = Reflect.getMetadata(
      SCOPES_WITH_METADATA,
      handler,
    ) as ScopeOptions['scopesWith'];
    access = {
      scope,
      scopes: scope === undefined ? [] : [scope, ...Object.values(scopesWith ?? {})],
      also: Reflect.getMetadata(ALSO_METADATA, handler) as Scope | undefined,
      isPublic: isTrue(PUBLIC_METADATA, handler),
      isForAnyScope: isTrue(ANY_SCOPE_METADATA, handler),
      isForRanges: isTrue(FOR_RANGES_METADATA, handler),
      acceptsClientSecret: isTrue(CLIENT_SECRET_METADATA, handler),
      isLenient: isTrue(LENIENT_METADATA, handler) || isTrue(PUBLIC_METADATA, handler),
      takesQuery: isTrue(QUERY_METADATA, handler),
    };
    known.set(handler, access);
  }
  return access;
}

function isTrue(key: string, handler: object): boolean {
  return Reflect.getMetadata(key, handler) === true;
}

/** Parameter decorator: the authenticated caller. */
export const CurrentCaller = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const caller = findCaller(context.getArgByIndex<Request>(0));
  if (!caller) throw new Error('CurrentCaller is used on a route without authentication');
  return caller;
});
