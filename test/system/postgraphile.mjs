import console from 'node:console';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { delimiter, join } from 'node:path';
import process from 'node:process';
import { text } from 'node:stream/consumers';
import { URL } from 'node:url';
import pg from 'pg';
import { OFFERS, passedAllBut, runKit, startRenderer, startService } from './conformance/kit.mjs';
import { Cluster } from './lab/cluster.mjs';
import { installInto, installTool } from './lab/npm-tools.mjs';
import { pageShell, requireInstallation, startByPage } from './lab/page-commands.mjs';
import { freePort } from './lab/ports.mjs';
import { temporaryDirectory } from './lab/processes.mjs';
import { runSteps, Violated } from './lab/report.mjs';
import { API_TOKEN } from './lab/server.mjs';
import { settingsOf } from './renderers/settings.mjs';

// Shows that PostGraphile keeps user groups apart with the server of docs/guides/postgraphile.md, by the commands of the page,
// the conformance kit, and queries that ask for rows of others.
//
//   node test/system/postgraphile.mjs
//
// It installs PostGraphile 5.1.5 from npm, about 80 MB, into POSTGRAPHILE_TOOLS or a directory of the user's cache, where it
// stays, and a Node for it if this one is older than PostGraphile takes. Two tenants are two databases of a PostgreSQL of its own.

const LOCKED_IN = join(import.meta.dirname, 'postgraphile');
const OWN = { client: 'typescript' };
/** A data API shows no SQL and has no page; no gateway is in front of it; it names neither a dashboard nor a viewer's variable. */
const NOT_FOR_IT = [
  'sql-text',
  'trace-referrer',
  'gateway-headers',
  'embed-resources',
  'embed-variables',
  ...OFFERS,
];
const ALL = '{ allSales { nodes { product } } }';

let lab;

async function prepare() {
  const tool = installTool('postgraphile', LOCKED_IN, process.env.POSTGRAPHILE_TOOLS);
  lab = { tool, service: await startService(), cluster: await Cluster.create() };
  return 'PostGraphile 5.1.5';
}

function environment() {
  return {
    PATH: [lab.tool.bin, process.env.PATH].join(delimiter),
    HOME: temporaryDirectory(),
    PGHOST: '127.0.0.1',
    PGPORT: String(lab.cluster.port),
  };
}

function makeProject(directory) {
  mkdirSync(directory, { recursive: true });
  installInto(directory, lab.tool, OWN);
  writeFileSync(join(directory, 'server.mjs'), settingsOf('postgraphile.server', {}));
}

async function leadsToTwoTenants() {
  const port = await freePort();
  const checkout = temporaryDirectory();
  const project = join(checkout, 'sales');
  const administrator = { ...environment(), PGUSER: 'postgres' };
  const urls = { USER_GROUPS_URL: lab.service.url, USER_GROUPS_TOKEN: API_TOKEN };
  const shell = pageShell(checkout, { ...administrator, ...urls });
  shell('postgraphile.databases', checkout);
  shell('postgraphile.groups', checkout);
  requireInstallation('postgraphile.install', LOCKED_IN, OWN, 'user-group-service-client-*.tgz');
  makeProject(project);
  const own = { 'PORT=4000': `PORT=${port}` };
  const start = { log: 'server.log', port, own };
  const stop = await startByPage(shell, 'postgraphile.start', project, start);
  const seen = shell('postgraphile.look', project, { ':4000': `:${port}` }).trim();
  stop();
  const expected = settingsOf('postgraphile.seen', {});
  if (seen !== expected) throw new Violated([`the page shows ${expected}`, `and it is ${seen}`]);
  return '2 tenants, each with its own rows';
}

/** Starts the server, behind a proxy of the kit or not. @returns that of `startRenderer` */
function startIt(isBehindProxy) {
  const cwd = join(temporaryDirectory(), 'sales');
  makeProject(cwd);
  return startRenderer(lab.service, ({ port, serviceUrl, apiToken }) => ({
    program: join(lab.tool.bin, 'node'),
    args: ['server.mjs'],
    cwd,
    env: {
      ...environment(),
      USER_GROUPS_URL: isBehindProxy ? serviceUrl : lab.service.url,
      POSTGRAPHILE_API_TOKEN: apiToken,
      PORT: String(port),
    },
  }));
}

