import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { InsufficientScope } from './errors.ts';
import { declareScope, ownScopes, type Scope, scopes } from './scopes.ts';

export { declareScope, ownScopes, type Scope, scopes };

/** Who makes a call: the first argument of every service method. */
export interface Caller {
  workspaceId: number;
  /** Null for the operator at the command line, who needs no token. */
  apiTokenId: number | null;
  /** The first API token of its chain of rotations, perhaps the token itself; null as above. */
  firstTokenId: number | null;
  scopes: ReadonlySet<Scope>;
  /** Null where there is no request. */
  requestId: string | null;
  /** IP address of the client; null without one, or without one that can be trusted. */
  address: string | null;
  /**
   * Authenticates the caller again, for a call that may outlast its credentials.
   * @throws as authentication does
   */
  renew: () => Promise<Caller>;
}

/** A caller that an API token stands for. */
export type TokenCaller = Caller & { apiTokenId: number; firstTokenId: number };

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

/** On the request itself: a WeakMap of requests costs each garbage collection. */
const CALLER = Symbol('caller');

interface Authenticated {
  [CALLER]?: Caller;
}

/** Sets the caller of a request; called once, by the guard that authenticates. */
export function setCaller(request: Request, caller: Caller): void {
  (request as Authenticated)[CALLER] = caller;
}

/** The caller of an authenticated request; undefined before the guard has run. */
export function findCaller(request: Request): Caller | undefined {
  return (request as Authenticated)[CALLER];
}

/** @throws InsufficientScope naming the scope and what it is needed for. */
export function requireScope(caller: Caller, scope: Scope, purpose?: string): void {
  if (!caller.scopes.has(scope)) throw new InsufficientScope(scope, purpose);
}

/** Parameter decorator: the authenticated `Caller`. */
export const CurrentCaller = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const caller = findCaller(context.getArgByIndex<Request>(0));
  if (!caller) throw new Error('CurrentCaller was asked for on a route without authentication');
  return caller;
});
