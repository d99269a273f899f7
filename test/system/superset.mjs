import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';
import { OFFERS, passedAllBut, runKit } from './conformance/kit.mjs';
import { launchBrowser } from './lab/chromium.mjs';
import { queryPostgres } from './lab/databases.mjs';
import { requirePrograms, requireVenv } from './lab/packages.mjs';
import { accepts, freePort } from './lab/ports.mjs';
import { runSteps, Violated } from './lab/report.mjs';
import { cachesApart, ends, findsHostileRegions } from './superset/ends.mjs';
import { keepsApart } from './superset/keeps-apart.mjs';
import { AUDIENCE, CHART, HIDDEN, Lab, TENANTS } from './superset/lab.mjs';
import { showsOwnSql } from './superset/own-sql.mjs';

// Does what docs/guides/superset.md says, and shows on the Superset that runs then: two user groups see their own rows, in
// a browser too; the conformance kit passes; a viewer is out at the next chart; values change no SQL, and viewers write none;
// the chart cache keeps data sources apart; and no log has a token.
//
//   node test/system/superset.mjs
//
// It installs Superset 6.1.0 from PyPI, 850 MB, into SUPERSET_TOOLS if it is set, where it stays, or else into a temporary
// directory. SUPERSET_PICTURES names a directory for a picture of each dashboard.

const OWN_GUEST_TOKEN = fileURLToPath(new URL('superset/own_guest_token.py', import.meta.url));
const HOSTILE_REGIONS = 150;
/** Bounds a step that fails. */
const SCREEN_LIMIT_MS = 300_000;
/** A data API has no page of its own with a token in its address, shows no SQL, and is behind no gateway. */
const NOT_FOR_SUPERSET = [
  'sql-text',
  'trace-referrer',
  'embed-variables',
  'gateway-headers',
  ...OFFERS,
];

/** @returns figures @throws Error if Superset cannot be installed */
async function install(lab) {
  await lab.install();
  const { stdout } = await lab.page.sh(
    'superset/bin/python -c "from importlib.metadata import version; print(version(\'apache-superset\'))"',
  );
  return `Superset ${stdout.trim()}`;
}

async function followThePage(lab) {
  const { page } = lab;
  await page.run('superset, data sources');
  for (const { source, region } of Object.values(TENANTS)) {
    const url = `postgres://postgres@127.0.0.1:${lab.cluster.port}/${source.replace('-', '_')}`;
    await queryPostgres(url, `INSERT INTO sale VALUES ('hidden', $1, 1000000)`, [HIDDEN]);
    await queryPostgres(url, `INSERT INTO sale VALUES ($1, $2, 1)`, [`${region} `, HIDDEN]);
  }
  page.write('superset_config.py', ['superset_config.py']);
  await page.run('superset, database');
  await lab.start(false);
  await page.run('superset, dashboard');
  lab.ownGuestToken = await issueOwnGuestToken(lab);
  const { status } = await lab.chart(lab.ownGuestToken);
  if (status !== 200) throw new Error(`Superset refuses a guest token of its own: ${status}`);
  await page.run('superset, API token');
  lab.keep(page.env.SUPERSET_TOKEN);
  const said = await page.run('superset, user groups');
  for (const [token] of said.matchAll(/ugt_\w+/g)) lab.keep(token);
  await lab.start(true);
  return `the dashboard ${page.env.DASHBOARD}`;
}

/** Has Superset make a guest token without filters. */
async function issueOwnGuestToken({ page, port }) {
  const url = `http://127.0.0.1:${port}`;
  const command = `superset/bin/python "${OWN_GUEST_TOKEN}" ${url} ${page.env.DASHBOARD}`;
  return (await page.sh(command)).stdout.trim();
}

async function passesTheKit(lab) {
  const proxy = `127.0.0.1:${await freePort()}`;
  lab.page.env.USER_GROUPS_URL = `http://${proxy}`;
  await lab.start(true);
  try {
    const env = { OTHER_API_TOKEN: lab.service.otherToken };
    return passedAllBut(NOT_FOR_SUPERSET, await runKit(kitConfigOf(lab, proxy), [], env));
  } finally {
    lab.page.env.USER_GROUPS_URL = lab.service.url;
  }
}

