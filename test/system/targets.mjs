import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, mkdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';
import { json } from 'node:stream/consumers';
import { fileURLToPath, URL } from 'node:url';
import { isDeepStrictEqual, promisify } from 'node:util';
import { requireVenv } from './lab/packages.mjs';
import { freePort } from './lab/ports.mjs';
import { temporaryDirectory } from './lab/processes.mjs';
import { runSteps, Violated } from './lab/report.mjs';
import { API_TOKEN, startServer } from './lab/server.mjs';

// Shows that tools take the tokens of targets, by their own code: Superset decodes a guest token, and its readers of SQL
// leave the clauses as they are; Cube makes its security context; the schema of Lightdash fits, and nothing is left over.
//
//   node test/system/targets.mjs
//
// It installs Superset 4.1.2 from PyPI, and Cube and Lightdash from npm, about 1.5 GB, into TARGET_TOOLS if it is set, where
// they stay, or else into a temporary directory.

const SUPERSET = ['apache-superset==4.1.2', 'setuptools<80', 'marshmallow<4'];
const HERE = fileURLToPath(new URL('./targets/', import.meta.url));
const SECRET = 'a-secret-of-the-tools-of-at-least-32-bytes';
const OTHER = 'another-secret-that-no-tool-has-32-bytes-long';
const DASHBOARD = '4f2c8a10-0000-4000-8000-000000000001';
const MAX_OUTPUT = 64 * 1024 * 1024;

const run = (file, args, options) =>
  promisify(execFile)(file, args, { maxBuffer: MAX_OUTPUT, ...options });

/** Runs a program that reads JSON. @returns its standard output */
async function ask(file, args, given, cwd) {
  const running = run(file, args, { cwd });
  running.child.stdin.end(JSON.stringify(given));
  return (await running).stdout;
}

function require(what, found, expected) {
  if (isDeepStrictEqual(found, expected)) return;
  throw new Violated([`${what}: ${JSON.stringify(found)} in place of ${JSON.stringify(expected)}`]);
}

/** Sends JSON and reads JSON. */
async function exchange(port, method, path, body) {
  const headers = { Authorization: `Token ${API_TOKEN}`, 'Content-Type': 'application/json' };
  const outgoing = request({ host: '127.0.0.1', port, method, path, headers });
  outgoing.end(JSON.stringify(body));
  const [response] = await once(outgoing, 'response');
  return { status: response.statusCode, body: await json(response) };
}

/** A service with a group, and what issues tokens for it. */
async function startIssuer() {
  const port = await freePort();
  await startServer({
    dir: temporaryDirectory(),
    env: { PORT: String(port), HOST: '127.0.0.1', BOOTSTRAP_API_TOKEN: API_TOKEN },
  });
  const call = async (method, path, body) => {
    const { status, body: told } = await exchange(port, method, path, body);
    if (status >= 300) throw new Error(JSON.stringify(told));
    return told;
  };
  const properties = { region: 'EMEA', regions: ['EMEA', 'a.b-c_1'], since: '2030-01-31' };
  await call('PUT', '/api/user', { user_group_id: 'acme', name: 'Acme', properties });
  return async (definition, fields = {}, secret = SECRET) => {
    const signing = { alg: 'HS256', keys: [{ id: 'a', secret }] };
    await call('PUT', '/api/v1/targets/tool', { ...definition, signing });
    const path = '/api/v1/user-groups/acme/embed-tokens';
    return (await call('POST', path, { target: 'tool', ...fields })).embed_token.token;
  };
}

