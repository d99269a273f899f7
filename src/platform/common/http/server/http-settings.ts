import type { Request } from 'express';

/** Express setting: the largest request body in bytes. */
export const BODY_LIMIT_SETTING = 'body limit';
export const DEFAULT_BODY_LIMIT = 256 * 1024;

/** Largest request body in bytes. An application without the service's routes sets no limit. */
export function bodyLimitOf({ app }: Request): number {
  return (app.get(BODY_LIMIT_SETTING) as number | undefined) ?? DEFAULT_BODY_LIMIT;
}

/** Header fields of every response, of a route, the router or the HTTP parser. */
export const COMMON_HEADERS: Readonly<Record<string, string>> = {
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Content-Security-Policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
};

/**
 * `Cache-Control` of responses that must not be compressed in transit: a compressor delays the parts of a stream, and
 * makes an entity tag weak.
 */
export const UNTRANSFORMED = 'no-store, no-transform';
