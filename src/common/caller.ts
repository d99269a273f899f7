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
  apiTokenId: number;
  scopes: ReadonlySet<Scope>;
}

const callers = new WeakMap<Request, Caller>();

/** Called by the guard once, when it has accepted the request. */
export function setCaller(request: Request, caller: Caller): void {
  callers.set(request, caller);
}

/** The caller of an authenticated request; undefined before the guard has run and on public routes. */
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
