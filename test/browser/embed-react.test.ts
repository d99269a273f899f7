import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { launchBrowser } from '../system/lab/chromium.mjs';
import { readUntil } from '../support/time/until.ts';

// The component of clients/embed/README.md, on the interface of React that Preact has.

const root = join(import.meta.dirname, '..', '..');
const README = readFileSync(join(root, 'clients', 'embed', 'README.md'), 'utf8');
const [, COMPONENT] = /```tsx\n([^]*?)```/.exec(README)!;
const MAX_LINES = 10;

const MAIN = `
import { createElement, render } from 'react';
import { Dashboard } from './dashboard.tsx';
render(createElement(Dashboard, { src: location.hash.slice(1) }), document.body);
window.leave = () => render(null, document.body);
`;

/** The type checker and the bundler get these in the place of React. */
const PREACT = join(root, 'node_modules', 'preact');
const BUILD = `
import { build } from ${JSON.stringify(join(root, 'node_modules/vite/dist/node/index.js'))};
await build({
  configFile: false, root: process.cwd(), logLevel: 'error',
  oxc: { jsx: { runtime: 'automatic', importSource: 'react' } },
  resolve: { alias: [
    { find: 'react/jsx-runtime', replacement: ${JSON.stringify(join(PREACT, 'jsx-runtime/dist/jsxRuntime.mjs'))} },
    { find: 'react', replacement: ${JSON.stringify(join(PREACT, 'compat/dist/compat.mjs'))} },
    { find: '@user-group-service/embed', replacement: ${JSON.stringify(join(root, 'clients/embed/embed.ts'))} },
  ] },
  build: { lib: { entry: 'main.ts', formats: ['es'], fileName: 'main' } },
});
`;

const servers: Server[] = [];
let directory: string;
let browser: Browser;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-react-'));
  write('dashboard.tsx', COMPONENT!);
  write('main.ts', MAIN);
  write('build.mjs', BUILD);
  write('package.json', '{"type":"module"}');
  const strict = { strict: true, noUncheckedIndexedAccess: true, noEmit: true };
  const paths = {
    react: [join(PREACT, 'compat')],
    'react/jsx-runtime': [join(PREACT, 'jsx-runtime')],
    '@user-group-service/embed': [join(root, 'clients', 'embed', 'embed.ts')],
  };
  const modules = { module: 'esnext', moduleResolution: 'bundler', paths };
  const jsx = { jsx: 'react-jsx', jsxImportSource: 'react', types: [], lib: ['ES2023', 'DOM'] };
  const compilerOptions = { target: 'es2022', ...strict, ...modules, ...jsx, skipLibCheck: true };
  write('tsconfig.json', JSON.stringify({ compilerOptions, files: ['dashboard.tsx'] }));
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
  for (const server of servers) {
    server.close();
    server.closeAllConnections();
  }
  rmSync(directory, { recursive: true });
});

test('the example has ten lines, and its types are right', () => {
  expect(COMPONENT!.trim().split('\n').length).toBeLessThanOrEqual(MAX_LINES);
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const check = () =>
    execFileSync(process.execPath, [tsc, '--project', directory], { encoding: 'utf8' });
  expect(check()).toBe('');
});

test('the component hands the token to the frame, says why there is none, and leaves nothing behind', async () => {
  const env = { ...process.env, NODE_ENV: 'production' };
  execFileSync(process.execPath, ['build.mjs'], { cwd: directory, env, stdio: 'pipe' });
  let respond = 200;
  let requests = 0;
  const site = await serve((method, url) => {
    if (method === 'POST') {
      requests++;
      return { status: respond, type: 'application/json', body: '{"token":"t","expires_in":600}' };
    }
    const isScript = url === '/main.js';
    const page = `<!doctype html><link rel="icon" href="data:,"><body><script type="module" src="/main.js"></script>`;
    return isScript
      ? { type: 'text/javascript', body: readFileSync(join(directory, 'dist', 'main.js'), 'utf8') }
      : { type: 'text/html', body: page };
  });
  const dashboards = await serve(() => ({
    type: 'text/html',
    body: `<!doctype html><p></p><script>
      addEventListener('message', ({ origin, data }) => {
        if (origin === '${site}') document.querySelector('p').textContent = data.userGroupToken;
      });
      window.say = (more) => parent.postMessage({ type: 'token-wanted', ...more }, '${site}');
      say();
    </script>`,
  }));
  const page = await browser.newPage();
  const address = dashboards.replace('127.0.0.1', 'localhost');
  await page.goto(`${site}/#${address}/`);
  const handed = () => page.frameLocator('iframe').locator('p').innerText();
  expect(await readUntil('t', handed)).toBe('t');
  const shown = () => page.locator('[role=status]').innerText();
  expect(await readUntil('', shown)).toBe('');

  respond = 401;
  await page.frames()[1]!.evaluate("say({ refused: 't' })");
  expect(await readUntil('You cannot see this dashboard now.', shown)).toContain('You cannot');
  expect(requests).toBe(2);
  await page.evaluate('leave()');
  await page.evaluate("dispatchEvent(new Event('online'))");
  expect(requests).toBe(2);
  await page.close();
});

function write(name: string, content: string): void {
  writeFileSync(join(directory, name), content);
}

interface Served {
  status?: number;
  type: string;
  body: string;
}

async function serve(responseTo: (method: string, url: string) => Served): Promise<string> {
  const server = createServer((request, response) => {
    const { status = 200, type, body } = responseTo(request.method!, request.url!);
    response.writeHead(status, { 'Content-Type': type }).end(body);
  });
  servers.push(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
