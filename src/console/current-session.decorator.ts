import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { SessionMissing } from '../common/errors.ts';
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
  // Another guard has let the call in, by what it has beside the cookie.
  if (!session) throw new SessionMissing();
  return session;
});
