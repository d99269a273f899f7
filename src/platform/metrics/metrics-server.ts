import type { Server } from 'node:http';
import type { Registry } from 'prom-client';
import { InternalError, MethodNotAllowed, RouteNotFound } from '../common/problem/errors.ts';
import { respondProblem } from '../common/http/responses/respond-problem.ts';
import { HttpServer } from '../common/http/server/http-server.ts';
import { COMMON_HEADERS } from '../common/http/server/http-settings.ts';
import { requestId } from '../common/http/observing/request-id.ts';

/** Creates a server for the metrics alone, so that they need not be reachable where the API is. */
export function createMetricsServer(registry: Registry): Server {
  const { server } = new HttpServer((request, response) => {
    const [path] = request.url!.split('?');
    if (path !== '/metrics') {
      respondProblem(response, new RouteNotFound(), requestId(request));
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      respondProblem(response, new MethodNotAllowed('GET, HEAD'), requestId(request));
      return;
    }
    for (const [name, value] of Object.entries(COMMON_HEADERS)) response.setHeader(name, value);
    response.setHeader('X-Request-Id', requestId(request));
    registry.metrics().then(
      (text) => response.setHeader('Content-Type', registry.contentType).end(text),
      (error: unknown) => {
        respondProblem(response, new InternalError(error), requestId(request));
      },
    );
  }, 'GET, HEAD');
  return server;
}
