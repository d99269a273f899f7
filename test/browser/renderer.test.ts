import BetterSqlite3 from 'better-sqlite3';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Browser, Page, Request } from 'playwright-core';
import { ApiClient } from '../support/api/api-client.ts';
import { launchBrowser } from '../system/lab/chromium.mjs';
import { noteDump, noteLog, noteTokens } from '../support/jest/leaks.ts';
import { readUntil } from '../support/time/until.ts';

const EXAMPLE = join(import.meta.dirname, '..', '..', 'examples', 'renderer');
const ACME = {
  user_group_id: 'acme-emea',
  name: 'Acme EMEA',
  mapping: { sales: 'warehouse-acme' },
  properties: { region: 'EMEA', max_rows: 6 },
};
const ACME_PRODUCTS = [
  'Backpacks',
  'Boots',
  'Lanterns',
  'Maps',
  'Sleeping bags',
  'Stoves',
  'Tents',
];

const children = new Set<ChildProcess>();
const requests: Request[] = [];
const complaints: string[] = [];
let directory: string;
let example: { process: ChildProcess; links: [string, string]; tokenFile: string; base: string };
let api: ApiClient;
let browser: Browser;
let page: Page;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-renderer-'));
  example = await startExample();
  api = new ApiClient(example.base, readFileSync(example.tokenFile, 'utf8').trim());
  browser = await launchBrowser();
});

afterAll(async () => {
  await Promise.all([...children].map(end));
  await browser.close();
  rmSync(directory, { recursive: true });
});

beforeEach(async () => {
  await api.put(ACME);
  const context = await browser.newContext();
  page = await context.newPage();
  page.on('request', (request) => requests.push(request));
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The browser itself says so of each refusal.
    const isRefusal = message.text().startsWith('Failed to load resource');
    if (message.type() === 'error' && !isRefusal) complaints.push(message.text());
  });
});

afterEach(() => page.context().close());

test('each tenant sees the rows of its own data source and region, and no others', async () => {
  const [acme, globex] = example.links;
  await open(acme);
  const ofAcme = storedProducts('acme', ACME.properties);
  expect(ofAcme).toHaveLength(6);
  expect(await readUntil(ofAcme, shownProducts)).toEqual(ofAcme);
  expect(await readUntil('Acme EMEA is viewing', shownViewer)).toBe('Acme EMEA is viewing');
  await open(globex);
  const ofGlobex = storedProducts('globex', { region: 'APAC', max_rows: 4 });
  expect(ofGlobex).toHaveLength(4);
  expect(await readUntil(ofGlobex, shownProducts)).toEqual(ofGlobex);
  expect(await readUntil('Globex APAC is viewing', shownViewer)).toBe('Globex APAC is viewing');
  for (const product of await shownProducts()) expect(ACME_PRODUCTS).not.toContain(product);
});

test('the months that the viewer chooses change the rows', async () => {
  await open(await acmeLink());
  await page.locator('select[name=to]').selectOption('2026-01');
  const month = { ...ACME.properties, to: '2026-01' };
  const wanted = storedRevenue('acme', month);
  expect(wanted).not.toEqual(storedRevenue('acme', ACME.properties));
  await expect(readUntil(wanted, shownRevenue)).resolves.toEqual(wanted);
});

test('a property that changes changes the rows', async () => {
  await open(await acmeLink());
  for (const properties of [
    { region: 'AMER', max_rows: 6 },
    { region: 'AMER', max_rows: 2 },
  ]) {
    const wanted = storedProducts('acme', properties);
    expect(wanted).not.toEqual(await shownProducts());
    await api.put({ user_group_id: 'acme-emea', properties });
    await expect(readUntil(wanted, shownProducts)).resolves.toEqual(wanted);
  }
});

test('a mapping that changes changes the data source', async () => {
  await open(await acmeLink());
  await api.put({ user_group_id: 'acme-emea', mapping: { sales: 'warehouse-globex' } });
  const wanted = storedProducts('globex', ACME.properties);
  await expect(readUntil(wanted, shownProducts)).resolves.toEqual(wanted);
});

test.each([
  "x' OR 1=1 --",
  "EMEA' --",
  "EMEA' UNION SELECT name, 1 FROM sqlite_schema --",
  "'; DROP TABLE sale; --",
  '%',
  '"region"',
  ':from',
  'EMEA\u0000',
])('a region is data, whatever it says: %j', async (region) => {
  const written = await api.put({
    user_group_id: 'acme-emea',
    properties: { region, max_rows: 6 },
  });
  // The renderer never sees a text that the service does not store.
  if (region.includes('\u0000')) {
    expect(written.status).toBe(422);
    return;
  }
  const { status, body } = await queryAsAcme();
  expect([status, body]).toEqual([200, expect.objectContaining({ rows: [] })]);
  expect(storedProducts('acme', ACME.properties)).toHaveLength(6);
});

