import type { NextFunction, Request, Response } from 'express';
import type { Server } from 'node:http';
import { MethodNotAllowed, ShuttingDown } from '../../problem/errors.ts';
import { type Layer, stackOf } from './static-routes.ts';

/** Sends calls on open connections to another replica while the server drains. */
export function refuseWhenClosing(server: Server): () => void {
  return () => {
    if (!server.listening) throw new ShuttingDown();
  };
}

export const CONTRACT_PATH = '/api/user';
export const CONTRACT_METHODS = ['GET', 'PUT', 'POST'];

/**
 * Applies the rules of the contract's path: a trailing slash is removed; a POST can be turned into a GET; any other
 * method is refused, even HEAD, which would run the GET.
 */
export function contractRules(request: Request): void {
  if (!request.url.startsWith(CONTRACT_PATH)) return;
  const rest = request.url.slice(CONTRACT_PATH.length);
  if (!/^\/?(\?|$)/.test(rest)) return;
  if (rest.startsWith('/')) request.url = CONTRACT_PATH + rest.slice(1);
  request.route = { path: CONTRACT_PATH };
  overrideMethod(request);
  if (!CONTRACT_METHODS.includes(request.method)) {
    throw new MethodNotAllowed(CONTRACT_METHODS.join(', '));
  }
}

/**
 * Lets pages in a browser, which cannot send a GET with a body, send it as POST with `X-HTTP-Method-Override: GET`. Any
 * other value is refused: silently rotating a token would be the worst outcome.
 */
export function overrideMethod(request: Request): void {
  const override = request.headers['x-http-method-override'];
  if (override === undefined || request.method !== 'POST') return;
  if (String(override).toUpperCase() !== 'GET') {
    const detail = 'X-HTTP-Method-Override can only turn POST into GET.';
    throw new MethodNotAllowed(CONTRACT_METHODS.join(', '), detail);
  }
  request.method = 'GET';
}

/** Responds with 405 and the known methods, to any other method of a served path. */
export function onlyKnownMethods(request: Request, _response: Response, next: NextFunction): void {
  const path = request.baseUrl + request.path;
  const layers = stackOf(request.app);
  const methods = methodsOf(layers.filter((layer) => matches(layer, path)));
  if (methods.size === 0 || methods.has(request.method)) next();
  else next(new MethodNotAllowed([...methods].join(', '), adviceOn(request.method, path, layers)));
}

/** Says how entries of a list are created that has no POST. */
function adviceOn(method: string, path: string, layers: readonly Layer[]): string | undefined {
  if (method !== 'POST') return undefined;
  const entry = layers.find(
    (layer) => methodsOf([layer]).has('PUT') && matches(layer, `${path}/id`),
  );
  return (
    entry &&
    `The path has no POST; PUT ${String(entry.route?.path).replace(':id', '{id}')} creates one under an id of your own.`
  );
}

export function methodsOf(layers: readonly Layer[]): Set<string> {
  return new Set(
    layers
      .flatMap(({ route }) => Object.keys(route?.methods ?? {}))
      .flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])),
  );
}

/** Whether the layer serves the path; a path that cannot be decoded is left to the router. */
export function matches(layer: Layer, path: string): boolean {
  try {
    return Boolean(layer.match(path));
  } catch {
    return false;
  }
}
