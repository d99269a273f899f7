import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import { createServer, IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { answerRaw, malformedHttpError } from './raw-answer';
import { ExpectationFailed, MethodNotAllowed } from '../errors';

const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;

/**
 * Nest's Express adapter on a server whose every answer is the service's own, also where Node
 * would answer by itself: malformed HTTP, CONNECT, an unknown expectation.
 */
export class ApiHttpAdapter extends ExpressAdapter {
  constructor() {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    super(app);
  }

  override initHttpServer(): void {
    const app = this.getInstance<express.Express>();
    const server = createServer(
      {
        IncomingMessage: constructorFor(IncomingMessage, app.request),
        ServerResponse: constructorFor(ServerResponse, app.response),
        requestTimeout: REQUEST_TIMEOUT_MS,
        headersTimeout: HEADERS_TIMEOUT_MS,
      },
      app as RequestListener,
    );
    server.on('clientError', (error, socket) => {
      answerRaw(socket, malformedHttpError(error));
    });
    server.on('connect', (_request, socket) => {
      answerRaw(socket, new MethodNotAllowed('GET, PUT, POST', 'CONNECT is not supported.'));
    });
    server.on('checkExpectation', (_request, response) => {
      if (response.socket) answerRaw(response.socket, new ExpectationFailed());
    });
    this.httpServer = server;
  }
}

/**
 * Express sets the prototype of each request and response to its own, which costs node:http its
 * optimised shapes. Objects that are born with that prototype make the assignment a no-op.
 */
function constructorFor<T extends typeof IncomingMessage | typeof ServerResponse>(
  base: T,
  prototype: object,
): T {
  function Message(...args: unknown[]): object {
    return Reflect.construct(base, args, Message) as object;
  }
  Message.prototype = prototype;
  return Message as unknown as T;
}