async function superset(tools) {
  const python = join(tools, 'superset', 'bin', 'python');
  if (!existsSync(python)) {
    requireVenv();
    await run('python3', ['-m', 'venv', join(tools, 'superset')]);
    await run(python, ['-m', 'pip', 'install', '--quiet', ...SUPERSET]);
  }
  const issue = await startIssuer();
  const filter = (column, op, type, value, allowed) => ({
    dataset: 7,
    column,
    op,
    type,
    value,
    ...(allowed && { allowed }),
  });
  const definition = {
    kind: 'superset',
    audience: 'superset',
    claims: { user: { username: { $: 'user.key' } }, resources: { $: 'resources' } },
    row_filters: [
      filter('region', 'in', 'word', { $: 'variables.regions' }, ['EMEA', 'a.b-c_1']),
      filter('since', '>=', 'date', { $: 'variables.since' }),
      filter('team', '=', 'integer', { $: 'team_id' }),
      filter('id', '=', 'uuid', DASHBOARD),
      filter('hidden', '=', 'boolean', false),
    ],
  };
  const resources = [{ type: 'dashboard', id: DASHBOARD }];
  const fields = { user: { id: 'u-17' }, resources };
  const tokens = [
    await issue(definition, fields),
    await issue(definition, fields, OTHER),
    await issue({ ...definition, audience: 'another' }, fields),
  ];
  const given = { secret: SECRET, audience: 'superset', tokens };
  const output = await ask(python, [join(HERE, 'decode_guests.py')], given, tools);
  const [line] = output.split('\n').filter((one) => one.startsWith('told '));
  const [guest, ...refused] = JSON.parse(line.slice('told '.length));
  require('tokens of another secret or audience', refused, [null, null]);
  const clauses = [
    "(region IN ('EMEA', 'a.b-c_1'))",
    "(since >= '2030-01-31')",
    '(team = 1)',
    `(id = '${DASHBOARD}')`,
    '(hidden = FALSE)',
  ];
  require('the clauses after Jinja and SQLAlchemy', guest.clauses, clauses);
  require('the clauses after Superset', guest.escaped, clauses);
  require('the datasets', guest.datasets, [7, 7, 7, 7, 7]);
  require('the resources', guest.resources, resources);
  return `${clauses.length} clauses, 2 tokens refused`;
}

async function cubeAndLightdash(tools) {
  const dir = join(tools, 'npm');
  if (!existsSync(join(dir, 'node_modules'))) {
    mkdirSync(dir, { recursive: true });
    for (const name of ['package.json', 'package-lock.json']) {
      cpSync(join(HERE, name), join(dir, name));
    }
    await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: dir });
  }
  const issue = await startIssuer();
  const claims = { region: { $: 'variables.region' }, deep: [{ team: { $: 'team_id' } }] };
  const cube = [
    await issue({ kind: 'cube', claims }),
    await issue({ kind: 'cube', claims }, {}, OTHER),
  ];
  const content = { type: 'dashboard', dashboardUuid: { $: 'resource.dashboard' } };
  const userAttributes = { region: { $: 'variables.region' } };
  const definition = { kind: 'lightdash', claims: { content, userAttributes } };
  const resources = [{ type: 'dashboard', id: DASHBOARD }];
  const lightdash = [await issue(definition, { resources })];
  const given = { secret: SECRET, cube, lightdash };
  const output = await ask(process.execPath, [join(HERE, 'verify.mjs')], given, dir);
  const { contexts, fits } = JSON.parse(output);
  const [context, refused] = contexts;
  delete context.exp;
  require('the security context of Cube', context, { region: 'EMEA', deep: [{ team: 1 }] });
  require('the status of a token of another secret', refused, 403);
  require('whether the schema of Lightdash fits, and strictly', fits, [[true, true]]);
  return '1 security context, 1 schema, 1 token refused';
}

async function main() {
  const tools = process.env.TARGET_TOOLS ?? temporaryDirectory();
  mkdirSync(tools, { recursive: true });
  await runSteps({
    Superset: () => superset(tools),
    'Cube and Lightdash': () => cubeAndLightdash(tools),
  });
}

main().catch((error) => {
  process.stderr.write(`targets: ${error.message}\n`);
  process.exitCode = 1;
});
