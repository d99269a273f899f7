import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';
import { startService } from '../conformance/kit.mjs';
import { launchBrowser } from '../lab/chromium.mjs';
import { pageShell, startByPage } from '../lab/page-commands.mjs';
import { freePort } from '../lab/ports.mjs';
import { temporaryDirectory } from '../lab/processes.mjs';
import { Violated } from '../lab/report.mjs';
import { API_TOKEN } from '../lab/server.mjs';
import { openDirectory } from '../renderers/gateways.mjs';
import { settingsOf } from '../renderers/settings.mjs';

const DIST = fileURLToPath(new URL('../../../dist', import.meta.url));
const SUSPENDED = 'Acme: 401';
const REFUSED = 'You cannot see this dashboard now.';
/** The row of each group, and one that every filter hides. */
const SHOWN = { acme: 'Tents', globex: 'Sensors' };
const HIDDEN = 'Prototypes';
const FORGED = { 'X-User-Group': 'globex', 'X-User-Group-Data-Source': 'warehouse-globex' };
/** Bounds a step that fails. */
const timeout = 300_000;

/**
 * Runs the commands of docs/guides/shiny.md, and opens its dashboard in Chromium. GATEWAY_PICTURES names a directory for a
 * picture of each group.
 * @returns figures @throws Violated unless each of two groups sees its own rows, until it is suspended
 */
export async function showsTwoGroups() {
  const { url } = await startService();
  const ports = { 8080: await freePort(), 8081: await freePort(), 9000: await freePort() };
  const project = openDirectory();
  const shell = pageShell(temporaryDirectory(), {
    PATH: process.env.PATH,
    USER_GROUPS_URL: url,
    USER_GROUPS_TOKEN: API_TOKEN,
    CHECKOUT: checkoutWith(ports),
  });
  const start = (name, log, port, own) =>
    startByPage(shell, name, project, { log, port: ports[port], own });
  const nginx = { '127.0.0.1:8080': `127.0.0.1:${ports[8080]}` };
  shell('shiny.rows', project);
  const ends = [
    await start('shiny.start', 'shiny.log', 9000, { 'port = 9000': `port = ${ports[9000]}` }),
  ];
  shell('shiny.groups', project);
  ends.push(await start('shiny.nginx', 'nginx.log', 8080, {}));
  const seen = shell('shiny.headings', project, nginx).trim();
  const expected = settingsOf('shiny.seen', {});
  if (seen !== expected) throw new Violated([`the page shows ${expected}`, `and it is ${seen}`]);
  const own = { ...nginx, 'PORT=8081': `PORT=${ports[8081]}` };
  ends.push(await start('shiny.frame', 'host.log', 8081, own));
  const browser = await launchBrowser();
  const screen = new Screen(browser, `http://127.0.0.1:${ports[8081]}`);
  try {
    await screen.show();
    const suspended = shell('shiny.suspend', project, nginx).trim();
    if (suspended !== SUSPENDED) throw new Violated([suspended]);
    await screen.end(() => shell('shiny.end', project));
  } finally {
    await browser.close();
    for (const end of ends) end();
  }
  return '2 groups on the screen, each with its own rows; a suspended one is out when its WebSocket ends';
}

/** A directory with the files of a checkout that the page uses, with other ports. */
function checkoutWith(ports) {
  const checkout = temporaryDirectory();
  const folder = join(checkout, 'examples', 'shiny');
  mkdirSync(folder, { recursive: true });
  symlinkSync(DIST, join(checkout, 'dist'));
  const own = Object.fromEntries(
    Object.entries(ports).map(([theirs, port]) => [`127.0.0.1:${theirs}`, `127.0.0.1:${port}`]),
  );
  for (const [name, texts] of Object.entries({ app: {}, settings: own, host: {} })) {
    const file = { app: 'app.R', settings: 'settings.conf', host: 'host.mjs' }[name];
    writeFileSync(join(folder, file), settingsOf(`shiny.${name}`, texts));
  }
  return checkout;
}

/** The dashboard in the page of the host application. */
class Screen {
  /** A tab of each group, with its WebSocket. */
  open = {};

  constructor(browser, site) {
    this.browser = browser;
    this.site = site;
  }

  async show() {
    for (const id of Object.keys(SHOWN)) this.open[id] = await this.#openTab(id, {});
    const { tab } = await this.#openTab('acme', FORGED);
    await tab.close();
  }

  /** An open WebSocket outlives a suspension of Acme, and ends with `endConnections`: then Globex alone is let in again. */
  async end(endConnections) {
    const { acme, globex } = this.open;
    const isShown = acme.socket.waitForEvent('framereceived', says(SHOWN.acme));
    await dashboardOf(acme.tab).getByRole('button', { name: 'Again' }).click();
    await isShown;
    const isRefused = acme.tab.waitForEvent('console', {
      predicate: (message) => /WebSocket.*Authentication failed/.test(message.text()),
      timeout,
    });
    const isBack = globex.tab
      .waitForEvent('websocket', { timeout })
      .then((socket) => socket.waitForEvent('framereceived', says(SHOWN.globex)));
    endConnections();
    await Promise.all([isRefused, isBack]);
    await acme.tab.reload();
    await acme.tab.frameLocator('#dashboard').getByText(REFUSED).waitFor({ timeout });
  }

  /** Expects the rows of the group, and no others. */
  async #openTab(id, extraHTTPHeaders) {
    const viewport = { width: 640, height: 320 };
    const context = await this.browser.newContext({ viewport, extraHTTPHeaders });
    const tab = await context.newPage();
    const [socket] = await Promise.all([
      tab.waitForEvent('websocket', { timeout }),
      tab.goto(`${this.site}/?user_group=${id}`, { timeout }),
    ]);
    await dashboardOf(tab).getByText(SHOWN[id]).waitFor({ timeout });
    const shown = await dashboardOf(tab).locator('body').innerText();
    const texts = [HIDDEN, ...Object.values(SHOWN).filter((text) => text !== SHOWN[id])];
    const foreign = texts.filter((text) => shown.includes(text));
    if (foreign.length > 0) throw new Violated([`${id} sees ${foreign.join(', ')}`]);
    if (process.env.GATEWAY_PICTURES) {
      mkdirSync(process.env.GATEWAY_PICTURES, { recursive: true });
      await tab.screenshot({ path: join(process.env.GATEWAY_PICTURES, `shiny-${id}.png`) });
    }
    return { tab, socket };
  }
}

/** The frame in the frame whose page makes the cookie. */
function dashboardOf(tab) {
  return tab.frameLocator('#dashboard').frameLocator('iframe');
}

function says(text) {
  return { predicate: ({ payload }) => payload.includes(text), timeout };
}
