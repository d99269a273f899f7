import console from 'node:console';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createPostgres, createSqlite } from './durability/databases.mjs';
import { endServers, killServersNow, startServer } from './durability/server.mjs';
import { runCli } from './rewrap/command.mjs';
import { fillGroups, keyList, readTokens } from './rewrap/groups.mjs';
import { Load } from './rewrap/load.mjs';

// Shows that `keys rewrap` of many groups beside a serving server costs nobody a call and changes
// no token: fills a database through the built cipher, lets callers look up, create and rotate
// while every token gets another key, and compares each token with what it has to be.
//
//   node scripts/rewrap-load.mjs [--groups 100000]
//
// TEST_DATABASE_URL names a PostgreSQL on which a database of its own may be created.

const CALLERS = 8;
const WARM_UP_MS = 2000;

async function main() {
  const groups = readGroups();
  const postgresUrl = process.env.TEST_DATABASE_URL;
  if (!postgresUrl) console.log('Runs on SQLite only: TEST_DATABASE_URL is not set.');
  await check('sqlite', createSqlite, groups);
  if (postgresUrl) await check('postgres', () => createPostgres(postgresUrl), groups);
}

function readGroups() {
  const { values } = parseArgs({ options: { groups: { type: 'string', default: '100000' } } });
  if (/^[1-9]\d{1,6}$/.test(values.groups)) return Number(values.groups);
  throw new Error('--groups must be a whole number from 10 to 9999999.');
}

async function check(name, create, count) {
  const database = await create();
  try {
    const figures = await rewrapUnderLoad(database, count);
    console.log(`${name}: ${figures}`);
  } catch (error) {
    console.error(`${name}: FAILED: ${error.message}`);
    process.exitCode = 1;
  } finally {
    await endServers();
    await database.drop();
  }
}

async function rewrapUnderLoad(database, count) {
  // A first start migrates the database and records the old key.
  await (await startServer(withKeys(database, 'k1'))).kill();
  const tokens = await fillGroups(database, count, 'k1');
  const server = await startServer(withKeys(database, 'k2', 'k1'));
  const load = new Load(server.url, tokens, CALLERS);
  await sleep(WARM_UP_MS);
  const alone = load.takeLatencies();
  const started = performance.now();
  const printed = await runCli(withKeys(database, 'k2', 'k1'), 'keys', 'rewrap');
  const seconds = (performance.now() - started) / 1000;
  const beside = load.takeLatencies();
  await load.stop();
  await server.kill();

  const status = await runCli(withKeys(database, 'k2'), 'keys', 'status');
  if (!/^k1 +0 +not configured$/m.test(status)) throw new Error(`tokens are left:\n${status}`);
  compare(tokens, await readTokens(database, 'k2'));
  return (
    `${count} groups, ${tokens.size} in the end, all with the token they have to have; ` +
    `${printed.trim().replace('.', '')} in ${seconds.toFixed(1)} s beside ${beside.length} calls without an error; ` +
    `calls before: ${describe(alone)}; meanwhile: ${describe(beside)}`
  );
}

function withKeys(database, ...ids) {
  return { ...database, env: { ...database.env, TOKEN_ENCRYPTION_KEYS: keyList(...ids) } };
}

function compare(wanted, found) {
  if (found.size !== wanted.size) throw new Error(`${found.size} of ${wanted.size} tokens found`);
  for (const [id, token] of wanted) {
    if (found.get(id) !== token) throw new Error(`the token of "${id}" has changed`);
  }
}

function describe(latencies) {
  const sorted = latencies.toSorted((a, b) => a - b);
  const at = (share) => sorted[Math.floor(share * (sorted.length - 1))]?.toFixed(0);
  return `median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`;
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, killServersNow);
process.on('exit', killServersNow);
main().catch((error) => {
  console.error(`rewrap: ${error.message}`);
  process.exitCode = 1;
});
