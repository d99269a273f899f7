import type { Server } from 'node:http';
import type { Registry } from 'prom-client';
import { InternalError, MethodNotAllowed, RouteNotFound } from '../common/errors.ts';
import { answerProblem } from '../common/http/answer-problem.ts';
import { HttpServer } from '../common/http/http-server.ts';
import { COMMON_HEADERS } from '../common/http/http-settings.ts';
import { requestId } from '../common/http/request-id.ts';

/** Creates a server of its own for the metrics, so that they need not be reachable where the API is. */
export function createMetricsServer(registry: Registry): Server {
  const { server } = new HttpServer((request, response) => {
    const [path] = request.url!.split('?');
    if (path !== '/metrics') {
      answerProblem(response, new RouteNotFound(), requestId(request));
      return;
    }
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      answerProblem(response, new MethodNotAllowed('GET, HEAD'), requestId(request));
      return;
    }
    for (const [name, value] of Object.entries(COMMON_HEADERS)) response.setHeader(name, value);
    response.setHeader('X-Request-Id', requestId(request));
    registry.metrics().then(
      (text) => response.setHeader('Content-Type', registry.contentType).end(text),
      (error: unknown) => {
        answerProblem(response, new InternalError(error), requestId(request));
      },
    );
  }, 'GET, HEAD');
  return server;
}
