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
 * @param prefix what stands before `/console` and `/api`, such as `/internal`
 */
export function consoleCalls(
  guard: CanActivate,
  site: ConsoleSite,
  prefix = '',
): (request: Request) => void {
  const place = prefix + CONSOLE;
  return (request) => {
    const { url } = request;
    if (!url.startsWith(place)) return;
    const path = url.slice(place.length);
    const isApi = path.startsWith(ITS_API);
    if (!isApi && !ITS_SESSIONS.test(path)) return;
    site.requireOwnPage(request);
    authenticateBy(request, guard);
    if (!isApi) return;
    // Nothing behind the guard takes a token from it either.
    delete request.headers.authorization;
    request.url = prefix + path;
  };
}
