import type { CanActivate } from '@nestjs/common';
import type { Request } from 'express';
import { authenticateBy } from '../common/authentication.ts';
import type { ConsoleSite } from './console-site.ts';

/** Its API; its sessions and what lies below them. */
const PATHS = String.raw`/console(?<api>/api/)?(?<sessions>/sessions?(?=[/?]|$))?`;

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
  const isCalled = new RegExp(`^${escaped(prefix)}${PATHS}`, anyCase ? 'i' : '');
  return (request) => {
    const { url } = request;
    const { api, sessions } = isCalled.exec(url)?.groups ?? {};
    if (api === undefined && sessions === undefined) return;
    site.requireOwnPage(request);
    authenticateBy(request, guard);
    if (api === undefined) return;
    // Nothing behind the guard takes a token from it either.
    delete request.headers.authorization;
    request.url = prefix + url.slice(`${prefix}/console`.length);
  };
}

function escaped(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, String.raw`\$&`);
}
