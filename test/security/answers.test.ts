import { request } from 'node:http';
import { keySetPath, NO_WORKSPACE } from '../support/api/workspace-keys.ts';
import type { Answer } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { describeOperations } from '../support/api/every-operation.ts';
import { withService } from '../support/test-service.ts';

const KEY_SET = keySetPath(NO_WORKSPACE);

/** The files that the docs page may load, with their media types. */
const LOADED: Record<string, RegExp> = {
  css: /^text\/css; charset=utf-8$/i,
  js: /^(text|application)\/javascript; charset=utf-8$/i,
  png: /^image\/png$/,
};

/** Files of a checkout, a container or an application of another framework. */
const FILES = [
  '.git/config',
  '.git/HEAD',
  '.env',
  '.env.example',
  '.npmrc',
  'package.json',
  'package-lock.json',
  'node_modules/express/package.json',
  'src/main.ts',
  'dist/src/main.js',
  'dist/src/main.js.map',
  'data/token-encryption-keys',
  'data/user-groups.sqlite',
  'Dockerfile',
  'README.md',
  'docs/security/threat-model.md',
  'docs/package.json',
  'docs/LICENSE',
  'docs/swagger-ui.css.map',
  'docs/swagger-ui-bundle.js.map',
  'docs/absolute-path.js',
  'debug',
  'metrics',
  'server-status',
  'actuator/env',
  'etc/passwd',
];

/** Ways to step out of a directory. */
const DETOURS = ['/', '/docs/../', '/docs/%2e%2e/', '/docs/..%2f', '/api/../', '//', '/docs/./'];

