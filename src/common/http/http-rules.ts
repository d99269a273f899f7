import type { NextFunction, Request, RequestHandler, Response } from 'express';
import type { Server } from 'node:http';
import { MethodNotAllowed, ShuttingDown } from '../errors';
import { COMMON_HEADERS } from './http-settings';
import { requestId } from './request-id';

/** Sets what every answer carries, before anything can answer. */
export function commonHeaders(request: Request, response: Response, next: NextFunction): void {
  for (const name in COMMON_HEADERS) response.setHeader(name, COMMON_HEADERS[name]!);
  response.setHeader('X-Request-Id', requestId(request));
  next();
}

/** While the server drains, a call on a connection that is still open goes to another replica. */
export function refuseWhenClosing(server: Server): RequestHandler {
  return (_request, _response, next) => {
    next(server.listening ? undefined : new ShuttingDown());
  };
}

/** The contract's path is the only one that may end with a slash; what follows sees it without. */
export function withoutLastSlash(request: Request, _response: Response, next: NextFunction): void {
  request.url = request.url.replace(/^([^?]*[^?/])\/(?=\?|$)/, '$1');
  next();
}

/**
 * Lets pages in a browser, which cannot send a GET with a body, send it as POST with
 * `X-HTTP-Method-Override: GET`. Any other wish is refused: silently rotating a token instead
 * would be the worst answer.
 */
export function methodOverride(request: Request, _response: Response, next: NextFunction): void {
  const wish = request.headers['x-http-method-override'];
  if (wish === undefined || request.method !== 'POST') {
    next();
  } else if (String(wish).toUpperCase() === 'GET') {
    request.method = 'GET';
    next();
  } else {
    next(
      new MethodNotAllowed('GET, PUT, POST', 'X-HTTP-Method-Override can only turn POST into GET.'),
    );
  }
}

/** Answers 405 to every method that a path does not have; HEAD too, which must not run the GET. */
export function onlyMethods(...methods: string[]): RequestHandler {
  const allow = methods.join(', ');
  return (request, _response, next) => {
    next(methods.includes(request.method) ? undefined : new MethodNotAllowed(allow));
  };
}

/** The part of Express's router that is read here. */
interface Layer {
  match: (path: string) => boolean;
  route?: { methods: Record<string, boolean> };
}

/** Answers 405, with the methods it has, to any other method of a path that some handler serves. */
export function onlyKnownMethods(request: Request, _response: Response, next: NextFunction): void {
  const path = request.baseUrl + request.path;
  const layers = (request.app.router as unknown as { stack: Layer[] }).stack;
  const methods = new Set(
    layers
      .filter((layer) => layer.route && matches(layer, path))
      .flatMap(({ route }) => Object.keys(route!.methods))
      .flatMap((method) => (method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()])),
  );
  if (methods.size === 0 || methods.has(request.method)) next();
  else next(new MethodNotAllowed([...methods].join(', ')));
}

/** A path that cannot be decoded is the router's to complain about. */
function matches(layer: Layer, path: string): boolean {
  try {
    return layer.match(path);
  } catch {
    return false;
  }
}
