import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { Browser, Page } from 'playwright-core';
import { AUDIENCE, COOKIE, fieldsOf, ORIGIN } from '../forward-auth/gateway.ts';
import { launchBrowser } from '../system/lab/chromium.mjs';
import { marked } from '../support/api/pages.ts';
import { minifiedHelper } from '../support/code/minified-helper.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { selfSignedCertificate } from '../support/servers/certificate.ts';
import { EmbedGateway, type Passed } from '../support/servers/embed-gateway.ts';
import { withService } from '../support/test-service.ts';
import { readUntil } from '../support/time/until.ts';

// The page that makes the token of a frame a cookie, in Chromium without third-party cookies: three sites, by HTTPS.

const HELPER = minifiedHelper();
const OTHER = 'https://other.example.org';
const DASHBOARDS = 'https://dashboards.example.net';
const REFUSED = 'You cannot see this dashboard now.';
const AWAY = 'No connection. It is tried again.';

onEachDatabase((kind) => {
  const service = withService(kind);
  let gateway: EmbedGateway;
  let host: Server;
  let browser: Browser;
  let page: Page;
  /** The number of tokens that the host has issued, and what they are for. */
  let issued: number;
  let addressee: object;

  beforeAll(async () => {
    gateway = new EmbedGateway(() => service.baseUrl, fieldsOf(service, {}));
    host = createServer(selfSignedCertificate('app.example.com'));
    host.on('request', (asked: IncomingMessage, response: ServerResponse) => {
      void respond(asked, response);
    });
    await once(host.listen(0, '127.0.0.1'), 'listening');
    const hostAt = `127.0.0.1:${(host.address() as AddressInfo).port}`;
    const places = [ORIGIN, OTHER].map((site) => `MAP ${new URL(site).host} ${hostAt}`);
    places.push(`MAP ${new URL(DASHBOARDS).host} 127.0.0.1:${await gateway.listen()}`);
    browser = await launchBrowser([
      '--test-third-party-cookie-phaseout',
      // The list of Playwright is replaced: it has the partitions, without which the former does nothing.
      '--disable-features=Translate',
      '--ignore-certificate-errors',
      `--host-resolver-rules=${places.join(',')}`,
    ]);
  });

  afterAll(async () => {
    await browser.close();
    gateway.close();
    host.close();
    host.closeAllConnections();
  });

  beforeEach(async () => {
    const body = { mapping: { sales: 'w' }, properties: { region: 'EMEA' } };
    await service.api.put({ user_group_id: 'acme', name: 'A', ...body });
    [issued, addressee] = [0, {}];
    gateway.passed.length = 0;
    page = await (await browser.newContext()).newPage();
  });

  afterEach(() => page.context().close());

  const session = () => page.frameLocator('#dashboard');
  const dashboard = () => session().frameLocator('iframe');
  const text = (selector: string) => dashboard().locator(selector).innerText();
  const passed = (line: string) => gateway.passed.filter((one) => one.line === line);
  const last = (line: string) => Promise.resolve(passed(line).at(-1));
  const letIn = (line: string, status = 200): Passed => ({ line, cookies: [COOKIE], status });
  const told = () => page.evaluate<string[]>('told');

  /** Opens the page of a site around the page of the session, and waits for the dashboard. */
  async function openDashboard(): Promise<void> {
    await page.goto(`${ORIGIN}/`);
    expect(await readUntil('acme at /sales', () => text('p'))).toBe('acme at /sales');
  }

  async function respond({ method, url }: IncomingMessage, response: ServerResponse) {
    if (method === 'POST') {
      const body = { audience: AUDIENCE, origin: ORIGIN, ...addressee };
      const at = '/api/v1/user-groups/acme/embed-tokens';
      const { embed_token: token } = (await service.api.call('POST', at, body)).body;
      issued++;
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ token: token.token, expires_in: 600 }));
      return;
    }
    const isScript = url === '/embed.js';
    response.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' });
    response.end(isScript ? HELPER : PAGES[url!]);
  }

  test('a browser without third-party cookies keeps and sends the partitioned cookie alone', async () => {
    await page.goto(`${DASHBOARDS}/plain`);
    await page.goto(`${DASHBOARDS}/sales`);
    expect(passed('GET /sales')).toEqual([{ line: 'GET /sales', cookies: ['plain'], status: 401 }]);
    gateway.passed.length = 0;
    await openDashboard();
    expect(await readUntil('live', () => text('i'))).toBe('live');
    expect(await text('b')).toBe('drawn');
    for (const line of ['GET /sales', 'GET /asset.js']) {
      expect(passed(line)).toEqual([letIn(line)]);
    }
    expect(passed('GET /live')).toEqual([letIn('GET /live', 101)]);
    const [cookie] = (await page.context().cookies()).filter(({ name }) => name === COOKIE);
    expect(cookie).toMatchObject({
      httpOnly: true,
      secure: true,
      sameSite: 'None',
      path: '/',
      partitionKey: 'https://example.com',
    });
  });

  test('another site around the dashboard, or none, has no cookie', async () => {
    await openDashboard();
    await page.goto(`${OTHER}/direct`);
    const nobody = { line: 'GET /sales', cookies: [], status: 401 };
    expect(await readUntil(nobody, () => last('GET /sales'))).toEqual(nobody);
    await page.goto(`${DASHBOARDS}/sales`);
    expect(passed('GET /sales')).toEqual([letIn('GET /sales'), nobody, nobody]);
    await page.goto(`${ORIGIN}/direct`);
    expect(await readUntil('acme at /sales', () => session().locator('p').innerText())).toBe(
      'acme at /sales',
    );
    expect(passed('GET /sales')).toHaveLength(4);
  });

  test('another site cannot show the page of the session', async () => {
    const refused = page.waitForEvent('console', (message) =>
      message.text().includes('frame-ancestors'),
    );
    await page.goto(`${OTHER}/`);
    await refused;
    expect(passed('POST /_embed')).toEqual([]);
  });

  test('a message of another origin sets nothing', async () => {
    const posts: string[] = [];
    page.on('request', (sent) => {
      if (sent.url().startsWith(DASHBOARDS)) posts.push(sent.method());
    });
    const at = '/api/v1/user-groups/acme/embed-tokens';
    const body = { audience: AUDIENCE, origin: ORIGIN };
    const { token } = (await service.api.call('POST', at, body)).body.embed_token;
    await page.goto(`${ORIGIN}/strange`);
    const [, ofSession, ofStranger] = page.frames();
    expect(new URL(ofStranger!.url()).origin).toBe(OTHER);
    await ofSession!.evaluate(`window.heard = new Promise((settle) => {
      addEventListener('message', ({ origin }) => settle(origin));
    });0`);
    const message = JSON.stringify({ type: 'token', userGroupToken: token });
    await ofStranger!.evaluate(`parent.frames[0].postMessage(${message}, '*')`);
    const heard = await ofSession!.evaluate('heard');
    expect(heard).toBe(OTHER);
    const status = await ofSession!.evaluate(`fetch('/sales').then(({ status }) => status)`);
    expect(status).toBe(401);
    expect(posts).toEqual(['GET', 'GET']);
    expect(await page.context().cookies()).toEqual([]);
  });

  test.each([
    ['another audience', { audience: 'https://x.example.com' }, {}],
    ['a group without a data source', {}, { mapping: {} }],
  ])('a token of %s is refused in words, and the host is told', async (_name, own, change) => {
    addressee = own;
    await service.api.put({ user_group_id: 'acme', ...change });
    await page.goto(`${ORIGIN}/`);
    expect(await readUntil(['ended'], told)).toEqual(['ended']);
    const shown = () => session().locator('p').innerText();
    expect(await readUntil(REFUSED, shown)).toBe(REFUSED);
    expect(issued).toBe(2);
    expect(passed('GET /sales')).toEqual([]);
    expect(await page.context().cookies()).toEqual([]);
  });

  test('an ended token is refused at the next request, and another lets in again', async () => {
    await openDashboard();
    const current = await service.api.get({ user_group_id: 'acme' });
    await service.api.post({ current_token: current.body.user_group.token });
    await page.evaluate('window.isSame = true');
    await dashboard().locator('a').click();
    expect(await readUntil('acme at /more', () => text('p'))).toBe('acme at /more');
    expect(passed('GET /more')).toEqual([letIn('GET /more', 401), letIn('GET /more')]);
    const isSame = await page.evaluate('isSame');
    expect([issued, isSame]).toEqual([2, true]);
    expect(await told()).toEqual([]);
  });

  test('the end of the session takes the dashboard and the cookie away', async () => {
    await openDashboard();
    await page.evaluate(
      `document.querySelector('iframe').contentWindow.postMessage({ type: 'token', userGroupToken: null }, '${DASHBOARDS}')`,
    );
    const shown = () => session().locator('p').innerText();
    expect(await readUntil(REFUSED, shown)).toBe(REFUSED);
    expect(await readUntil('about:blank', () => Promise.resolve(page.frames()[2]!.url()))).toBe(
      'about:blank',
    );
    expect(await page.context().cookies()).toEqual([]);
  });

  test('a gateway that cannot say is asked again, and the viewer reads so', async () => {
    let isAway = true;
    await page.clock.install();
    await page.route(`${DASHBOARDS}/_embed`, (route) =>
      isAway && route.request().method() === 'POST'
        ? route.fulfill({ status: 503 })
        : route.continue(),
    );
    await page.goto(`${ORIGIN}/`);
    const shown = () => session().locator('p').innerText();
    expect(await readUntil(AWAY, shown)).toBe(AWAY);
    isAway = false;
    await page.clock.runFor(5000);
    expect(await readUntil('acme at /sales', () => text('p'))).toBe('acme at /sales');
    expect(await readUntil('', shown)).toBe('');
    expect(issued).toBe(1);
  });
});

const FRAME = '<!doctype html><link rel="icon" href="data:,"><iframe id="dashboard"></iframe>';
const frameAt = (place: string) => `<script>
    document.querySelector('#dashboard').src = '${DASHBOARDS}${place}';
  </script>`;

/** The script of the guide, which hears of the end. */
const SCRIPT = `window.told = [];${marked('docs/guides/gateways.md', 'frame')}`
  .replace('@user-group-service/embed', '/embed.js')
  .replaceAll('https://dashboards.example.com', DASHBOARDS)
  .replace('frame,', 'frame, onEnd: (reason) => told.push(reason),');

/** The pages of the sites around the dashboard, by their address. */
const PAGES: Record<string, string> = {
  '/': `${FRAME}<script type="module">${SCRIPT}</script>`,
  '/direct': FRAME + frameAt('/sales'),
  '/strange': `${FRAME}${frameAt('/_embed#/sales')}<iframe src="${OTHER}/stranger"></iframe>`,
  '/stranger': '<!doctype html><link rel="icon" href="data:,">',
};