test.each<[string, object]>([
  ['no property', {}],
  ['no region', { max_rows: 6 }],
  ['no limit', { region: 'EMEA' }],
  ['an empty region', { region: '', max_rows: 6 }],
  ['a list of regions', { region: ['EMEA', 'APAC'], max_rows: 6 }],
  ['an object for a region', { region: { '': 1 }, max_rows: 6 }],
  ['null for a region', { region: null, max_rows: 6 }],
  ['a number for a region', { region: 7, max_rows: 6 }],
  ['a limit as text', { region: 'EMEA', max_rows: '6' }],
  ['SQL for a limit', { region: 'EMEA', max_rows: '-1; DROP TABLE sale' }],
  ['a limit that is none', { region: 'EMEA', max_rows: -1 }],
  ['a limit of nothing', { region: 'EMEA', max_rows: 0 }],
  ['half a row', { region: 'EMEA', max_rows: 1.5 }],
  ['an enormous limit', { region: 'EMEA', max_rows: 1e15 }],
])('%s is no query', async (_name, properties) => {
  await api.put({ user_group_id: 'acme-emea', properties });
  const { status, body } = await queryAsAcme();
  expect([status, body]).toEqual([422, { code: 'variable_unusable', message: expect.any(String) }]);
});

test.each<[string, object]>([
  ['no mapping', {}],
  ['another schema', { billing: 'warehouse-acme' }],
  ['an unknown data source', { sales: 'warehouse-none' }],
  ['a number', { sales: 0 }],
  ['a path', { sales: '../data-sources/acme.sqlite' }],
  ['a name of a file', { sales: 'acme.sqlite' }],
  ['a name of a prototype', { sales: '__proto__' }],
  ['a name in another case', { sales: 'Warehouse-Acme' }],
])('%s leads to no data source', async (_name, mapping) => {
  await api.put({ user_group_id: 'acme-emea', mapping });
  const { status, body } = await queryAsAcme();
  expect([status, body['code']]).toEqual([422, 'data_source_unknown']);
});

test.each<[string, unknown, number]>([
  ['no JSON', '{', 400],
  ['null', 'null', 400],
  ['a list', '[]', 400],
  ['a month that is none', { from: "2026-01' OR 1=1 --" }, 400],
  ['a list of months', { to: ['2026-01'] }, 400],
  ['a token that is no text', { userGroupToken: { toString: 1 } }, 400],
  ['a list of tokens', { userGroupToken: ['x'] }, 400],
  ['a token of nobody', { userGroupToken: 'x' }, 401],
  ['very much', 'x'.repeat(100_000), 413],
])('a query of %s is refused', async (_name, body, status) => {
  expect((await query(body)).status).toBe(status);
});

test('what a tampered token, an API token or no token opens shows nothing', async () => {
  const token = await acmeToken();
  const tampered = token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'));
  for (const given of [tampered, token.slice(0, -1), readFileSync(example.tokenFile, 'utf8'), '']) {
    await open(linkFor(given), 'refused');
    expect(await readUntil(0, drawn)).toBe(0);
    expect(await readUntil('', shownViewer)).toBe('');
  }
});

test('an embed token for another renderer, or for the pages of another site, is refused', async () => {
  expect((await query({ userGroupToken: await embedToken({}) })).status).toBe(200);
  for (const body of [{ audience: 'another renderer' }, { origin: 'https://app.example.com' }]) {
    const token = await embedToken(body);
    expect(await api.isActive(token)).toBe(true);
    expect((await query({ userGroupToken: token })).status).toBe(403);
  }
});

test('while somebody views as a group a banner says who, as text, and the group itself sees none', async () => {
  const subject = '<img src=x onerror=alert(1)> Kim';
  await open(linkFor(await embedToken({ acting_for: { subject, reason: 'Ticket 4711' } })));
  const banner = `Viewed by ${subject} as Acme EMEA`;
  const acting = page.locator('#acting');
  expect(await readUntil(banner, () => acting.innerText())).toBe(banner);
  expect(await readUntil(true, () => acting.isVisible())).toBe(true);
  expect(await readUntil(0, () => page.locator('main img').count())).toBe(0);
  expect(await readUntil('', shownViewer)).toBe('');
  const products = storedProducts('acme', ACME.properties);
  expect(await readUntil(products, shownProducts)).toEqual(products);
  await api.call('PATCH', '/api/v1/workspace', { view_as: 'forbidden' });
  await state('refused').waitFor();
  expect(await readUntil('', () => acting.innerText())).toBe('');
  await api.call('PATCH', '/api/v1/workspace', { view_as: 'allowed' });
  await open(await acmeLink());
  expect(await readUntil(false, () => acting.isVisible())).toBe(false);
});

