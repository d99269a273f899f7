import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { InsufficientScope } from './errors.ts';
import { OperatorError } from './operator-error.ts';

/** The scopes of the service itself. */
export const ownScopes = [
  'user-groups:read',
  'user-groups:write',
  'tokens:rotate',
  'tokens:introspect',
  'registry:read',
  'registry:write',
  'webhooks:read',
  'webhooks:write',
  'audit:read',
  'events:read',
  'admin',
] as const;

/** A scope of the service, or what `declareScope` returns for one of a plugin. */
export type Scope = (typeof ownScopes)[number];

const known: Scope[] = [...ownScopes];

/** What an API token can be allowed to do; a scope implies no other. Plugins add theirs as they are loaded. */
export const scopes: readonly Scope[] = known;

/**
 * Adds a scope of a plugin to those that API tokens can be given, while the plugin is loaded.
 * @returns the scope, for `RequiresScope`
 * @throws OperatorError unless it is like `seats:read`, and no scope of the service
 */
export function declareScope(name: string): Scope {
  if (
    !/^[a-z][a-z-]*:[a-z][a-z-]*$/.test(name) ||
    (ownScopes as readonly string[]).includes(name)
  ) {
    throw new OperatorError(
      `A plugin cannot declare the scope ${name}; it must be like seats:read.`,
    );
  }
  if (!known.includes(name as Scope)) known.push(name as Scope);
  return name as Scope;
}

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
