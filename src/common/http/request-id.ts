import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** A token in the wrong place is not repeated. */
const ACCEPTED = /^(?!.*ug[at]_)[\w.:-]{1,64}$/;
const ids = new WeakMap<IncomingMessage, string>();

/** The id of a request: the caller's `X-Request-Id` where it is 1–64 of `A-Z a-z 0-9 _ . : -`, else a new UUID. */
export function requestId(request: IncomingMessage): string {
  let id = ids.get(request);
  if (id === undefined) {
    const given = request.headers['x-request-id'];
    id = typeof given === 'string' && ACCEPTED.test(given) ? given : randomUUID();
    ids.set(request, id);
  }
  return id;
}
