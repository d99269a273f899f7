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
import { minifiedHelper } from '../support/code/minified-helper.ts';
import { noteDump, noteLog } from '../support/jest/leaks.ts';
import { marked } from '../support/api/pages.ts';
import { BOOTSTRAP_TOKEN, type RunningServer, startServer } from '../support/process/processes.ts';
import { readUntil } from '../support/time/until.ts';

// The halves of the browser in docs/guides/embed-a-dashboard.md, as they stand there, in two origins.

const PAGE = 'docs/guides/embed-a-dashboard.md';
const HELPER = minifiedHelper();
const EXAMPLE = join(import.meta.dirname, '..', '..', 'examples', 'renderer');

let directory: string;
let service: RunningServer;
let host: Server;
let site: string;
let dashboard: ChildProcess;
let dashboards: string;
let browser: Browser;
let page: Page;
/** The script of the page at `site`, and the tokens that its backend has issued, each with its group. */
let script: string;
let issued: { to: string; token: string }[];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-embedded-'));
  service = await startServer({ DATA_DIR: join(directory, 'data') });
  await service.api.put({
    user_group_id: 'acme',
    name: 'Acme EMEA',
    mapping: { sales: 'warehouse-acme' },
    properties: { region: 'EMEA', max_rows: 6 },
  });
  await service.api.put({
    user_group_id: 'globex',
    name: 'Globex APAC',
    mapping: { sales: 'warehouse-globex' },
    properties: { region: 'APAC', max_rows: 4 },
  });
  host = createServer((request, response) => void respond(request, response));
  site = await listen(host);
  const { seed } = (await import(join(EXAMPLE, 'seed.mjs'))) as { seed: (to: string) => void };
  seed(join(directory, 'data-sources'));
  dashboard = spawn(process.execPath, [join(EXAMPLE, 'server.mjs')], {
    env: {
      PATH: process.env['PATH'],
      SERVICE_URL: service.baseUrl,
      API_TOKEN: BOOTSTRAP_TOKEN,
      DATA_SOURCES_DIR: join(directory, 'data-sources'),
      AUDIENCE: 'dashboards',
      EMBEDDED_BY: site,
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
  const [first] = issued.map(({ token }) => token);
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

test('a viewer who may see no dashboard is told so by the page, too', async () => {
  await service.api.call('POST', '/api/v1/user-groups/acme/suspend');
  await showDashboardAt(site);
  const text = 'You cannot see this dashboard now.';
  expect(await readUntil(text, () => page.locator('p').innerText())).toBe(text);
  await service.api.call('POST', '/api/v1/user-groups/acme/resume');
});

test('two dashboards of two tenants on one page have a token each, and the end of one leaves the other', async () => {
  script = `${marked(PAGE, 'host')}
    for (const group of ['acme', 'globex']) {
      const frame = document.body.appendChild(document.createElement('iframe'));
      frame.name = group;
      const show = (text) => (document.querySelector('p').textContent += group + ': ' + text);
      showDashboard(frame, '${dashboards}', { from: '/dashboard-token/' + group, show });
    }`;
  await page.goto(site);
  const shownTo = (group: string) =>
    page.frameLocator(`iframe[name=${group}]`).locator('#viewer').innerText();
  const acme = 'Acme Europe is viewing';
  const globex = 'Globex APAC is viewing';
  expect(await readUntil(acme, () => shownTo('acme'))).toBe(acme);
  expect(await readUntil(globex, () => shownTo('globex'))).toBe(globex);
  expect(issued.map(({ to }) => to).sort()).toEqual(['acme', 'globex']);

  await service.api.call('POST', '/api/v1/user-groups/acme/suspend');
  const told = 'acme: You cannot see this dashboard now.';
  expect(await readUntil(told, () => page.locator('p').innerText())).toBe(told);
  const refused = page.frameLocator('iframe[name=acme]').locator('main[data-state=refused]');
  await refused.waitFor();
  // The other goes on: it follows a change that came later.
  await service.api.put({ user_group_id: 'globex', name: 'Globex Asia' });
  const later = 'Globex Asia is viewing';
  expect(await readUntil(later, () => shownTo('globex'))).toBe(later);
  expect(issued.map(({ to }) => to).sort()).toEqual(['acme', 'globex']);
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
  script = `${marked(PAGE, 'call')}
    const shown = await load('${await listen(renderer)}/').then((response) => response.text(), () => 'not allowed');
    document.querySelector('p').textContent = shown;`;
  const shown = () => page.locator('p').innerText();
  await page.goto(site);
  expect(await readUntil('rows', shown)).toBe('rows');
  expect(authorizations).toEqual(issued.map(({ token }) => `Bearer ${token}`));
  expect(authorizations).toHaveLength(2);
  await page.goto(site.replace('127.0.0.1', 'localhost'));
  expect(await readUntil('not allowed', shown)).toBe('not allowed');
  renderer.close();
  renderer.closeAllConnections();
});

async function showDashboardAt(address: string): Promise<void> {
  script = `${marked(PAGE, 'host')}
    const show = (text) => (document.querySelector('p').textContent = text);
    showDashboard(document.querySelector('iframe'), '${dashboards}', { show });`;
  await page.goto(address);
}

/** Responds as the host application does: with its page, and with embed tokens of Acme, or of the group that the address ends with. */
async function respond({ method, url }: IncomingMessage, response: ServerResponse): Promise<void> {
  if (url === '/embed.js') {
    response.writeHead(200, { 'Content-Type': 'text/javascript' }).end(HELPER);
    return;
  }
  if (method === 'GET') {
    const html = `<!doctype html><link rel="icon" href="data:,"><p></p><iframe></iframe><script type="module">${script.replace('@user-group-service/embed', '/embed.js')}</script>`;
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(html);
    return;
  }
  const to = url!.split('/')[2] ?? 'acme';
  const { status, body } = await service.api.call(
    'POST',
    `/api/v1/user-groups/${to}/embed-tokens`,
    {
      audience: 'dashboards',
      origin: site,
    },
  );
  if (status >= 300) {
    response.writeHead(403).end();
    return;
  }
  issued.push({ to, token: body.embed_token.token });
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ token: body.embed_token.token, expires_in: 600 }));
}

async function listen(server: Server): Promise<string> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
