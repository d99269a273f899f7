/** Express setting: the largest request body in bytes. */
export const BODY_LIMIT_SETTING = 'body limit';

/** Header fields of every answer, of a route, the router or the HTTP parser. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/**
 * `Cache-Control` of what nobody may compress on its way: a compressor keeps back the pieces of a stream, and makes an
 * entity tag weak.
 */
export const UNTRANSFORMED = 'no-store, no-transform';
