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
import { ExpectationFailed, MethodNotAllowed, RequestMalformed } from '../../problem/errors.ts';
import type { ServiceError } from '../../problem/problem.ts';
import { respondProblem } from '../responses/respond-problem.ts';
import { Connections } from './connections.ts';
import { MalformedRequests } from './malformed-requests.ts';
import { respondRaw, malformedHttpError } from './raw-response.ts';
import { requestId } from '../observing/request-id.ts';
import { faultOf, originForm } from './request-line.ts';
import { hasOwnClock } from './streamed-body.ts';

const REQUEST_TIMEOUT_MS = 30_000;
const HEADERS_TIMEOUT_MS = 10_000;
/** Longer than the idle time-out of load balancers (60 s), so that they close connections first. */
const KEEP_ALIVE_MS = 75_000;

/**
 * An HTTP server with its own responses also where Node would respond itself: to malformed HTTP, CONNECT, an unknown
 * expectation. It serves one request of a connection at a time.
 */
export class HttpServer {
  readonly server: Server;
  readonly connections = new Connections();
  readonly malformed = new MalformedRequests();

  /**
   * @param listener gets each well-formed request, its target in origin form
   * @param methods methods named in the response to CONNECT
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
      // Left to the service, so that a missing Host gets a problem document too.
      requireHostHeader: false,
    });
    // Node would hide the fields after the thousandth from every check; their size is limited in bytes.
    this.server.maxHeadersCount = 0;
    // A client may close its half of the connection after its request and still read the response.
    Object.assign(this.server, { httpAllowHalfOpen: true });
    this.server.on('connection', (socket) => this.connections.add(socket));
    // After an orderly end the kernel would keep the unread data of an idle client for minutes.
    this.server.on('timeout', (socket: Socket) => socket.resetAndDestroy());
    this.server.on('request', (request, response) =>
      this.connections.take({ request, response, listener: this.serve }),
    );
    this.server.on('checkExpectation', (request, response) =>
      this.connections.take({ request, response, listener: this.refuseExpectation }),
    );
    this.server.on('connect', (_request, socket) =>
      this.complain(socket, new MethodNotAllowed(this.methods, 'CONNECT is not supported.')),
    );
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

  private readonly refuseExpectation: RequestListener = (request, response) =>
    this.refuse(request, response, new ExpectationFailed());

  private refuse(request: IncomingMessage, response: ServerResponse, error: ServiceError): void {
    this.malformed.note(error);
    response.shouldKeepAlive = false;
    respondProblem(response, error, requestId(request));
  }

  /** Whether the current request has a reader with time limits of its own. */
  private isStreaming(socket: Duplex): boolean {
    const request = this.connections.current(socket);
    return request !== undefined && !request.complete && hasOwnClock(request);
  }

  /** Responds to malformed and incomplete requests; each request gets one response, in its turn. */
  private complain(socket: Duplex, error: ServiceError, reason?: string): void {
    this.malformed.note(error, reason);
    const kept = this.connections.end(socket);
    if (kept instanceof ServerResponse && kept.headersSent) {
      socket.destroy();
    } else if (kept === 'response') {
      socket.on('error', () => socket.destroy());
    } else {
      respondRaw(socket, error);
    }
  }
}
