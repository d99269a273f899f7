import type { Request } from 'express';

const PLACE = '/api/v1/forward-auth';

/**
 * Makes a step that turns a call of any method, with any path below the endpoint and any query, into the one that has a
 * route: Envoy sends the method and path of the viewer, and nothing of them may decide anything.
 * @param options.prefix the prefix of `/api`, such as `/internal`
 * @param options.anyCase whether routes ignore case
 */
export function forwardAuthCalls({
  prefix = '',
  anyCase = false,
}: { prefix?: string; anyCase?: boolean } = {}): (request: Request) => void {
  const place = prefix + PLACE;
  return (request) => {
    const { url } = request;
    const beginning = url.slice(0, place.length);
    if (
      (anyCase ? beginning.toLowerCase() : beginning) !== (anyCase ? place.toLowerCase() : place)
    ) {
      return;
    }
    if (!['', '/', '?'].includes(url.charAt(place.length))) return;
    request.url = place;
    request.method = 'GET';
  };
}
