import type { CanActivate } from '@nestjs/common';
import type { Request } from 'express';
import { authenticateBy } from '../../platform/common/access/caller.ts';
import type { ConsoleSite } from './console-site.ts';

const CONSOLE = '/console';
const ITS_API = '/api/';
const ITS_SESSIONS = /^\/sessions?(?=[/?]|$)/;

/**
 * Makes a step that marks calls of the console for authentication by their session, and turns those below
 * `/console/api` into calls of the same path below `/api`. It changes only the beginning of a path, so that a call
 * reaches the same handler as the path below `/api` in the same spelling.
 * @param options.prefix the prefix of `/console` and `/api`, such as `/internal`
 * @param options.anyCase whether routes ignore case
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
    // No handler may read a token from it either.
    delete request.headers.authorization;
    request.url = prefix + path;
  };
}
