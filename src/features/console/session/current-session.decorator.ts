import type { Request } from 'express';
import { SessionMissing } from '../console.errors.ts';
import { requestParam } from '../../../platform/common/http/parameters/request-params.ts';
import type { StoredSession } from './console-session.repository.ts';

const SESSION = Symbol('session of the console');

interface Signed {
  [SESSION]?: StoredSession;
}

/** Sets the session of a request; called once, by the guard that authenticates. */
export function setSession(request: Request, session: StoredSession): void {
  (request as Signed)[SESSION] = session;
}

/** Parameter decorator: the session that authenticated the call. */
export function CurrentSession(): ParameterDecorator {
  return requestParam((request) => {
    const session = (request as Signed)[SESSION];
    // Another guard has admitted the call by other credentials.
    if (!session) throw new SessionMissing();
    return session;
  });
}
