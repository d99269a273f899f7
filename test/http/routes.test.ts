import type { Express } from 'express';
import { request } from 'node:http';
import { connect } from 'node:net';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { ApiHttpAdapter } from '../../src/platform/common/http/server/api-http.adapter.ts';
import type { Answer } from '../support/api/api-client.ts';
import { consolePage, OWN_PAGE } from '../support/console/console.ts';
import { startTestService, type TestService, withService } from '../support/test-service.ts';
import { read } from '../support/api/pages.ts';

const POLICY =
  "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const METHODS = ['GET', 'PUT', 'POST', 'PATCH', 'DELETE'];

/** The fields that Express's router keeps of a route, or of a handler that runs before the routes. */
interface Layer {
  name: string;
  rawPath: string | string[];
  route?: { path: string | string[]; methods: Record<string, boolean> };
}

/** Without a page of the console, the root leads to the docs. */
const service = withService('sqlite', {}, { consoleDirectory: 'not-built' });
const page = withService('sqlite', {}, { consoleDirectory: consolePage() });
const closed = withService('sqlite', { DOCS: 'off', CONSOLE: 'off' });

const layersOf = ({ app }: TestService): Layer[] => {
  const express: Express = app.getHttpAdapter().getInstance();
  return (express.router as unknown as { stack: Layer[] }).stack;
};

/** Every path that the router serves, with its methods. */
function routesOf(of: TestService): { path: string; methods: string[] }[] {
  return layersOf(of).flatMap(({ route }) =>
    ([] as string[]).concat(route?.path ?? []).map((path) => ({
      path,
      methods: Object.keys(route!.methods).map((method) => method.toUpperCase()),
    })),
  );
}

