import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type ErrorRequestHandler, type Request, type Response } from 'express';
import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { sendWhole } from '../responses/end-whole.ts';
import { respondJson } from '../responses/respond-json.ts';
import { onlyKnownMethods } from './http-rules.ts';
import { HttpServer } from './http-server.ts';
import { type Layer, stackOf, type StaticRoute, StaticRoutes } from './static-routes.ts';
import { COMMON_HEADERS } from './http-settings.ts';
import { requestId } from '../observing/request-id.ts';

/** Longer than the slowest response, and shorter than the ten seconds after which orchestrators kill. */
const CLOSE_ALL_AFTER_MS = 5000;

/** Runs on each request before it is routed; an error that it throws becomes the response. */
export type RequestStep = (request: Request, response: Response) => void;

/**
 * Nest's Express adapter on an `HttpServer`, which serves a path in one spelling only. Express routes the handlers that
 * Nest registers, except for the shortcuts of `StaticRoutes` and `respondJson`.
 */
export class ApiHttpAdapter extends ExpressAdapter {
  readonly http: HttpServer;

  private readonly layers: Layer[];
  /** Nest's own layers, which pass every request on unless somebody sets a hook. */
  private readonly passing: Set<Layer>;
  readonly steps: RequestStep[] = [];
  private routes: { of: number; found: StaticRoutes } | undefined;
  private onError: ErrorRequestHandler = (error) => {
    throw error;
  };

  /** @param knownBelow the paths below which an unknown method of a path gets 405, not 404 */
  constructor(private readonly knownBelow: readonly string[] = []) {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    // Rules of a proxy in front compare paths as they are spelled.
    app.enable('case sensitive routing');
    app.enable('strict routing');
    // A conditional request gets the whole response: a 304 would come without the token.
    Object.defineProperty(app.request, 'fresh', { value: false });
    super(app);
    this.layers = stackOf(app);
    this.passing = new Set(this.layers);
    const ResponseClass = bornInExpress(app, 'response', ServerResponse);
    Object.assign(ResponseClass.prototype, { writeHead, _send: sendWhole });
    this.http = new HttpServer(this.serve, 'GET, PUT, POST', {
      IncomingMessage: bornInExpress(app, 'request', IncomingMessage),
      ServerResponse: ResponseClass,
    });
  }

  /** Adds steps that run on each request, in order, before any route. */
  before(...steps: RequestStep[]): void {
    this.steps.push(...steps);
  }

  override initHttpServer(): void {
    this.httpServer = this.http.server;
  }

  override setOnRequestHook(hook: Parameters<ExpressAdapter['setOnRequestHook']>[0]): void {
    this.passing.clear();
    super.setOnRequestHook(hook);
  }

  override setOnResponseHook(hook: Parameters<ExpressAdapter['setOnResponseHook']>[0]): void {
    this.passing.clear();
    super.setOnResponseHook(hook);
  }

  /** Called by Nest after the last route. */
  override setNotFoundHandler(
    ...handler: Parameters<ExpressAdapter['setNotFoundHandler']>
  ): unknown {
    this.use([...this.knownBelow], onlyKnownMethods);
    return super.setNotFoundHandler(...handler) as unknown;
  }

  override setErrorHandler(handler: ErrorRequestHandler, prefix?: string): unknown {
    this.onError = handler;
    return super.setErrorHandler(handler, prefix) as unknown;
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    if (!isJson(body) || statusCode !== undefined || response.hasHeader('Content-Type')) {
      return super.reply(response, body, statusCode) as unknown;
    }
    respondJson(response, body);
    return response;
  }

  /**
   * Closes the server when every pending response was sent, each with `Connection: close`. A connection whose request
   * never completes is cut after five seconds.
   */
  override async close(): Promise<void> {
    this.http.connections.endAll();
    const closeAll = setTimeout(
      () => this.getHttpServer().closeAllConnections(),
      CLOSE_ALL_AFTER_MS,
    );
    try {
      await super.close();
    } finally {
      clearTimeout(closeAll);
    }
  }

  private readonly serve = (incoming: IncomingMessage, outgoing: ServerResponse): void => {
    const request = incoming as Request;
    const response = outgoing as Response;
    try {
      for (const step of this.steps) step(request, response);
    } catch (error) {
      this.fail(error, request, response);
      return;
    }
    const route = this.staticRoutes.find(request);
    if (route) this.run(route, request, response);
    else this.serveByExpress(request, response);
  };

  /** Runs a handler with the request fields that Express's router would set. */
  private run({ route, handle }: StaticRoute, request: Request, response: Response): void {
    request.originalUrl = request.url;
    request.params = {};
    request.route = route;
    const next = (error?: unknown) => {
      if (error === undefined) this.serveByExpress(request, response);
      else this.fail(error, request, response);
    };
    try {
      const handled: unknown = handle(request, response, next);
      if (handled instanceof Promise) handled.catch(next);
    } catch (error) {
      this.fail(error, request, response);
    }
  }

  private serveByExpress(request: Request, response: Response): void {
    (this.instance as RequestListener)(request, response);
  }

  /** Passes the error to Nest, as Express would. */
  private fail(error: unknown, request: Request, response: Response): void {
    void this.onError(error, request, response, () => response.destroy());
  }

  /** Built at the first request, and again if a layer has been added since. */
  private get staticRoutes(): StaticRoutes {
    const { length } = this.layers;
    if (this.routes?.of !== length) {
      const layers = this.layers.filter((layer) => !this.passing.has(layer));
      this.routes = { of: length, found: new StaticRoutes(layers) };
    }
    return this.routes.found;
  }
}

/** Whether it is JSON, as handlers return it; Nest sends anything else, such as a stream or an error. */
function isJson(body: unknown): body is object {
  return (
    typeof body === 'object' &&
    body !== null &&
    !(body instanceof StreamableFile) &&
    !(body instanceof Error)
  );
}

/**
 * Express sets the prototype of each request and response to `app.request` and `app.response`, which costs node:http
 * its optimised objects (expressjs/express#5998). Here both are the prototypes of the classes that the server creates,
 * so that the assignment changes nothing.
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

/**
 * Replaces `writeHead` of a response so that every head has the request id and the common fields, unless the response
 * sets its own. A head with explicit fields is left unchanged.
 */
function writeHead(this: ServerResponse, statusCode: number, ...fields: unknown[]): ServerResponse {
  if (fields.length === 0) {
    for (const name in COMMON_HEADERS) {
      if (!this.hasHeader(name)) this.setHeader(name, COMMON_HEADERS[name]!);
    }
    if (!this.hasHeader('X-Request-Id')) this.setHeader('X-Request-Id', requestId(this.req));
  }
  return ServerResponse.prototype.writeHead.call(
    this,
    statusCode,
    ...(fields as []),
  ) as ServerResponse;
}
