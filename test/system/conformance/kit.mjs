import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, URL } from 'node:url';
import { Api } from '../lab/api.mjs';
import { runCli } from '../lab/command.mjs';
import { accepts, freePort } from '../lab/ports.mjs';
import { start, temporaryDirectory } from '../lab/processes.mjs';
import { Violated } from '../lab/report.mjs';
import { API_TOKEN, startServer } from '../lab/server.mjs';

const KIT = fileURLToPath(
  new URL('../../../dist/clients/conformance/conformance.js', import.meta.url),
);
const START_STEPS = 1500;
const STEP_MS = 20;

const RENDERER_SCOPES = ['tokens:introspect', 'events:read', 'user-groups:read'];
const KIT_SCOPES = [
  'user-groups:read',
  'user-groups:write',
  'user-group-tokens:read',
  'tokens:rotate',
];

/** The checks of what many renderers do not have. */
export const OFFERS = [
  'tenant-failed-query',
  'tenant-cursor',
  'tenant-download',
  'stream-tenant',
  'stream-ended',
];

export const AUDIENCE = 'dashboards';
export const ORIGIN = 'https://app.example.com';

/** A service with a database of its own, and a second workspace. @param database the embedded one without it */
export async function startService(database = { dir: temporaryDirectory(), env: {} }) {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const { dir } = database;
  const env = { ...database.env, PORT: String(port), RATE_LIMIT_PER_MINUTE: '0' };
  const server = await startServer({ dir, env });
  const api = new Api(`${url}/api/user`);
  const { body } = await api.send('GET', {}, '/api/v1/workspace/identity');
  const rendererToken = await issueToken(api, RENDERER_SCOPES);
  await runCli({ dir, env }, 'workspace', 'create', 'other');
  const issueOther = async (scopes) => {
    const options = ['--workspace', 'other', '--name', 'conformance', '--scopes', scopes.join(',')];
    return /uga_\w+/.exec(await runCli({ dir, env }, 'token', 'create', ...options))[0];
  };
  const otherToken = await issueOther(KIT_SCOPES);
  const otherIntrospectionToken = await issueOther(RENDERER_SCOPES);
  return {
    server,
    url,
    api,
    identity: body.workspace,
    rendererToken,
    otherToken,
    otherIntrospectionToken,
  };
}

async function issueToken(api, scopes) {
  const { body } = await api.send('POST', { name: 'dashboards', scopes }, '/api/v1/api-tokens');
  return body.api_token.token;
}

/**
 * Starts a renderer behind a proxy of the kit that is yet to come.
 * @param command gives program, arguments, environment and directory from the address of the service and its API token
 * @returns the addresses, the file with what the renderer says, and `stop`
 */
export async function startRenderer(service, command) {
  const [port, proxyPort] = [await freePort(), await freePort()];
  const proxy = `127.0.0.1:${proxyPort}`;
  const log = join(temporaryDirectory(), 'renderer.log');
  const own = { port, serviceUrl: `http://${proxy}`, apiToken: service.rendererToken };
  const { program, args, env, cwd } = command(own);
  const file = openSync(log, 'a');
  const stdio = ['ignore', 'pipe', 'pipe'];
  const options = { cwd, env: { PATH: process.env.PATH, ...env }, stdio };
  const child = start(program, args, options);
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk) => writeFileSync(file, chunk));
  }
  for (let step = 0; !(await accepts(port)); step++) {
    if (step === START_STEPS || child.exitCode !== null) {
      throw new Error(`the renderer does not start: ${child.said}`);
    }
    await sleep(STEP_MS);
  }
  const stop = async () => {
    child.kill('SIGKILL');
    await child.ended;
    closeSync(file);
  };
  return { url: `http://127.0.0.1:${port}`, proxy, log, stop };
}

/**
 * Runs the kit.
 * @returns its exit code, its outcomes by the id of the check, and what it has said
 */
export async function runKit(config, args = [], env = {}) {
  const { code, stdout, stderr } = await finish(
    startKit(config, ['--output', 'tap', ...args], env),
  );
  const outcomes = new Map();
  for (const [, not, id, directive] of stdout.matchAll(
    /^(not )?ok \d+ - ([\w-]+):[^\n]*?( # SKIP .*)?$/gm,
  )) {
    outcomes.set(id, not ? 'failed' : directive ? 'skipped' : 'passed');
  }
  for (const [, id] of stdout.matchAll(
    /^not ok \d+ - ([\w-]+):(?:(?!\n(?:not )?ok ).)*?\n {2}severity: unjudged$/gms,
  )) {
    outcomes.set(id, 'unjudged');
  }
  for (const [, id] of stdout.matchAll(/^ok \d+ - ([\w-]+):[^\n]*\n {2}---$/gm)) {
    outcomes.set(id, 'warned');
  }
  return { code, outcomes, stdout, stderr };
}

/**
 * Judges a run that must pass every check but those that are skipped, and without a warning but in `warned`.
 * @returns figures @throws Violated
 */
export function passedAllBut(skips, { code, outcomes, stdout, stderr }, warned = []) {
  const isAs = (outcome, ids) =>
    idsOf(outcomes, outcome).toSorted().join(' ') === ids.toSorted().join(' ');
  const skipped = idsOf(outcomes, 'skipped');
  if (code !== 0 || !isAs('skipped', skips) || !isAs('warned', warned)) {
    const what = `exit code ${code}; skipped: ${skipped.join(' ')}; warned: ${idsOf(outcomes, 'warned').join(' ')}`;
    throw new Violated([what, stderr.slice(-300), stdout]);
  }
  return `${idsOf(outcomes, 'passed').length} passed, skipped: ${skipped.join(' ')}`;
}

export function idsOf(outcomes, wanted) {
  return [...outcomes].filter(([, outcome]) => outcome === wanted).map(([id]) => id);
}

/** The kit as a process: `child`, with what it has said in `output`. */
export function startKit(config, args = [], more = {}) {
  if (!existsSync(KIT)) {
    throw new Error('dist/clients/conformance is missing; run "npm run build" first');
  }
  const file = join(temporaryDirectory(), 'renderer.json');
  writeFileSync(file, JSON.stringify(config));
  const env = { PATH: process.env.PATH, KIT_API_TOKEN: API_TOKEN, ...more };
  const child = spawn(process.execPath, [KIT, '--config', file, ...args], {
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr']) {
    child[name].on('data', (chunk) => (output[name] += chunk));
  }
  return { child, output };
}

async function finish({ child, output }) {
  const [code] = await once(child, 'close');
  return { code, ...output };
}