/** The paths of the table "Public routes" in docs/reference/access.md. */
const documented = (() => {
  const page = read('docs/reference/access.md');
  const [, table = ''] = /\n### Public routes\n([^]*?)\n#/.exec(page) ?? [];
  return [...table.matchAll(/^\| ((?:`[^`]+`(?:, )?)+) \|/gm)].flatMap(([, paths]) =>
    [...paths!.matchAll(/`([^`]+)`/g)].map(([, path]) => path!),
  );
})();

test('the router serves a stranger the public routes that docs/reference/access.md names, and no other', async () => {
  const open = new Set<string>();
  for (const { path, methods } of routesOf(page)) {
    const named = path.replace(/:\w+/g, '1');
    for (const method of methods.filter((one) => METHODS.includes(one))) {
      // The page of the console sends these headers. Without them the service refuses each of its calls.
      const options = { method, headers: OWN_PAGE, redirect: 'manual' } as const;
      const { status } = await fetch(page.baseUrl + named, options);
      // A gateway without an API token is a fault of the gateway.
      if (![401, 405, 502].includes(status)) {
        open.add(path.replace(/(?<=^\/console\/assets\/).+/, '*'));
      }
    }
  }
  const undocumented = [...open].filter((path) => !documented.includes(path));
  const gone = documented.filter((path) => !open.has(path));
  // The names say what to do: list what is meant to be public in "Public routes" of docs/reference/access.md, or close it.
  expect({
    'public, and missing in docs/reference/access.md': undocumented,
    'listed there, and not public': gone,
  }).toEqual({
    'public, and missing in docs/reference/access.md': [],
    'listed there, and not public': [],
  });
});

test('nothing but routes answers: what runs in front of them is known', () => {
  const inFront = layersOf(service).filter(({ route }) => !route);
  const somewhere = inFront.filter(({ rawPath }) => rawPath !== '/');
  expect(somewhere.map(({ name, rawPath }) => [name, rawPath])).toEqual([
    [
      'onlyKnownMethods',
      ['/api/v1', '/.well-known', '/health', '/docs', '/docs-json', '/workspaces', '/console'],
    ],
  ]);
  const everywhere = inFront.filter(({ rawPath }) => rawPath === '/').map(({ name }) => name);
  expect(everywhere).toEqual([
    '<anonymous>', // Nest's
    '<anonymous>', // Nest's
    '<anonymous>', // Nest's
  ]);
  const { steps } = service.app.getHttpAdapter() as unknown as ApiHttpAdapter;
  expect(steps.map(({ name }) => name)).toEqual([
    '', // the access log
    '', // refuses while the server closes
    '', // gives all calls below forward-auth one path and method
    '', // gives calls of the console to their session
    'contractRules',
  ]);
});

test.each(['/docs', '/docs/swagger-ui-bundle.js', '/docs-json'])(
  'DOCS=off: %s and the way there are not found, like anything that is not there',
  async (path) => {
    for (const target of [path, '/']) {
      const { status, body } = await closed.api.call('GET', target);
      expect([status, body.success, body.code]).toEqual([404, 0, 'route_not_found']);
    }
    expect(routesOf(closed).filter((route) => route.path.startsWith('/docs'))).toEqual([]);
    expect((await closed.api.call('GET', '/health/live')).status).toBe(200);
  },
);

test('DOCS is on or off', async () => {
  await expect(startTestService('sqlite', { DOCS: 'maybe' })).rejects.toThrow('DOCS');
});

test('the root leads to the docs, also below a path of a proxy', async () => {
  const answer = await fetch(`${service.baseUrl}/`, { redirect: 'manual' });
  expect([answer.status, answer.headers.get('location')]).toEqual([302, 'docs']);
  const page = await fetch(`${service.baseUrl}/`);
  expect(new URL(page.url).pathname).toBe('/docs');
  // Every address in the page is relative as well.
  expect(await page.text()).not.toMatch(/(src|href)="\//);
});

test('a slash behind a page for people leads to the page, and is not found behind a path for programs', async () => {
  const docs = await fetch(`${service.baseUrl}/docs/`, { redirect: 'manual' });
  expect([docs.status, docs.headers.get('location')]).toEqual([302, '../docs']);
  expect(new URL((await fetch(`${service.baseUrl}/docs/`)).url).pathname).toBe('/docs');
  for (const path of ['/docs-json/', '/health/ready/', '/api/v1/user-groups/']) {
    expect((await fetch(service.baseUrl + path)).status).toBe(404);
  }
});

test.each([
  '/docs',
  '/docs/swagger-ui.css',
  '/docs/swagger-ui-bundle.js',
  '/docs/swagger-ui-init.js',
  '/docs/page.css',
  '/docs/favicon-32x32.png',
])('%s may load what is its own, and send nothing to others', async (path) => {
  const answer = await fetch(service.baseUrl + path);
  expect([answer.status, answer.headers.get('content-security-policy')]).toEqual([200, POLICY]);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
});

test('a document comes compressed as the client accepts it, and is the same', async () => {
  const get = (accepts: string) => {
    return new Promise<{ coding: string | undefined; bytes: Buffer }>((resolve, reject) => {
      const headers = { 'Accept-Encoding': accepts };
      request(`${service.baseUrl}/docs-json`, { headers }, (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          expect(response.headers.vary).toBe('Accept-Encoding');
          resolve({ coding: response.headers['content-encoding'], bytes: Buffer.concat(chunks) });
        });
      })
        .on('error', reject)
        .end();
    });
  };
  const plain = await get('identity');
  const gzip = await get('gzip, br;q=0');
  const brotli = await get('gzip, deflate, br');
  expect([plain.coding, gzip.coding, brotli.coding]).toEqual([undefined, 'gzip', 'br']);
  expect(gunzipSync(gzip.bytes).equals(plain.bytes)).toBe(true);
  expect(brotliDecompressSync(brotli.bytes).equals(plain.bytes)).toBe(true);
  expect(brotli.bytes.length).toBeLessThan(plain.bytes.length / 5);
});

test('a path is served in one spelling alone', async () => {
  const spellings = [
    '/DOCS',
    '/Docs-Json',
    '/docs//',
    '/docs-json/',
    '/docs-yaml',
    '/docs/./swagger-ui.css',
    '/x/../docs',
    '/%64ocs',
    '//docs',
    '/docs;x',
    '/API/user',
    '/api/User',
    '/API/V1/user-groups',
    '/api/v1/user-groups/',
    '/api/v1/User-Groups/export',
    '/.WELL-KNOWN/JWKS.JSON',
    '/HEALTH/live',
    '/health/live/',
  ];
  for (const path of spellings) {
    for (const target of [path, `http://x${path}`]) {
      for (const method of ['GET', 'POST']) {
        const answer = await spelled(method, target);
        expect([target, method, answer.status, answer.body.code]).toEqual([
          target,
          method,
          404,
          'route_not_found',
        ]);
      }
    }
  }
  expect((await spelled('GET', 'http://x/docs')).status).toBe(200);
  expect((await spelled('GET', 'http://x?a=b')).status).toBe(302);
});

test.each(['/docs#x', 'http://x\\docs', 'http://u@x/docs', '/docs\x7f'])(
  'the target %j is malformed',
  async (target) => {
    const answer = await spelled('GET', target);
    expect([answer.status, answer.body.code]).toEqual([400, 'request_malformed']);
  },
);

test('the path of the contract may end with a slash', async () => {
  const group = { user_group_id: 'slash', name: 'S' };
  for (const path of ['/api/user', '/api/user/', '/api/user/?a=b/']) {
    const { status, body } = await service.api.call('PUT', path, group);
    expect([status, body.success]).toEqual([200, 1]);
  }
  const wrong = await service.api.call('DELETE', '/api/user/');
  expect([wrong.status, wrong.headers['allow']]).toEqual([405, 'GET, PUT, POST']);
});

/** The answer to a request whose target is sent as it is spelled. */
function spelled(method: string, target: string): Promise<Pick<Answer, 'status' | 'body'>> {
  return new Promise((resolve, reject) => {
    const socket = connect(service.port, '127.0.0.1', () => {
      socket.end(
        `${method} ${target} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: close\r\n\r\n`,
      );
    });
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString('latin1')));
    socket.on('error', reject);
    socket.on('end', () => {
      const body = text.slice(text.indexOf('\r\n\r\n') + 4);
      const json = body.startsWith('{') ? (JSON.parse(body) as Answer['body']) : undefined;
      resolve({ status: Number(text.split(' ')[1]), body: json! });
    });
  });
}

