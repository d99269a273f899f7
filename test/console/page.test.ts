import { get, type IncomingHttpHeaders } from 'node:http';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { consolePage, PAGE, SCRIPT } from '../support/console/console.ts';
import { withService } from '../support/test-service.ts';

const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'";

const service = withService('sqlite', {}, { consoleDirectory: consolePage() });
const bare = withService('sqlite', {}, { consoleDirectory: 'not-built' });

const ask = (path: string, options: RequestInit = {}) =>
  fetch(service.baseUrl + path, { redirect: 'manual', ...options });

test('/ and /console lead to the page, by places that are relative to the path', async () => {
  for (const path of ['/', '/console']) {
    const { status, headers } = await ask(path);
    expect([path, status, headers.get('location')]).toEqual([path, 302, 'console/']);
    expect(new URL('console/', `https://x/ops${path}`).pathname).toBe('/ops/console/');
  }
});

test('the page may do what it needs, and is kept nowhere', async () => {
  const answer = await ask('/console/');
  expect([answer.status, await answer.text()]).toEqual([200, PAGE]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': POLICY,
    'cross-origin-opener-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
  });
  // A link from elsewhere leads to it.
  const headers = { 'Sec-Fetch-Site': 'cross-site' };
  expect((await ask('/console/', { headers })).status).toBe(200);
});

test('an asset is kept for ever, and comes compressed as the client accepts it', async () => {
  const path = '/console/assets/index-a1b2c3d4.js';
  const answer = await ask(path);
  expect([answer.status, await answer.text()]).toEqual([200, SCRIPT]);
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'content-type': 'text/javascript; charset=utf-8',
    'cache-control': 'public, max-age=31536000, immutable',
    'content-security-policy': POLICY,
    'cross-origin-opener-policy': 'same-origin',
    vary: 'Accept-Encoding',
  });
  for (const [coding, decompress] of [
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ] as const) {
    const { headers, body } = await download(path, coding);
    expect(headers['content-encoding']).toBe(coding);
    expect(body.length).toBeLessThan(SCRIPT.length / 10);
    expect(decompress(body).toString()).toBe(SCRIPT);
  }
  const style = await ask('/console/assets/index-a1b2c3d4.css');
  expect(style.headers.get('content-type')).toBe('text/css; charset=utf-8');
});

/** The answer with its body as it was sent. */
function download(path: string, coding: string) {
  return new Promise<{ headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    get(service.baseUrl + path, { headers: { 'Accept-Encoding': coding } }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => {
        resolve({ headers: response.headers, body: Buffer.concat(chunks) });
      });
    }).on('error', reject);
  });
}

test('HEAD tells of the page and its assets without them', async () => {
  for (const path of ['/console/', '/console/assets/index-a1b2c3d4.js', '/console']) {
    const answer = await ask(path, { method: 'HEAD' });
    const { status } = await ask(path);
    expect([path, answer.status, await answer.text()]).toEqual([path, status, '']);
  }
});

test('no other file is there, and other methods are not', async () => {
  for (const path of [
    '/console/index.html',
    '/console/secret.txt',
    '/console/assets',
    '/console/assets/',
  ]) {
    expect([path, (await ask(path)).status]).toEqual([path, 404]);
  }
  const answer = await ask('/console/', { method: 'POST' });
  expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET, HEAD']);
});

test('a page that was not built is not found, in words that say so; the root leads to the docs', async () => {
  const { status, body } = await bare.clientOf(undefined).call('GET', '/console/');
  expect([status, body.success, body.code]).toEqual([404, 0, 'route_not_found']);
  expect(body.detail).toContain('npm run build');
  const root = await bare.clientOf(undefined).call('GET', '/');
  expect([root.status, root.headers['location']]).toEqual([302, 'docs']);
});
