import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { launchBrowser } from '../system/lab/chromium.mjs';
import { minifiedHelper } from '../support/code/minified-helper.ts';
import { readUntil, until } from '../support/time/until.ts';

// The helper of pages as it is published, in Chromium: the page and the frame are of different sites.

const HELPER = minifiedHelper();
const HOUR_MS = 3_600_000;

let host: Server;
let renderer: Server;
let site: string;
let dashboards: string;
let browser: Browser;
let page: Page;
let cdp: CDPSession;
/** The requests for a token, and the response to the next ones. */
let requests: IncomingMessage[];
let addresses: string[];
let complaints: string[];
let respond: (response: ServerResponse) => void;

const token = (name: string) => (response: ServerResponse) => {
  response.writeHead(200, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify({ token: name, expires_in: 600 }));
};
const status = (code: number) => (response: ServerResponse) => {
  response.writeHead(code).end();
};

const PAGE = () => `<!doctype html><link rel="icon" href="data:,"><iframe></iframe>
  <script type="module">
    import { keepTokenFresh } from '/embed.js';
    const frame = document.querySelector('iframe');
    window.told = [];
    window.begun = performance.now();
    window.fresh = keepTokenFresh({
      from: '/dashboard-token', frame, origin: '${dashboards}',
      onEnd: (reason) => told.push(reason), onBack: () => told.push('back'),
    });
    frame.src = '${dashboards}/';
  </script>`;
const FRAME = () => `<!doctype html><link rel="icon" href="data:,"><ol></ol><script>
    window.say = (more) => parent.postMessage({ type: 'token-wanted', ...more }, '${site}');
    addEventListener('message', ({ source, origin, data }) => {
      if (source !== parent || origin !== '${site}' || data.type !== 'token') return;
      document.querySelector('ol').append(Object.assign(document.createElement('li'), { textContent: String(data.userGroupToken) }));
    });
    say();
  </script>`;

beforeAll(async () => {
  host = createServer((request, response) => {
    addresses.push(request.url!);
    if (request.method === 'POST') {
      requests.push(request);
      respond(response);
      return;
    }
    const isScript = request.url === '/embed.js';
    response.writeHead(200, { 'Content-Type': isScript ? 'text/javascript' : 'text/html' });
    response.end(isScript ? HELPER : PAGE());
  });
  renderer = createServer((request, response) => {
    addresses.push(request.url!);
    response.writeHead(200, { 'Content-Type': 'text/html' }).end(FRAME());
  });
  site = `http://127.0.0.1:${await listen(host)}`;
  dashboards = `http://localhost:${await listen(renderer)}`;
  browser = await launchBrowser();
});

afterAll(async () => {
  await browser.close();
  for (const server of [host, renderer]) {
    server.close();
    server.closeAllConnections();
  }
});

beforeEach(async () => {
  [requests, addresses, complaints] = [[], [], []];
  respond = (response) => token(`t${requests.length}`)(response);
  page = await (await browser.newContext()).newPage();
  page.on('pageerror', (error) => complaints.push(error.message));
  page.on('console', (message) => {
    // The browser itself says so of each refusal.
    if (!message.text().startsWith('Failed to load resource')) complaints.push(message.text());
  });
  cdp = await page.context().newCDPSession(page);
  await page.goto(site);
  expect(await readUntil(['t1'], handed)).toEqual(['t1']);
});

afterEach(async () => {
  expect(complaints).toEqual([]);
  expect(addresses.filter((address) => /t\d/.test(address))).toEqual([]);
  await page.context().close();
});

const handed = () => page.frameLocator('iframe').locator('li').allInnerTexts();
const told = () => page.evaluate<string[]>('told');

/** Lets the frame say that its renderer refuses the token. */
const refuse = (refused: string) =>
  page
    .frameLocator('iframe')
    .locator('ol')
    .evaluate((_, name) => {
      (globalThis as unknown as { say: (more: object) => void }).say({ refused: name });
    }, refused);

/** The time of the page passes without a wait, for its timers and its monotonic clock alike. */
async function pass(seconds: number): Promise<void> {
  const passed = new Promise((settle) => cdp.once('Emulation.virtualTimeBudgetExpired', settle));
  await cdp.send('Emulation.setVirtualTimePolicy', {
    policy: 'pauseIfNetworkFetchesPending',
    budget: seconds * 1000,
  });
  await passed;
}

