import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import { createServer, IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import type { Duplex } from 'node:stream';
import { answerRaw, malformedHttpError } from './raw-answer';
import {
  ExpectationFailed,
  MethodNotAllowed,
  RequestMalformed,
  type ServiceError,
} from '../errors';
import { answerProblem } from './answer-problem';
import { requestId } from './request-id';
import { hasOwnClock } from './streamed-body';

const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Longer than the 60 s after which load balancers give up an idle connection, so that it is they who do. */
const KEEP_ALIVE_MS = 75_000;
/** Longer than the slowest answer; shorter than the ten seconds after which orchestrators kill. */
const CLOSE_ALL_AFTER_MS = 5000;

interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
}

/**
 * Nest's Express adapter on a server whose every answer is the service's own, also where Node
 * would answer by itself: malformed HTTP, CONNECT, an unknown expectation.
 */
export class ApiHttpAdapter extends ExpressAdapter {
  /** The last exchange of each open connection. */
  private readonly exchanges = new Map<Duplex, Exchange>();

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
      (request, response) => {
        const path = originForm(request.url);
        if (path === undefined) {
          answerProblem(
            response,
            new RequestMalformed('The request target is not valid.'),
            requestId(request),
          );
          return;
        }
        request.url = path;
        (app as RequestListener)(request, response);
      },
    );
    server.on('connection', (socket) => {
      socket.on('close', () => this.exchanges.delete(socket));
    });
    server.on('request', (request, response) => {
      this.exchanges.set(request.socket, { request, response });
    });
    server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && this.isStreaming(socket)) return;
      this.complain(socket, malformedHttpError(error));
    });
    server.on('connect', (_request, socket) => {
      this.complain(socket, new MethodNotAllowed('GET, PUT, POST', 'CONNECT is not supported.'));
    });
    server.on('checkExpectation', (request, response) => {
      this.exchanges.set(request.socket, { request, response });
      response.shouldKeepAlive = false;
      answerProblem(response, new ExpectationFailed(), requestId(request));
    });
    this.httpServer = server;
  }

  /** Whether the request under way has a reader that measures its time itself. */
  private isStreaming(socket: Duplex): boolean {
    const request = this.exchanges.get(socket)?.request;
    return request !== undefined && !request.complete && hasOwnClock(request);
  }

  /** Answers what is no request, or not all of one; each request gets one answer, in its turn. */
  private complain(socket: Duplex, error: ServiceError): void {
    const last = this.exchanges.get(socket);
    const isAboutItsBody = last !== undefined && !last.request.complete;
    if (isAboutItsBody && last.response.headersSent) {
      socket.destroy();
    } else if (!last || isAboutItsBody || last.response.writableFinished) {
      answerRaw(socket, error);
    } else {
      socket.on('error', () => socket.destroy());
      last.response.shouldKeepAlive = false;
      last.response.once('close', () => socket.destroy());
    }
  }

  /**
   * Ends when every answer under way has gone out, each with `Connection: close`. A connection whose
   * request never becomes complete is cut after five seconds.
   */
  override async close(): Promise<void> {
    for (const { response } of this.exchanges.values()) response.shouldKeepAlive = false;
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

/** The path and query of a request target, also of one in absolute form (RFC 9112, section 3.2). */
function originForm(target = ''): string | undefined {
  if (target.startsWith('/')) return target;
  if (!/^https?:\/\//i.test(target) || !URL.canParse(target)) return undefined;
  const { pathname, search } = new URL(target);
  return pathname + search;
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
