import { randomUUID } from 'node:crypto';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { Registry } from 'prom-client';
import { InternalError, RouteNotFound, type ServiceError } from '../common/errors';
import { answerRaw, malformedHttpError } from '../common/http/raw-answer';
import { COMMON_HEADERS } from '../common/http/http-settings';
import { PROBLEM_MEDIA_TYPE, toProblem } from '../common/problem';

/** A server of its own, so that the metrics need not be reachable where the API is. */
export function createMetricsServer(registry: Registry): Server {
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(COMMON_HEADERS)) response.setHeader(name, value);
    if (request.method !== 'GET' || request.url !== '/metrics') {
      refuse(response, new RouteNotFound());
      return;
    }
    registry.metrics().then(
      (text) => response.setHeader('Content-Type', registry.contentType).end(text),
      (error: unknown) => {
        refuse(response, new InternalError(error));
      },
    );
  });
  return server.on('clientError', (error, socket) => {
    answerRaw(socket, malformedHttpError(error));
  });
}

function refuse(response: ServerResponse, error: ServiceError): void {
  response.statusCode = error.spec.status;
  response.setHeader('Content-Type', PROBLEM_MEDIA_TYPE);
  response.end(JSON.stringify(toProblem(error, randomUUID())));
}
