import type { Express, Request, RequestHandler, Response } from 'express';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ApiHttpAdapter } from '../../src/platform/common/http/server/api-http.adapter.ts';
import { COMMON_HEADERS } from '../../src/platform/common/http/server/http-settings.ts';

/** Responds with the request that the handler saw. */
const tell =
  (name: string) =>
  (request: Request, response: Response): void => {
    const { method, url, originalUrl, params, route, path } = request;
    const { path: routePath } = route as { path: unknown };
    response.json({ name, method, url, originalUrl, params, path, routePath });
  };

const pass =
  (name: string): RequestHandler =>
  (_request, response, next) => {
    response.append('X-Passed', name);
    next();
  };

const PATHS = ['/', '/a', '/a/', '/A', '/a/b', '/a/x', '/c', '/d', '/d/e', '/two', '/rethrow'];
const ODD = ['/%61', '//a', '/a//', '/a?b=/a', '/a?', '/none', '/a/%zz', '/fails', '/async', '/on'];
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'];

/** Routes of every kind, in the way of each other. */
function register(app: Express, adapter: ApiHttpAdapter): void {
  adapter.get('/a', tell('get a'));
  adapter.post('/a', tell('post a'));
  adapter.get('/a', tell('get a again'));
  app.get('/a/:id', tell('parameter'));
  adapter.get('/a/b', tell('behind a parameter'));
  app.all('/c', pass('all c'));
  adapter.get('/c', tell('behind all'));
  app.use('/d', pass('use d'));
  adapter.get('/d', tell('behind use'));
  adapter.get('/d/e', tell('behind use too'));
  app.get('/two', pass('first of two'), tell('second of two'));
  app.put(['/one', '/a/'], tell('one of several paths'));
  app.get('/fails', () => {
    throw new Error('at once');
  });
  app.get('/async', () => Promise.reject(new Error('later')));
  app.get('/on', (_request, _response, next) => {
    next();
  });
  adapter.get('/on', tell('the one that was passed on to'));
  adapter.setErrorHandler(
    // eslint-disable-next-line @typescript-eslint/no-unused-vars -- Express knows an error handler by its four parameters
    (error: Error, _request: Request, response: Response, _next: unknown) => {
      response.status(500).json({ message: error.message });
    },
  );
}

async function serve(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The headers that change with time, and those of every response of the service that Express alone does not send. */
const NOT_OF_THE_ROUTE = [
  'date',
  'x-request-id',
  ...Object.keys(COMMON_HEADERS).map((name) => name.toLowerCase()),
];

async function ask(origin: string, method: string, path: string): Promise<object> {
  const answer = await fetch(origin + path, { method });
  const headers = [...answer.headers].filter(([name]) => !NOT_OF_THE_ROUTE.includes(name));
  return { status: answer.status, headers, body: await answer.text() };
}

describe.each([
  ['routes', () => undefined],
  [
    'routes behind something that sees every request',
    (app: Express) => {
      app.use(pass('everything'));
    },
  ],
  [
    'routes behind a hook',
    (_app: Express, adapter: ApiHttpAdapter) => {
      adapter.setOnRequestHook((_request, response, done) => {
        response.append('X-Passed', 'hook');
        done();
      });
    },
  ],
])('%s', (_name, prepare) => {
  const adapter = new ApiHttpAdapter();
  const app = adapter.getInstance<Express>();
  adapter.initHttpServer();
  // The classes with Express's prototypes, which answer as Express's own do.
  const plain = createServer({ keepAliveTimeout: 75_000 }, app as RequestListener);
  let direct: string;
  let byExpress: string;

  beforeAll(async () => {
    prepare(app, adapter);
    register(app, adapter);
    direct = await serve(adapter.http.server);
    byExpress = await serve(plain);
  });

  afterAll(async () => {
    adapter.http.server.close();
    plain.close();
    await Promise.all([adapter.http.server, plain].map((server) => once(server, 'close')));
  });

  test('each request is answered as Express alone answers it', async () => {
    for (const path of [...PATHS, ...ODD]) {
      for (const method of METHODS) {
        const request = { method, path };
        const expected = await ask(byExpress, method, path);
        expect({ request, ...(await ask(direct, method, path)) }).toEqual({ request, ...expected });
      }
    }
  });

  test('a route that comes after the first request is served', async () => {
    expect(await ask(direct, 'GET', '/late')).toMatchObject({ status: 404 });
    adapter.get('/late', tell('late'));
    expect(await ask(direct, 'GET', '/late')).toMatchObject({ status: 200 });
  });
});