onEachDatabase((kind) => {
  const service = withService(kind);

  /** The answer to a path that no client has made plainer before. */
  function raw(path: string, method = 'GET', headers: Record<string, string> = {}): Promise<Raw> {
    return new Promise((resolve, reject) => {
      request({ host: '127.0.0.1', port: service.port, method, path, headers }, (response) => {
        let text = '';
        response.setEncoding('latin1').on('data', (chunk: string) => (text += chunk));
        response.on('end', () => {
          resolve({ status: response.statusCode!, headers: response.headers, text });
        });
      })
        .on('error', reject)
        .end();
    });
  }

  test('no file of the machine is served, and no directory, whatever the path', async () => {
    const served: string[] = [];
    for (const file of FILES) {
      for (const detour of DETOURS) {
        const { status } = await raw(detour + file);
        if (![400, 401, 404].includes(status)) served.push(`${status} ${detour}${file}`);
      }
    }
    for (const directory of ['/docs//', '/docs/x/', '/data/', '/node_modules/', '/static/']) {
      const { status } = await raw(directory);
      if (status !== 404) served.push(`${status} ${directory}`);
    }
    expect(served).toEqual([]);
  });

  test('the docs page and all it loads come from here, framed by nobody and kept by nobody', async () => {
    const page = await raw('/docs');
    expect([page.status, page.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expectSafe('/docs', page);
    const names = [
      ...page.text.matchAll(/<(?:link|script)[^>]*\b(?:src|href)=["']?([^"' >]+)/g),
    ].map(([, name]) => name!);
    expect(names.length).toBeGreaterThanOrEqual(4);
    for (const name of names) {
      const { pathname, host } = new URL(name, 'http://here/docs');
      expect(host).toBe('here');
      const loaded = await raw(pathname);
      const type = LOADED[pathname.split('.').at(-1)!]!;
      expect([name, loaded.status, loaded.headers['content-type']]).toEqual([
        name,
        200,
        expect.stringMatching(type),
      ]);
      expectSafe(name, loaded);
    }
  });

  test('no answer but the docs page is for a browser to render', async () => {
    const other: string[] = [];
    for (const { method, path } of await everyOperation()) {
      const { headers } = await service.api.send({
        method,
        path,
        headers: { Accept: 'text/html' },
      });
      const type = String(headers['content-type']);
      if (!/^application\/(problem\+)?json; charset=utf-8$/.test(type) && !isOwnType(path, type)) {
        other.push(`${method} ${path} ${type}`);
      }
      expect([path, headers['x-content-type-options']]).toEqual([path, 'nosniff']);
      expect([path, headers['content-security-policy']]).toEqual([
        path,
        expect.stringMatching(/^default-src 'none';.*frame-ancestors 'none'/),
      ]);
    }
    expect(other).toEqual([]);
  });

  test('nothing may be kept but the key set, for any caller', async () => {
    const kept = [];
    for (const { method, path } of await everyOperation()) {
      for (const by of [service.api, service.clientOf(undefined)]) {
        const { headers } = await by.send({ method, path });
        const control = headers['cache-control'] as string | undefined;
        if (control?.split(', ')[0] !== 'no-store') kept.push(`${method} ${path}`);
      }
    }
    expect(new Set(kept)).toEqual(new Set([`GET ${KEY_SET}`]));
  });

  test('no answer leads elsewhere, whatever the request says about hosts and protocols', async () => {
    const led: string[] = [];
    const paths = [
      ...new Set((await everyOperation()).map(({ path }) => path)),
      '/docs',
      '/docs/',
      '/docs/swagger-ui.css',
      '/',
      '//evil.example/x',
      '/docs//evil.example',
      '/%0d%0aLocation:%20//evil.example',
      '/api/user/?next=https://evil.example',
    ];
    for (const path of paths) {
      for (const method of ['GET', 'POST', 'PUT']) {
        const { status, headers } = await raw(path, method, {
          Host: 'evil.example',
          'X-Forwarded-Host': 'evil.example',
          'X-Forwarded-Proto': 'http',
          'X-Original-URL': '//evil.example',
          Accept: 'text/html',
        });
        const { location, refresh } = headers;
        const leads = status >= 300 && status < 400;
        if (leads || location !== undefined || refresh !== undefined) {
          led.push(`${method} ${path} ${status} ${String(location)} ${String(refresh)}`);
        }
      }
    }
    // Paths of the service, whatever it is called outside.
    expect(led).toEqual(['GET /docs/ 302 ../docs undefined', 'GET / 302 console/ undefined']);
  });

  test('the only address that is made is that of a new thing, a path of this service', async () => {
    const headers = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example' };
    const issued = await service.api.call(
      'POST',
      '/api/v1/api-tokens',
      { name: 'n', scopes: ['audit:read'] },
      headers,
    );
    const created: Answer[] = [
      issued,
      await service.api.call(
        'POST',
        '/api/v1/schemas',
        { provided_id: '//evil', name: 'n' },
        headers,
      ),
      await service.api.call('PUT', '/api/v1/user-groups/%2F%2Fevil', { name: 'n' }, headers),
    ];
    for (const { status, headers: answered } of created) {
      expect(status).toBe(201);
      expect(answered['location'] ?? '/api/v1/').toMatch(/^\/api\/v1\/[\w/%-]*$/);
    }
    expect(issued.headers['location']).toBe(`/api/v1/api-tokens/${issued.body.api_token.id}`);
  });
});

function expectSafe(name: string, { headers }: Raw): void {
  expect([name, headers]).toEqual([
    name,
    expect.objectContaining({
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
      'content-security-policy': expect.stringMatching(/(^|; )frame-ancestors 'none'(;|$)/),
    }),
  ]);
}

interface Raw {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  text: string;
}

async function everyOperation(): Promise<{ method: string; path: string }[]> {
  const operations = await describeOperations();
  return operations
    .map(({ method, path }) => ({
      method,
      path: path.replace('{workspace_id}', NO_WORKSPACE).replace(/\{\w+\}/g, '999999'),
    }))
    .filter(({ path }) => !path.includes('/export'));
}

/** The form in which the interface of others wants it. */
function isOwnType(path: string, type: string): boolean {
  if (path === '/api/v1/events/stream') return type === 'text/event-stream; charset=utf-8';
  return path === KEY_SET && type.startsWith('application/jwk-set+json');
}
