import type { CanActivate } from '@nestjs/common';
import type { Request } from 'express';
import { authenticateBy } from '../common/authentication.ts';
import type { ConsoleSite } from './console-site.ts';

const CONSOLE = '/console';
const ITS_API = '/api/';
/** `/session`, `/sessions` and what lies below them. */
const ITS_SESSIONS = /^\/sessions?(?=[/?]|$)/;

/**
 * Makes a step that has the calls of the console authenticated by their session, and turns those below
 * `/console/api` into calls of the same path below `/api`. It changes what a path begins with and nothing
 * behind that, so a call reaches what the path below `/api` reaches as it is spelled.
 * @param options.prefix what stands before `/console` and `/api`, such as `/internal`
 * @param options.anyCase whether the routes are found in any spelling of capitals
 */
export function consoleCalls(
  guard: CanActivate,
  site: ConsoleSite,
  { prefix = '', anyCase = false }: { prefix?: string; anyCase?: boolean } = {},
): (request: Request) => void {
  const spelled = (path: string) => (anyCase ? path.toLowerCase() : path);
  const place = prefix + CONSOLE;
  return (request) => {
    const { url } = request;
    if (!spelled(url).startsWith(spelled(place))) return;
    const path = url.slice(place.length);
    const isApi = spelled(path).startsWith(ITS_API);
    if (!isApi && !ITS_SESSIONS.test(spelled(path))) return;
    site.requireOwnPage(request);
    authenticateBy(request, guard);
    if (!isApi) return;
    // Nothing behind the guard takes a token from it either.
    delete request.headers.authorization;
    request.url = prefix + path;
  };
}
