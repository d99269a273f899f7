import { ExpressAdapter } from '@nestjs/platform-express';
import express from 'express';
import { IncomingMessage, type RequestListener, ServerResponse } from 'node:http';
import { HttpServer } from './http-server';

/** Longer than the slowest answer; shorter than the ten seconds after which orchestrators kill. */
const CLOSE_ALL_AFTER_MS = 5000;

/** Nest's Express adapter on an `HttpServer`, where a path is served in one spelling alone. */
export class ApiHttpAdapter extends ExpressAdapter {
  readonly http: HttpServer;

  constructor() {
    const app = express();
    app.disable('x-powered-by');
    app.disable('etag');
    // Rules of a proxy in front compare paths as they are spelled.
    app.enable('case sensitive routing');
    app.enable('strict routing');
    // A conditional request gets the whole answer: a 304 would come without the token.
    Object.defineProperty(app.request, 'fresh', { value: false });
    super(app);
    this.http = new HttpServer(app as RequestListener, 'GET, PUT, POST', {
      IncomingMessage: bornInExpress(app, 'request', IncomingMessage),
      ServerResponse: bornInExpress(app, 'response', ServerResponse),
    });
  }

  override initHttpServer(): void {
    this.httpServer = this.http.server;
  }

  /**
   * Ends when every answer under way has gone out, each with `Connection: close`. A connection whose
   * request never becomes complete is cut after five seconds.
   */
  override async close(): Promise<void> {
    this.http.connections.endAll();
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
