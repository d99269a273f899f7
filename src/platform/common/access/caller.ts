import type { Request } from 'express';
import { InsufficientScope, TokenRestricted } from '../problem/errors.ts';
import { declareScope, type Scope, scopes } from './scopes.ts';
import type { UserGroupRange } from './user-group-range.ts';
import type { CanActivate } from '@nestjs/common';

export { declareScope, type Scope, scopes };

/** The first argument of every service method. */
export interface Caller {
  workspaceId: number;
  /** Null for the operator at the command line. */
  apiTokenId: number | null;
  /** The first API token of the chain of rotations, which may be the token itself; null for the operator. */
  firstTokenId: number | null;
  scopes: ReadonlySet<Scope>;
  /** The user groups that exist for the caller; null for all of the workspace. */
  range: UserGroupRange | null;
  /** Null outside of a request. */
  requestId: string | null;
  /** IP address of the client; null if there is none that can be trusted. */
  address: string | null;
  /** Whether a person calls, in the console, rather than a program. */
  isPerson?: true;
  /**
   * Authenticates the caller again, for a call that may outlast its credentials.
   * @throws the errors of authentication
   */
  renew: () => Promise<Caller>;
}

/** The workspace whose user groups are read, and the range of them that exists for the caller. */
export type GroupReader = Pick<Caller, 'workspaceId' | 'range'>;

export type TokenCaller = Caller & { apiTokenId: number; firstTokenId: number };

/** Returns the operator at the command line for one workspace, who may do everything. */
export function operator(workspaceId: number): Caller {
  const caller: Caller = {
    workspaceId,
    apiTokenId: null,
    firstTokenId: null,
    scopes: new Set(scopes),
    range: null,
    requestId: null,
    address: null,
    renew: () => Promise.resolve(caller),
  };
  return caller;
}

/** Stored on the request itself: a WeakMap of requests costs each garbage collection. */
const CALLER = Symbol('caller');

interface Authenticated {
  [CALLER]?: Caller;
}

/** Called once, by the guard that authenticates. */
export function setCaller(request: Request, caller: Caller): void {
  (request as Authenticated)[CALLER] = caller;
}

/** Returns undefined before the guard has run. */
export function findCaller(request: Request): Caller | undefined {
  return (request as Authenticated)[CALLER];
}

/** @throws InsufficientScope naming the scope and its purpose */
export function requireScope(caller: Caller, scope: Scope, purpose?: string): void {
  if (!caller.scopes.has(scope)) throw new InsufficientScope(scope, purpose);
}

/**
 * Authenticates a caller again for a call that is not about single user groups, and can outlast its API token.
 * @throws InsufficientScope, TokenRestricted, and the errors of authentication
 */
export async function renewFor(caller: Caller, scope: Scope, purpose: string): Promise<void> {
  const current = await caller.renew();
  requireScope(current, scope, purpose);
  if (current.range !== null) throw new TokenRestricted();
}

/** @throws InsufficientScope naming the scopes, unless the caller has one of them */
export function requireOneOf(caller: Caller, allowed: readonly Scope[]): void {
  if (!allowed.some((scope) => caller.scopes.has(scope))) {
    throw new InsufficientScope(allowed.join('" or "'));
  }
}

/** Stored on the request, like the caller. */
const GUARD = Symbol('guard that authenticates');

interface Marked {
  [GUARD]?: CanActivate;
}

/**
 * Lets `guard` authenticate the request and set its caller, in place of the API token in its Authorization header. Must
 * be called before the request is routed.
 */
export function authenticateBy(request: Request, guard: CanActivate): void {
  (request as Marked)[GUARD] = guard;
}

/** Returns the guard that replaces the usual authentication, or undefined. */
export function guardOf(request: Request): CanActivate | undefined {
  return (request as Marked)[GUARD];
}
