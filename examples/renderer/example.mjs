import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { seed } from './seed.mjs';

const SERVICE = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));
const RENDERER = fileURLToPath(new URL('server.mjs', import.meta.url));
const A_DAY_MS = 86_400_000;

/** Two customers of a SaaS product: each with data of its own, and with other variables. */
export const GROUPS = [
  {
    user_group_id: 'acme-emea',
    name: 'Acme EMEA',
    mapping: { sales: 'warehouse-acme' },
    properties: { region: 'EMEA', max_rows: 6 },
  },
  {
    user_group_id: 'globex-apac',
    name: 'Globex APAC',
    mapping: { sales: 'warehouse-globex' },
    properties: { region: 'APAC', max_rows: 4 },
  },
];

/**
 * Starts the service, the renderer and two user groups, on loopback alone.
 * @param givenDir the data directory of the service; without it a directory that `stop` removes
 * @returns `links` of the groups in their order; `base` of the service and `tokenFile`, the file of an API token with every
 * scope; `ended`, which settles when one of the processes ends; and `stop`
 */
export function startExample(givenDir) {
  return startWithin(givenDir, startIn);
}

/**
 * Starts the renderer alone, for a service that runs already.
 * @param service `base` of it, and an `apiToken` with the scope `tokens:introspect`
 * @returns `page`, the address of the dashboard; `ended` and `stop` as of `startExample`
 */
export function startRendererFor({ base, apiToken }) {
  return startWithin(undefined, async (directory, running) => {
    const page = await startRenderer(base, apiToken, directory, running);
    return { page, ended: running[0].ended };
  });
}

async function startWithin(givenDir, startAll) {
  const directory = givenDir ? resolve(givenDir) : mkdtempSync(join(tmpdir(), 'renderer-example-'));
  const running = [];
  const stop = async () => {
    await Promise.all(running.map(end));
    if (!givenDir) rmSync(directory, { recursive: true, force: true });
  };
  try {
    const started = await startAll(directory, running);
    return { ...started, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

async function startIn(directory, running) {
  mkdirSync(directory, { recursive: true });
  const service = start(SERVICE, directory, {
    HOST: '127.0.0.1',
    PORT: '0',
    METRICS_PORT: '0',
    DATA_DIR: directory,
    LOG_FORMAT: 'json',
  });
  running.push(service);
  const base = await announced(service, /"api":"([^"]+)\/api\/user"/);
  const tokenFile = join(directory, 'bootstrap-token');
  const admin = new Api(base, readToken(tokenFile));

  const page = await startRenderer(base, await issueRendererToken(admin), directory, running);

  const links = [];
  for (const group of GROUPS) {
    const { user_group } = await admin.send('PUT', '/api/user', group);
    links.push(`${page}/?userGroupToken=${user_group.token}`);
  }
  const ended = Promise.race(running.map((process) => process.ended));
  return { base, tokenFile, links, ended };
}

async function startRenderer(base, apiToken, directory, running) {
  const dataSources = join(directory, 'data-sources');
  seed(dataSources);
  const renderer = start(RENDERER, directory, {
    SERVICE_URL: base,
    API_TOKEN: apiToken,
    DATA_SOURCES_DIR: dataSources,
    AUDIENCE: 'dashboards',
  });
  running.push(renderer);
  return announced(renderer, /^renderer (\S+)$/);
}

/** The renderer gets this one, so that an intruder there can neither list groups nor read tokens. */
async function issueRendererToken(admin) {
  const { api_token } = await admin.send('POST', '/api/v1/api-tokens', {
    name: 'example renderer',
    scopes: ['tokens:introspect', 'events:read'],
    expires_at: new Date(Date.now() + A_DAY_MS).toISOString(),
  });
  return api_token.token;
}

function readToken(file) {
  if (existsSync(file)) return readFileSync(file, 'utf8').trim();
  throw new Error(`${file} is not there: give a directory that this command has made`);
}

class Api {
  constructor(base, token) {
    this.base = base;
    this.token = token;
  }

  async send(method, path, body) {
    const response = await fetch(this.base + path, {
      method,
      headers: { Authorization: `Token ${this.token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    const received = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${received.detail}`);
    return received;
  }
}

/** Gets only the path of the environment, so that it cannot be led to another database. */
function start(script, cwd, env) {
  const child = spawn(process.execPath, [script], {
    cwd,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  return { child, ended: new Promise((settle) => child.once('close', settle)) };
}

/** Returns the match of the pattern in the first line of the process that it matches. */
async function announced({ child, ended }, pattern) {
  const lines = createInterface({ input: child.stdout });
  const found = new Promise((settle) => {
    lines.on('line', (line) => {
      const match = pattern.exec(line);
      if (match) settle(match[1]);
    });
  });
  const first = await Promise.race([found, ended]);
  if (typeof first !== 'string') throw new Error(`${child.spawnargs[1]} ended before it was ready`);
  return first;
}

async function end({ child }) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGTERM');
  await exit;
}
