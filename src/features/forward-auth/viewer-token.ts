import type { IncomingHttpHeaders } from 'node:http';

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
  if (cookie === undefined || cookieName === undefined) return undefined;
  const values = cookie
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${cookieName}=`))
    .map((pair) => pair.slice(cookieName.length + 1));
  return values.length === 1 && values[0] !== '' ? values[0] : undefined;
}