/** Sets a clock of the page, and leaves the other as it is. */
const moveClock = (clock: 'Date' | 'performance', ms: number) =>
  page.evaluate(
    ([name, by]) => {
      const moved = name === 'Date' ? Date : performance;
      const now = moved.now.bind(moved);
      moved.now = () => now() + by;
    },
    [clock, ms] as const,
  );

const sleepAndWake = async () => {
  await cdp.send('Page.setWebLifecycleState', { state: 'frozen' });
  await cdp.send('Page.setWebLifecycleState', { state: 'active' });
  await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))");
};

test('at 80 % of its life the token is renewed, in the page that is open', async () => {
  // From here on the time of the page stands still: what has passed of the token's life is known.
  await pass(1);
  const lived = (await page.evaluate<number>('performance.now() - begun')) / 1000;
  await pass(479 - lived);
  expect(requests).toHaveLength(1);
  await pass(lived + 2);
  expect(await readUntil(['t1', 't2'], handed)).toEqual(['t1', 't2']);
  expect(requests.map(({ headers }) => headers['cache-control'])).toEqual(['no-cache', 'no-cache']);
});

test.each(['Date', 'performance'] as const)(
  'a laptop that slept for hours by %s alone has a new token when it wakes',
  async (clock) => {
    await moveClock(clock, 8 * HOUR_MS);
    await sleepAndWake();
    expect(await readUntil(['t1', 't2'], handed)).toEqual(['t1', 't2']);
    expect(await told()).toEqual([]);
  },
);

test('a laptop that wakes without an event has a new token within half a minute', async () => {
  await moveClock('Date', 8 * HOUR_MS);
  await pass(31);
  expect(await readUntil(['t1', 't2'], handed)).toEqual(['t1', 't2']);
});

test('a laptop that wakes while its network is away goes on when it is online', async () => {
  await page.context().setOffline(true);
  await moveClock('Date', 8 * HOUR_MS);
  await sleepAndWake();
  expect(await readUntil(['network'], told)).toEqual(['network']);
  await page.context().setOffline(false);
  expect(await readUntil(['network', 'back'], told)).toEqual(['network', 'back']);
  expect(await readUntil(['t1', 't2'], handed)).toEqual(['t1', 't2']);
});

test('a clock that is set back an hour delays no renewal', async () => {
  await moveClock('Date', -HOUR_MS);
  await pass(31);
  // The clocks differ, so the token is renewed to be sure, once.
  expect(await readUntil(['t1', 't2'], handed)).toEqual(['t1', 't2']);
  await pass(440);
  expect(requests).toHaveLength(2);
  await pass(45);
  expect(await readUntil(['t1', 't2', 't3'], handed)).toEqual(['t1', 't2', 't3']);
});

test('a token that is ended while the page is open is replaced', async () => {
  await refuse('t1');
  expect(await readUntil(['t1', 't2'], handed)).toEqual(['t1', 't2']);
  expect(await told()).toEqual([]);
});

test('a token that is ended, and for which the host has no other, is the end for the page and the frame', async () => {
  respond = status(403);
  await refuse('t1');
  expect(await readUntil(['ended'], told)).toEqual(['ended']);
  expect(await readUntil(['t1', 'null'], handed)).toEqual(['t1', 'null']);
});

test('a renderer that refuses the new token, too, is the end', async () => {
  await refuse('t1');
  expect(await readUntil(['t1', 't2'], handed)).toEqual(['t1', 't2']);
  await refuse('t2');
  expect(await readUntil(['ended'], told)).toEqual(['ended']);
  expect(await readUntil(['t1', 't2', 'null'], handed)).toHaveLength(3);
  expect(requests).toHaveLength(2);
});

test('a page of another origin in the frame gets no token', async () => {
  const other = dashboards.replace('localhost', '127.0.0.1');
  await page.evaluate(`document.querySelector('iframe').src = '${other}/'`);
  await until(() => page.frames()[1]?.url().startsWith('http://127.0.0.1') === true);
  await page.frames()[1]!.waitForLoadState();
  await page.frames()[1]!.evaluate('say()');
  // The page has heard the question once it hears a later one of itself.
  await page.evaluate(`new Promise((settle) => {
    addEventListener('message', () => settle(), { once: true });
    postMessage('later');
  })`);
  expect(await handed()).toEqual([]);
  expect(requests).toHaveLength(1);
});

test('stop leaves no request behind', async () => {
  await page.evaluate('fresh.stop()');
  await moveClock('Date', 8 * HOUR_MS);
  await sleepAndWake();
  await pass(1200);
  expect(requests).toHaveLength(1);
});

async function listen(server: Server): Promise<number> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return (server.address() as AddressInfo).port;
}