async function passesTheKit() {
  const renderer = await startIt(true);
  try {
    const config = JSON.parse(
      settingsOf('postgraphile.kit', {
        'http://127.0.0.1:3000': lab.service.url,
        'http://127.0.0.1:4000': renderer.url,
        '127.0.0.1:3999': renderer.proxy,
        'server.log': renderer.log,
        CONFORMANCE_API_TOKEN: 'KIT_API_TOKEN',
      }),
    );
    config.service.other_workspace_api_token_env = 'OTHER_API_TOKEN';
    config.service.disposable_workspace = true;
    const env = { OTHER_API_TOKEN: lab.service.otherToken };
    return passedAllBut(NOT_FOR_IT, await runKit(config, [], env));
  } finally {
    await renderer.stop();
  }
}

/** @returns figures @throws Violated */
async function showsNothingElse() {
  const renderer = await startIt(false);
  const { body } = await lab.service.api.send('PUT', {
    user_group_id: 'curious',
    name: 'Curious',
    mapping: { sales: 'warehouse-acme' },
    properties: { region: "EMEA'); --", min_amount: 0 },
  });
  const { token: nothing } = body.user_group;
  const { body: own } = await lab.service.api.send('PUT', {
    user_group_id: 'plain',
    name: 'Plain',
    mapping: { sales: 'warehouse-acme' },
    properties: { region: 'EMEA', min_amount: 0 },
  });
  const { token } = own.user_group;
  const shown = (nodes) => `"nodes":[${nodes.map((one) => `{"product":"${one}"}`)}]`;
  const ROW = '{ saleByRowId(rowId: 3) { product } }';
  const MANY = `{ a: allSales(first: 1) { nodes { product } } b: allSales(offset: 1) { nodes { product } totalCount } }`;
  const WRITE = 'mutation { deleteSaleByRowId(input: { rowId: 1 }) { sale { product } } }';
  const cases = {
    'own rows': [token, ALL, shown(['Tents', 'Stoves'])],
    'a region that is SQL': [nothing, ALL, shown([])],
    'a row of another region by its id': [token, ROW, '"saleByRowId":null'],
    'pages and their total': [token, MANY, '"totalCount":2'],
    'a mutation': [token, WRITE, '"errors"'],
    'a failed query, and then': [token, '{ saleByRowId(rowId: 3000000000) { product } }', 'errors'],
    'own rows after it': [token, ALL, shown(['Tents', 'Stoves'])],
    'another viewer after it': [nothing, ALL, shown([])],
  };
  const faults = [];
  try {
    for (const [what, [viewer, query, expected]] of Object.entries(cases)) {
      const seen = await ask(renderer.url, viewer, { query });
      if (!seen.includes(expected) || seen.includes('Prototypes')) faults.push(`${what}: ${seen}`);
    }
    faults.push(...(await failsWithoutViewer()));
  } finally {
    await renderer.stop();
  }
  if (faults.length > 0) throw new Violated(faults);
  return `${Object.keys(cases).length} queries, no foreign row; without a viewer the database refuses`;
}

async function failsWithoutViewer() {
  const { port } = lab.cluster;
  const url = `postgres://dashboards@127.0.0.1:${port}/sales_acme`;
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query('SELECT product FROM sales.sale');
    return [`without a viewer: ${JSON.stringify(rows)}`];
  } catch (error) {
    return error.message.includes('user_groups.viewer') ? [] : [error.message];
  } finally {
    await client.end();
  }
}

async function ask(url, token, body) {
  const headers = { 'Content-Type': 'application/json', Authorization: `Bearer ${token}` };
  const outgoing = request(new URL('/graphql', url), { method: 'POST', headers });
  outgoing.end(JSON.stringify(body));
  const [response] = await once(outgoing, 'response');
  return text(response);
}

const steps = {
  'the page': leadsToTwoTenants,
  'the conformance kit': passesTheKit,
  'queries for more': showsNothingElse,
};

function requireLab(step) {
  if (!lab) throw new Error('NOT TESTED');
  return step();
}

async function main() {
  await runSteps(
    {
      installation: prepare,
      ...Object.fromEntries(
        Object.entries(steps).map(([name, step]) => [name, () => requireLab(step)]),
      ),
    },
    () => undefined,
  );
}

main().catch((error) => {
  console.error(`postgraphile: ${error.message}`);
  process.exitCode = 1;
});