function kitConfigOf(lab, proxy) {
  const tenants = Object.values(TENANTS).map(({ source, region, shows }) => ({
    data_source: source,
    properties: { region },
    shows: [shows],
  }));
  return {
    service: {
      url: lab.service.url,
      api_token_env: 'KIT_API_TOKEN',
      disposable_workspace: true,
      other_workspace_api_token_env: 'OTHER_API_TOKEN',
    },
    proxy,
    renderer: {
      url: `http://127.0.0.1:${lab.port}/api/v1/chart/data`,
      headers: { 'X-GuestToken': '{token}' },
      body: CHART,
      logs: [lab.log],
    },
    schema: 'sales',
    tenants,
    variables: { region: 'string' },
    never_shows: [HIDDEN],
    tables: ['sale'],
    embed: {
      audience: AUDIENCE,
      origin: lab.site,
      act_header: 'X-User-Group-Acting',
      resource: { type: 'dashboard', id: lab.page.env.DASHBOARD },
    },
  };
}

async function showsOnScreen(lab) {
  const { page } = lab;
  await page.sh(page.step('superset, host').split('\n')[0]);
  const host = page.background('superset, host', 'host.log');
  while (!(await accepts(lab.hostPort))) {
    if (host.exitCode !== null) throw new Error(`the host does not start: ${host.said}`);
  }
  const browser = await launchBrowser();
  try {
    for (const id of Object.keys(TENANTS)) await showsTenant(lab, browser, id);
  } finally {
    await browser.close();
  }
  return `${Object.keys(TENANTS).join(' and ')}, each the own rows`;
}

async function showsTenant(lab, browser, id) {
  const context = await browser.newContext({ viewport: { width: 640, height: 420 } });
  const tab = await context.newPage();
  const failed = [];
  tab.on('response', (response) => {
    const token = response.request().headers()['x-guesttoken'];
    if (token) lab.keep(token);
    if (response.status() >= 400) failed.push(`${response.status()} ${response.url()}`);
  });
  await tab.goto(`${lab.site}/?user_group=${id}`);
  const frame = tab.frameLocator('iframe');
  await frame.getByText(TENANTS[id].shows).waitFor({ timeout: SCREEN_LIMIT_MS });
  const shown = await frame.locator('body').innerText();
  const foreign = [HIDDEN, ...Object.keys(TENANTS).filter((other) => other !== id)]
    .map((other) => TENANTS[other]?.shows ?? other)
    .filter((text) => shown.includes(text));
  if (foreign.length > 0) failed.push(`${id} sees ${foreign.join(', ')}`);
  if (process.env.SUPERSET_PICTURES) {
    mkdirSync(process.env.SUPERSET_PICTURES, { recursive: true });
    await tab.screenshot({ path: join(process.env.SUPERSET_PICTURES, `${id}.png`) });
  }
  await context.close();
  if (failed.length > 0) throw new Violated(failed);
}

async function logsNoToken(lab) {
  await lab.stop();
  const written = lab.written();
  const found = [...lab.tokens].filter((token) => written.includes(token));
  if (found.length > 0) {
    throw new Violated(found.map((token) => `${token.slice(0, 8)}… is written`));
  }
  // Without these the search for tokens would say nothing.
  if (!written.includes('no guest: token_refused')) throw new Error('the log has no refusal');
  if (!written.includes('ChartDataRestApi.data')) throw new Error('the database has no events');
  return `${lab.tokens.size} tokens, none in ${written.length} bytes of log and database`;
}

async function main() {
  requirePrograms({ '/usr/lib/postgresql': 'postgresql', curl: 'curl', openssl: 'openssl' });
  requireVenv('python3.11');
  const lab = await Lab.create();
  const steps = {
    'Superset from PyPI': install,
    'the steps of the page': followThePage,
    'two groups': keepsApart,
    'two groups in a browser': showsOnScreen,
    'SQL of charts': showsOwnSql,
    'ends at the next chart': ends,
    'hostile regions': (own) => findsHostileRegions(own, HOSTILE_REGIONS),
    'the chart cache': cachesApart,
    'the conformance kit': passesTheKit,
    'logs without tokens': logsNoToken,
  };
  let isReady = true;
  const needed = [install, followThePage];
  const entries = Object.entries(steps).map(([name, step]) => [
    name,
    async () => {
      if (!isReady) throw new Error('Superset does not run');
      isReady = !needed.includes(step);
      const figures = await step(lab);
      isReady = true;
      return figures;
    },
  ]);
  // The next steps use what one has started.
  await runSteps(Object.fromEntries(entries), () => undefined);
  lab.service.api.close();
}

main().catch((error) => {
  process.stderr.write(`superset: ${error.message}\n`);
  process.exitCode = 1;
});
