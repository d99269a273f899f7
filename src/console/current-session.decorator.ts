import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import type { StoredSession } from './console-session.repository.ts';

/** On the request itself, as the caller is. */
const SESSION = Symbol('session of the console');

interface Signed {
  [SESSION]?: StoredSession;
}

/** Sets the session of a request; called once, by the guard that authenticates. */
export function setSession(request: Request, session: StoredSession): void {
  (request as Signed)[SESSION] = session;
}

/** Parameter decorator: the session by which the call is authenticated. */
export const CurrentSession = createParamDecorator((_data: unknown, context: ExecutionContext) => {
  const session = (context.getArgByIndex<Request>(0) as Signed)[SESSION];
  if (!session) throw new Error('CurrentSession was asked for on a route without one');
  return session;
});