test('a 404 and a 405 give advice that fits the operation', async () => {
  const path = '/api/v1/user-groups/nobody';
  const detailOf = async (method: string, at: string, body?: object) =>
    (await service.api.call(method, at, body)).body.detail;
  for (const [method, at] of [
    ['GET', path],
    ['DELETE', path],
    ['POST', `${path}/suspend`],
    ['GET', `${path}/tokens`],
    ['POST', `${path}/tokens/rotate`],
  ] as const) {
    expect([method, at, await detailOf(method, at)]).toEqual([
      method,
      at,
      'No user group of the workspace has this id.',
    ]);
  }
  expect(await detailOf('PATCH', path, {})).toContain('PUT of the same path creates it');
  expect(await detailOf('GET', '/api/user', { user_group_id: 'nobody' })).toBe(
    'No user group has this id; GET or PUT /api/user with a name creates it.',
  );
  expect(await detailOf('POST', '/api/v1/user-groups', {})).toContain(
    'PUT /api/v1/user-groups/{id} creates one',
  );
  expect(await detailOf('POST', '/api/v1/audit-events', {})).toContain('the Allow header lists');
});

test('a fault of the path names its parameter', async () => {
  const { status, body } = await service.api.call('PUT', '/api/v1/user-groups/a%00', { name: 'n' });
  expect([status, body.errors]).toEqual([
    422,
    [
      {
        in: 'path',
        parameter: 'id',
        code: 'control_character',
        detail: 'The text must not contain control characters.',
      },
    ],
  ]);
});
