import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  ServerResponse,
  type ServerOptions,
} from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import {
  ExpectationFailed,
  MethodNotAllowed,
  RequestMalformed,
  type ServiceError,
} from '../errors.ts';
import { answerProblem } from './answer-problem.ts';
import { Connections } from './connections.ts';
import { MalformedRequests } from './malformed-requests.ts';
import { answerRaw, malformedHttpError } from './raw-answer.ts';
import { requestId } from './request-id.ts';
import { faultOf, originForm } from './request-line.ts';
import { hasOwnClock } from './streamed-body.ts';

const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Longer than the idle time-out of load balancers (60 s), so that it is they that close connections. */
const KEEP_ALIVE_MS = 75_000;

/**
 * An HTTP server that gives its own answers also where Node would answer by itself: to malformed
 * HTTP, CONNECT, an unknown expectation. It serves one request of a connection at a time.
 */
export class HttpServer {
  readonly server: Server;
  readonly connections = new Connections();
  readonly malformed = new MalformedRequests();

  /**
   * @param listener gets each request that is well-formed, its target in origin form
   * @param methods the methods that the answer to CONNECT names
   * @param classes of the requests and responses that the listener gets
   */
  constructor(
    private readonly listener: RequestListener,
    private readonly methods: string,
    classes: ServerOptions = {},
  ) {
    this.server = createServer({
      ...classes,
      requestTimeout: REQUEST_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_MS,
      connectionsCheckingInterval: 1000,
      // Node would refuse a missing Host in its own words.
      requireHostHeader: false,
    });
    // A client may close its half of the connection after its request and still read the answer.
    Object.assign(this.server, { httpAllowHalfOpen: true });
    this.server.on('connection', (socket) => {
      this.connections.add(socket);
    });
    // The kernel would keep what an idle client has not read for minutes after an orderly end.
    this.server.on('timeout', (socket: Socket) => {
      socket.resetAndDestroy();
    });
    this.server.on('request', (request, response) => {
      this.connections.take({ request, response, listener: this.serve });
    });
    this.server.on('checkExpectation', (request, response) => {
      this.connections.take({ request, response, listener: this.refuseExpectation });
    });
    this.server.on('connect', (_request, socket) => {
      this.complain(socket, new MethodNotAllowed(this.methods, 'CONNECT is not supported.'));
    });
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket) => {
      const isTimeout = error.code === 'ERR_HTTP_REQUEST_TIMEOUT';
      if (isTimeout && this.isStreaming(socket)) return;
      this.complain(socket, malformedHttpError(error), error.code);
    });
  }

  private readonly serve: RequestListener = (request, response) => {
    const path = originForm(request.url);
    const fault = path === undefined ? 'The request target is not valid.' : faultOf(request);
    if (fault === undefined) {
      request.url = path;
      this.listener(request, response);
    } else {
      this.refuse(request, response, new RequestMalformed(fault));
    }
  };

  private readonly refuseExpectation: RequestListener = (request, response) => {
    this.refuse(request, response, new ExpectationFailed());
  };

  private refuse(request: IncomingMessage, response: ServerResponse, error: ServiceError): void {
    this.malformed.note(error);
    response.shouldKeepAlive = false;
    answerProblem(response, error, requestId(request));
  }

  /** Whether the request under way has a reader with time limits of its own. */
  private isStreaming(socket: Duplex): boolean {
    const request = this.connections.current(socket);
    return request !== undefined && !request.complete && hasOwnClock(request);
  }

  /** Answers malformed and incomplete requests; each request gets one answer, in its turn. */
  private complain(socket: Duplex, error: ServiceError, reason?: string): void {
    this.malformed.note(error, reason);
    const kept = this.connections.end(socket);
    if (kept instanceof ServerResponse && kept.headersSent) {
      socket.destroy();
    } else if (kept === 'answer') {
      socket.on('error', () => socket.destroy());
    } else {
      answerRaw(socket, error);
    }
  }
}
