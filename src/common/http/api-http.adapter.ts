import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import {
  createServer,
  IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
} from 'node:http';
import type { Duplex } from 'node:stream';
import { answerRaw, malformedHttpError } from './raw-answer';
import { ExpectationFailed, MethodNotAllowed } from '../errors';

const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Longer than the 60 s after which load balancers give up an idle connection, so that it is they who do. */
const KEEP_ALIVE_MS = 75_000;
const CLOSE_IDLE_EVERY_MS = 50;
/** Longer than the slowest answer; shorter than the ten seconds after which orchestrators kill. */
const CLOSE_ALL_AFTER_MS = 6000;

/**
 * Nest's Express adapter on a server whose every answer is the service's own, also where Node
 * would answer by itself: malformed HTTP, CONNECT, an unknown expectation.
 */
export class ApiHttpAdapter extends ExpressAdapter {
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
    const answering = new WeakMap<Duplex, ServerResponse>();
    server.on('request', (request, response) => answering.set(request.socket, response));
    server.on('clientError', (error, socket) => {
      const response = answering.get(socket);
      if (response && !response.writableFinished) endAfter(response, socket);
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
   * Ends when every answer under way has gone out. A connection that then idles is not waited for,
   * and one whose request never becomes complete is cut after six seconds.
   */
  override async close(): Promise<void> {
    const server: Server = this.getHttpServer();
    const closeIdle = setInterval(() => {
      server.closeIdleConnections();
    }, CLOSE_IDLE_EVERY_MS);
    const closeAll = setTimeout(() => {
      server.closeAllConnections();
    }, CLOSE_ALL_AFTER_MS);
    try {
      await super.close();
    } finally {
      clearInterval(closeIdle);
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
