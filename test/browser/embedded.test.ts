import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, Page } from 'playwright-core';
import { launchBrowser } from '../system/lab/chromium.mjs';
import { noteDump, noteLog } from '../support/jest/leaks.ts';
import { marked } from '../support/api/pages.ts';
import { BOOTSTRAP_TOKEN, type RunningServer, startServer } from '../support/process/processes.ts';
import { readUntil } from '../support/time/until.ts';

// The halves of the browser in docs/guides/embed-a-dashboard.md, as they stand there, in two origins.

const PAGE = 'docs/guides/embed-a-dashboard.md';
const EXAMPLE = join(import.meta.dirname, '..', '..', 'examples', 'renderer');

let directory: string;
let service: RunningServer;
let host: Server;
let site: string;
let dashboard: ChildProcess;
let dashboards: string;
let browser: Browser;
let page: Page;
/** The script of the page at `site`, and the tokens that its backend has issued. */
let script: string;
let issued: string[];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-embedded-'));
  service = await startServer({ DATA_DIR: join(directory, 'data') });
  await service.api.put({
    ...{ user_group_id: 'acme', name: 'Acme EMEA' },
    ...{ mapping: { sales: 'warehouse-acme' }, properties: { region: 'EMEA', max_rows: 6 } },
  });
  host = createServer((request, response) => void respond(request, response));
  site = await listen(host);
  const { seed } = (await import(join(EXAMPLE, 'seed.mjs'))) as { seed: (to: string) => void };
  seed(join(directory, 'data-sources'));
  dashboard = spawn(process.execPath, [join(EXAMPLE, 'server.mjs')], {
    env: {
      ...{ PATH: process.env['PATH'], SERVICE_URL: service.baseUrl, API_TOKEN: BOOTSTRAP_TOKEN },
      ...{
        DATA_SOURCES_DIR: join(directory, 'data-sources'),
        AUDIENCE: 'dashboards',
        EMBEDDED_BY: site,
      },
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  dashboard.stderr!.on('data', noteLog);
  const [line] = (await once(createInterface({ input: dashboard.stdout! }), 'line')) as [string];
  dashboards = line.slice('renderer '.length);
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
  dashboard.kill('SIGKILL');
  host.close();
  host.closeAllConnections();
  await service.stop();
  noteDump(readFileSync(join(directory, 'data', 'user-groups.sqlite')));
  rmSync(directory, { recursive: true });
});

beforeEach(async () => {
  issued = [];
  page = await (await browser.newContext()).newPage();
});

afterEach(() => page.context().close());

const framed = () => page.frameLocator('iframe');
const viewer = () => framed().locator('#viewer').innerText();

test('the page in the frame gets its token by a message, and another one after a rotation', async () => {
  const addresses: string[] = [];
  page.on('request', (request) => addresses.push(request.url()));
  await showDashboardAt(site);
  expect(await readUntil('Acme EMEA is viewing', viewer)).toBe('Acme EMEA is viewing');
  const [first] = issued;
  const current = await service.api.get({ user_group_id: 'acme' });
  await service.api.post({ current_token: current.body.user_group.token });
  await service.api.put({ user_group_id: 'acme', name: 'Acme Europe' });
  // The ended token is refused once, and the page around the frame asks its backend for the next.
  expect(await readUntil('Acme Europe is viewing', viewer)).toBe('Acme Europe is viewing');
  expect(issued.length).toBeGreaterThan(1);
  for (const address of addresses) expect(address).not.toContain(first);
});

test('a viewer who may see no dashboard is refused in the frame', async () => {
  await service.api.call('POST', '/api/v1/user-groups/acme/suspend');
  await showDashboardAt(site);
  await framed().locator('main[data-state=refused]').waitFor();
  await service.api.call('POST', '/api/v1/user-groups/acme/resume');
});

test('another site cannot show the page in a frame', async () => {
  const refused = page.waitForEvent('console', (message) =>
    message.text().includes('frame-ancestors'),
  );
  await showDashboardAt(site.replace('127.0.0.1', 'localhost'));
  await refused;
  expect(await readUntil(0, () => framed().locator('main').count())).toBe(0);
});

test('a page may call the renderer from the origin that the renderer allows, and from no other', async () => {
  const file = join(directory, 'cors.mjs');
  writeFileSync(file, marked(PAGE, 'cors'));
  const { allowPages } = (await import(file)) as {
    allowPages: (request: IncomingMessage, response: ServerResponse, origin: string) => boolean;
  };
  const authorizations: (string | undefined)[] = [];
  const renderer = createServer((request, response) => {
    if (allowPages(request, response, site)) return;
    authorizations.push(request.headers.authorization);
    response.writeHead(authorizations.length === 1 ? 401 : 200).end('rows');
  });
  script = `${marked(PAGE, 'page')}\n${marked(PAGE, 'call')}
    const shown = await load('${await listen(renderer)}/').then((response) => response.text(), () => 'not allowed');
    document.querySelector('p').textContent = shown;`;
  const shown = () => page.locator('p').innerText();
  await page.goto(site);
  expect(await readUntil('rows', shown)).toBe('rows');
  expect(authorizations).toEqual(issued.map((token) => `Bearer ${token}`));
  expect(authorizations).toHaveLength(2);
  await page.goto(site.replace('127.0.0.1', 'localhost'));
  expect(await readUntil('not allowed', shown)).toBe('not allowed');
  renderer.close();
  renderer.closeAllConnections();
});

async function showDashboardAt(address: string): Promise<void> {
  script = `${marked(PAGE, 'page')}\n${marked(PAGE, 'host')}
    showDashboard(document.querySelector('iframe'), '${dashboards}');`;
  await page.goto(address);
}

/** Responds as the host application does: with its page, and with embed tokens of Acme. */
async function respond({ method }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (method === 'GET') {
    const html = `<!doctype html><link rel="icon" href="data:,"><p></p><iframe></iframe><script type="module">${script}</script>`;
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(html);
    return;
  }
  const { status, body } = await service.api.call('POST', '/api/v1/user-groups/acme/embed-tokens', {
    ...{ audience: 'dashboards', origin: site },
  });
  if (status >= 300) {
    response.writeHead(403).end();
    return;
  }
  issued.push(body.embed_token.token);
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ token: body.embed_token.token, expires_in: 600 }));
}

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
