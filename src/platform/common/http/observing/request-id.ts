import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A token in the wrong place must not be repeated. */
const ACCEPTED = /^(?!.*ug[at]_)[\w.:-]{1,64}$/;
/** Stored on the request itself: a WeakMap of requests costs each garbage collection. */
const ID = Symbol('request id');

interface Identified {
  [ID]?: string;
}

/** Returns the caller's `X-Request-Id` if it is 1–64 of `A-Z a-z 0-9 _ . : -`, otherwise a new UUID. */
export function requestId(request: IncomingMessage): string {
  let id = (request as Identified)[ID];
  if (id === undefined) {
    const given = request.headers['x-request-id'];
    id = typeof given === 'string' && ACCEPTED.test(given) ? given : randomUUID();
    (request as Identified)[ID] = id;
  }
  return id;
}