test('what a page asks for a second after its token was rotated is refused, and nothing stays', async () => {
  const token = await acmeToken();
  await open(linkFor(token));
  const shownAt: number[] = [];
  page.on('response', (response) => {
    if (response.ok()) shownAt.push(response.request().timing().startTime);
  });
  const rotation = await api.post({ current_token: token });
  const rotatedAt = Date.now();
  expect(rotation.status).toBe(200);
  await state('refused').waitFor();
  // Each time is that of the request: the load of the machine decides when the page asks again and draws.
  for (const time of shownAt) expect(time - rotatedAt).toBeLessThan(1000);
  expect(await readUntil(0, drawn)).toBe(0);
  await page
    .locator('#message')
    .getByText('It may have expired or been replaced. Trying again…')
    .waitFor();
  await open(linkFor(rotation.body.user_group.token));
});

test('a page that stays open shows its dashboard again once the group is resumed', async () => {
  await open(await acmeLink());
  await api.call('POST', '/api/v1/user-groups/acme-emea/suspend');
  await state('refused').waitFor();
  await api.call('POST', '/api/v1/user-groups/acme-emea/resume');
  await state('shown').waitFor();
});

test('the token is in no address after the page has loaded, and in no referrer', async () => {
  const token = await acmeToken();
  requests.length = 0;
  await open(linkFor(token));
  expect(page.url()).toBe(`${origin()}/`);
  expect(await readUntil(2, () => page.evaluate<number>('history.length'))).toBe(2);
  await page.goBack();
  expect(page.url()).not.toContain(token);
  const [first, ...rest] = requests;
  expect(first!.url()).toContain(token);
  expect(rest.length).toBeGreaterThan(3);
  for (const request of rest) {
    expect(request.url()).not.toContain(token);
    expect((await request.allHeaders())['referer']).toBeUndefined();
  }
});

test('the other name of the parameter works as well', async () => {
  await open((await acmeLink()).replace('userGroupToken', 'USER_GROUP_TOKEN'));
});

test('the name of a group is text, whatever it says', async () => {
  const name = '<img src=x onerror=alert(1)>';
  await api.put({ user_group_id: 'acme-emea', name });
  await open(await acmeLink());
  expect(await readUntil(`${name} is viewing`, shownViewer)).toBe(`${name} is viewing`);
  expect(await readUntil(0, () => page.locator('main img').count())).toBe(0);
});

test('no other site can embed the page unless the operator names it', async () => {
  const policy = (await fetch(origin())).headers.get('content-security-policy');
  expect(policy).toMatch(/default-src 'none'.*frame-ancestors 'none'/);
});

test('while the service is away the page says so, shows nothing, and goes on when it is back', async () => {
  const answers = { status: 503, body: '{"success":0}' };
  const service = createServer((_request, response) => {
    response.writeHead(answers.status, { 'Content-Type': 'application/json' }).end(answers.body);
  });
  await once(service.listen(0, '127.0.0.1'), 'listening');
  const { port } = service.address() as AddressInfo;
  const renderer = start('server.mjs', {
    SERVICE_URL: `http://127.0.0.1:${port}`,
    API_TOKEN: 'none',
    DATA_SOURCES_DIR: dataSources(),
  });
  const [own] = await printed(renderer, [/^renderer (\S+)$/m]);
  await open(`${own!}/?userGroupToken=x`, 'away');
  await page
    .locator('#message')
    .getByText('Nobody can say who is viewing just now. It is tried again.')
    .waitFor();
  answers.status = 200;
  const viewing = { ...ACME, active: true, token_type: 'user_group_token' };
  answers.body = JSON.stringify(viewing);
  await state('shown').waitFor();
  const odd = [
    [200, 'no JSON'],
    [500, answers.body],
    [401, answers.body],
    [302, answers.body],
    [200, JSON.stringify({ ...viewing, active: 'true' })],
  ] as const;
  for (const [status, body] of odd) {
    Object.assign(answers, { status, body });
    await state('away').waitFor();
    expect(await readUntil(0, drawn)).toBe(0);
    Object.assign(answers, { status: 200, body: JSON.stringify(viewing) });
    await state('shown').waitFor();
  }
  service.close();
  service.closeAllConnections();
});

