import type { IncomingHttpHeaders } from 'node:http';
import { cookieValues } from '../../platform/common/http/parameters/cookies.ts';

/** One token of RFC 6750, section 2.1. */
const BEARER = /^bearer +([\w.~+/=-]+)$/i;

/**
 * Returns the token of a viewer: from `Authorization`, else from the cookie of this name. An `Authorization` of any
 * form decides alone, so that no reader behind the gateway sees another viewer in the cookie.
 * @returns undefined without exactly one
 */
export function viewerTokenOf(
  { authorization, cookie }: IncomingHttpHeaders,
  cookieName: string | undefined,
): string | undefined {
  if (authorization !== undefined) return BEARER.exec(authorization)?.[1];
  if (cookieName === undefined) return undefined;
  const values = cookieValues(cookie, cookieName);
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}
