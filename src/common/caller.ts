import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { InsufficientScope } from './errors';

/** What an API token can be allowed to do; a scope implies no other. */
export const scopes = [
  'user-groups:read',
  'user-groups:write',
  'tokens:rotate',
  'tokens:introspect',
  'registry:read',
  'registry:write',
  'audit:read',
  'admin',
] as const;

export type Scope = (typeof scopes)[number];

/** Who makes a call: the first argument of every service method. */
export interface Caller {
  workspaceId: number;
  /** Null for the operator at the command line, who needs no token. */
  apiTokenId: number | null;
  /** The first of the API tokens that rotations have led from to this one, perhaps itself; null as above. */
  firstTokenId: number | null;
  scopes: ReadonlySet<Scope>;
  /** Null where there is no request. */
  requestId: string | null;
  /** IP address of the client; null where there is none or none that can be believed. */
  address: string | null;
  /**
   * The same caller by the credentials as they are now: for a call that lasts longer than they may.
   * @throws as authentication does
   */
  renew: () => Promise<Caller>;
}

/** The operator at the command line, acting on one workspace; may do everything. */
export function operator(workspaceId: number): Caller {
  const caller: Caller = {
    workspaceId,
    apiTokenId: null,
    firstTokenId: null,
    scopes: new Set(scopes),
    requestId: null,
    address: null,
    renew: () => Promise.resolve(caller),
  };
  return caller;
}

const callers = new WeakMap<Request, Caller>();

/** Called once, by the guard that authenticates. */
export function setCaller(request: Request, caller: Caller): void {
  callers.set(request, caller);
}

/** The caller of an authenticated request; undefined before the guard has run. */
export function findCaller(request: Request): Caller | undefined {
  return callers.get(request);
}

/** @throws InsufficientScope naming the scope and what it is needed for. */
export function requireScope(caller: Caller, scope: Scope, purpose?: string): void {
  if (!caller.scopes.has(scope)) throw new InsufficientScope(scope, purpose);
}

/** Parameter decorator: the authenticated `Caller`. */
export const CurrentCaller = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const caller = findCaller(context.switchToHttp().getRequest<Request>());
  if (!caller) throw new Error('CurrentCaller was asked for on a route without authentication');
  return caller;
});
