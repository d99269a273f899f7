import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { Registry } from 'prom-client';
import { InternalError, RouteNotFound } from '../common/errors';
import { answerProblem } from '../common/http/answer-problem';
import { answerRaw, malformedHttpError } from '../common/http/raw-answer';
import { COMMON_HEADERS } from '../common/http/http-settings';

/** A server of its own, so that the metrics need not be reachable where the API is. */
export function createMetricsServer(registry: Registry): Server {
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(COMMON_HEADERS)) response.setHeader(name, value);
    if (request.method !== 'GET' || request.url !== '/metrics') {
      answerProblem(response, new RouteNotFound(), randomUUID());
      return;
    }
    registry.metrics().then(
      (text) => response.setHeader('Content-Type', registry.contentType).end(text),
      (error: unknown) => {
        answerProblem(response, new InternalError(error), randomUUID());
      },
    );
  });
  return server.on('clientError', (error, socket) => {
    answerRaw(socket, malformedHttpError(error));
  });
}
