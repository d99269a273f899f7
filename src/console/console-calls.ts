import type { CanActivate } from '@nestjs/common';
import type { Request } from 'express';
import { authenticateBy } from '../common/authentication.ts';
import type { ConsoleSite } from './console-site.ts';

const CONSOLE = '/console';
const ITS_API = '/console/api/';
/** `/console/session`, `/console/sessions` and what lies below them. */
const ITS_SESSIONS = /^\/console\/sessions?(?=[/?]|$)/;

/**
 * Makes a step that has the calls of the console authenticated by their session, and turns those below
 * `/console/api` into calls of the same path below `/api`. It changes what a path begins with and nothing
 * behind that, so a call reaches what the path below `/api` reaches as it is spelled.
 */
export function consoleCalls(guard: CanActivate, site: ConsoleSite): (request: Request) => void {
  return (request) => {
    const { url } = request;
    if (!url.startsWith(CONSOLE)) return;
    const isApi = url.startsWith(ITS_API);
    if (!isApi && !ITS_SESSIONS.test(url)) return;
    site.requireOwnPage(request);
    authenticateBy(request, guard);
    if (!isApi) return;
    // Nothing behind the guard takes a token from it either.
    delete request.headers.authorization;
    request.url = url.slice(CONSOLE.length);
  };
}
