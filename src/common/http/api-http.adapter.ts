import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import { createServer, IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { answerRaw, malformedHttpError } from './raw-answer';
import { ExpectationFailed, MethodNotAllowed } from '../errors';

const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Longer than the 60 s after which load balancers give up an idle connection, so that it is they who do. */
const KEEP_ALIVE_MS = 75_000;
/** Longer than the slowest answer; shorter than the ten seconds after which orchestrators kill. */
const CLOSE_ALL_AFTER_MS = 6000;

/**
 * Nest's Express adapter on a server whose every answer is the service's own, also where Node
 * would answer by itself: malformed HTTP, CONNECT, an unknown expectation.
 */
export class ApiHttpAdapter extends ExpressAdapter {
  /** The answer that each connection waits for, the last one where requests were pipelined. */
  private readonly answering = new Map<Duplex, ServerResponse>();

  constructor() {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    // A conditional request gets the whole answer: a 304 would come without the token.
    Object.defineProperty(app.request, 'fresh', { value: false });
    super(app);
  }

  override initHttpServer(): void {
    const app = this.getInstance<express.Express>();
    const server = createServer(
      {
        IncomingMessage: bornInExpress(app, 'request', IncomingMessage),
        ServerResponse: bornInExpress(app, 'response', ServerResponse),
        requestTimeout: REQUEST_TIMEOUT_MS,
        headersTimeout: HEADERS_TIMEOUT_MS,
        keepAliveTimeout: KEEP_ALIVE_MS,
        connectionsCheckingInterval: 1000,
        // Node would refuse a missing Host in its own words; requireHost does it in ours.
        requireHostHeader: false,
      },
      app as RequestListener,
    );
    server.on('request', ({ socket }, response) => {
      this.answering.set(socket, response);
      response.on('close', () => {
        if (this.answering.get(socket) === response) this.answering.delete(socket);
      });
    });
    server.on('clientError', (error, socket) => {
      const response = this.answering.get(socket);
      if (response) endAfter(response, socket);
      else answerRaw(socket, malformedHttpError(error));
    });
    server.on('connect', (_request, socket) => {
      answerRaw(socket, new MethodNotAllowed('GET, PUT, POST', 'CONNECT is not supported.'));
    });
    server.on('checkExpectation', (_request, response) => {
      if (response.socket) answerRaw(response.socket, new ExpectationFailed());
    });
    this.httpServer = server;
  }

  /**
   * Ends when every answer under way has gone out, each with `Connection: close`. A connection whose
   * request never becomes complete is cut after six seconds.
   */
  override async close(): Promise<void> {
    for (const response of this.answering.values()) response.shouldKeepAlive = false;
    const closeAll = setTimeout(() => {
      this.getHttpServer().closeAllConnections();
    }, CLOSE_ALL_AFTER_MS);
    try {
      await super.close();
    } finally {
      clearTimeout(closeAll);
    }
  }
}

/** The answer to an earlier request on the same connection must not be replaced by a complaint about a later one. */
function endAfter(response: ServerResponse, socket: Duplex): void {
  response.shouldKeepAlive = false;
  response.once('close', () => socket.destroy());
}

/**
 * Express sets the prototype of each request and response to `app.request` and `app.response`,
 * which costs node:http its optimised objects (expressjs/express#5998). Here both are the
 * prototypes of the classes that the server creates, so that the assignment changes nothing.
 */
function bornInExpress<T extends typeof IncomingMessage | typeof ServerResponse>(
  app: express.Express,
  property: 'request' | 'response',
  base: T,
): T {
  const Message = class extends (base as new (...args: unknown[]) => object) {};
  Object.setPrototypeOf(Message.prototype, app[property]);
  Object.assign(app, { [property]: Message.prototype });
  return Message as unknown as T;
}
