import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { residentMiB } from './processes.mjs';

const ROOT = join(import.meta.dirname, '..');
const BARE = ['bench/limit-server.mjs'];
const INTROSPECTIONS = ['introspect', 'introspect-hot'];
const CALLS = ['look-up', 'create', 'rotate', ...INTROSPECTIONS];
/** What a contestant takes part in, where it is not everything. */
const OPERATIONS = { limit: CALLS, memory: INTROSPECTIONS, textbook: CALLS };
const IDLE_MS = 1000;
const STEP_MS = 2;

/**
 * Who takes part, in the order of their turns, each with a database to itself and how it is started
 * on it. The bare server, with and without a memory, and the textbook know PostgreSQL alone.
 * @param kind of databases that are created; or the database of the only one
 * @param before the directory of the older revision, if it takes part
 */
export async function enter(environment, names, { database: kind, before }) {
  const commands = {
    service: productionCommand(ROOT),
    limit: BARE,
    memory: BARE,
    textbook: ['dist/bench/textbook/main.js'],
    before: before && productionCommand(before),
  };
  const contestants = {};
  for (const name of names) {
    const database = typeof kind === 'string' ? await environment.createDatabase(kind) : kind;
    const start = async () => {
      const env = { ...database.env, ...(name === 'memory' && { FROM_MEMORY: '1' }) };
      const server = await environment.startServer(commands[name], env);
      if (isService(name)) await firstAnswer(server);
      return { ...server, operations: OPERATIONS[name] };
    };
    contestants[name] = { database, start };
  }
  return contestants;
}

/** What `npm run start:prod` of a revision gives to Node: options, and a script. */
function productionCommand(directory) {
  const { scripts } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8'));
  const [, ...words] = scripts['start:prod'].split(' ');
  return [...words.slice(0, -1), join(directory, words.at(-1))];
}

/** Whether it is this service, of whatever revision: the others need an empty database. */
export function isService(name) {
  return name === 'service' || name === 'before';
}

/**
 * Milliseconds from starting the process to the first answer of an authenticated call, on a database
 * that is there and filled, and its memory a second later.
 */
export async function measureStart({ start }) {
  const server = await start();
  const startMilliseconds = performance.now() - server.begun;
  await sleep(IDLE_MS);
  const idleMiB = residentMiB(server.pid);
  await server.stop();
  return { startMilliseconds, idleMiB };
}

/** Resolves when an authenticated call is answered; on a new database its token is made last of all. */
async function firstAnswer(server) {
  for (;;) {
    const status = await introspect(server);
    if (status === 200) return;
    if (status !== 401) throw new Error(`The first answer was ${status}.`);
    await sleep(STEP_MS);
  }
}

/** The status of an answer to an introspection of a token that was never issued. */
function introspect({ port, apiToken }) {
  return new Promise((resolve, reject) => {
    const outgoing = request({
      port,
      host: '127.0.0.1',
      method: 'POST',
      path: '/api/v1/introspect',
      headers: { Authorization: `Token ${apiToken}`, 'Content-Type': 'application/json' },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode));
    });
    outgoing.end(JSON.stringify({ token: 'never issued' }));
  });
}