test('nothing is asked of other computers, and nothing in the page fails', () => {
  const hosts = requests.map((request) => new URL(request.url()).hostname);
  expect(new Set(hosts)).toEqual(new Set(['127.0.0.1']));
  expect(complaints).toEqual([]);
});

test('Ctrl-C ends the service and the renderer, and removes what they stored', async () => {
  const database = join(dirname(example.tokenFile), 'user-groups.sqlite');
  for (const suffix of ['', '-wal']) noteDump(readFileSync(database + suffix));
  const ended = once(example.process, 'exit');
  example.process.kill('SIGINT');
  expect(await ended).toEqual([0, null]);
  await expect(fetch(origin())).rejects.toThrow();
  await expect(fetch(example.base)).rejects.toThrow();
  expect(readdirSync(directory)).toEqual([]);
});

const state = (name: string) => page.locator(`main[data-state=${name}]`);
const origin = () => new URL(example.links[0]).origin;
const linkFor = (token: string) => `${origin()}/?userGroupToken=${token}`;
const acmeLink = async () => linkFor(await acmeToken());
const dataSources = () => join(dirname(example.tokenFile), 'data-sources');

async function acmeToken(): Promise<string> {
  const { body } = await api.get({ user_group_id: 'acme-emea' });
  return body.user_group.token;
}

/** Queries with a token that the renderer has not seen, so that it asks the service and remembers nothing older. */
const queryAsAcme = async () => query({ userGroupToken: await embedToken({}) });

/** An embed token of Acme for this renderer, unless the body says otherwise. */
async function embedToken(body: object): Promise<string> {
  const path = '/api/v1/user-groups/acme-emea/embed-tokens';
  return (await api.call('POST', path, { audience: 'dashboards', ...body })).body.embed_token.token;
}

async function open(link: string, wanted = 'shown'): Promise<void> {
  await page.goto(link);
  await state(wanted).waitFor();
}

const shownProducts = () => page.locator('svg .product').allTextContents();
const shownViewer = () => page.locator('#viewer').innerText();
const drawn = () => page.locator('svg *').count();
const shownRevenue = () => page.locator('svg .revenue').allTextContents();

interface Variables {
  region: string;
  max_rows: number;
  to?: string;
}

/** Reads from a tenant's file the sales that a group with these variables may see. */
function storedSales(tenant: string, { region, max_rows, to = '9999' }: Variables) {
  const database = new BetterSqlite3(join(dataSources(), `${tenant}.sqlite`), { readonly: true });
  const sales = database.prepare<[], Sale>('SELECT * FROM sale').all();
  database.close();
  const totals = new Map<string, number>();
  for (const sale of sales.filter((sale) => sale.region === region && sale.month <= to)) {
    totals.set(sale.product, (totals.get(sale.product) ?? 0) + sale.amount);
  }
  return [...totals].sort(([, one], [, other]) => other - one).slice(0, max_rows);
}

interface Sale {
  region: string;
  month: string;
  product: string;
  amount: number;
}

function storedProducts(tenant: string, variables: Variables): string[] {
  return storedSales(tenant, variables).map(([product]) => product);
}

function storedRevenue(tenant: string, variables: Variables): string[] {
  return storedSales(tenant, variables).map(
    ([, revenue]) => `€${(revenue / 1000).toFixed(1).replace(/\.0$/, '')}K`,
  );
}

async function query(body: unknown): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetch(`${origin()}/query`, {
    method: 'POST',
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

async function startExample() {
  const child = start('run.mjs', { TMPDIR: directory });
  const [acme, globex, base, tokenFile] = await printed(child, [
    /Acme EMEA +(\S+)/,
    /Globex APAC +(\S+)/,
    /Service +(\S+)\/docs/,
    /API token +in (\S+)/,
  ]);
  return {
    process: child,
    links: [acme!, globex!] as [string, string],
    base: base!,
    tokenFile: tokenFile!,
  };
}

function start(script: string, env: Record<string, string>) {
  const child = spawn(process.execPath, [join(EXAMPLE, script)], {
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.stderr.on('data', noteLog);
  children.add(child);
  return child;
}

/** Asks for the end and waits for it, so that the processes which the child has started end too. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}

/** Returns the texts that the patterns capture in the output of the process, once every pattern matches. */
async function printed(child: ReturnType<typeof start>, patterns: RegExp[]): Promise<string[]> {
  let output = '';
  for await (const chunk of child.stdout) {
    output += String(chunk);
    const found = patterns.map((pattern) => pattern.exec(output)?.[1]);
    if (found.every((text) => text !== undefined)) {
      noteTokens(output);
      return found;
    }
  }
  throw new Error(`it ended too early:\n${output}`);
}
