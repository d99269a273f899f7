import console from 'node:console';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, URL } from 'node:url';
import { startServer } from './lab/server.mjs';
import { describeLatencies } from './lab/callers.mjs';
import { keyList } from './lab/keys.mjs';
import { onEachDatabase } from './lab/many-groups.mjs';
import { runCli } from './lab/command.mjs';
import { promisedMs } from './lab/times.mjs';
import { fillGroups } from './rewrap/groups.mjs';
import { Load } from './rewrap/load.mjs';

// Shows that an index that a migration builds on a large table keeps no caller waiting: fills a
// database, and lets callers look up, create and rotate while `migration run` builds the index of
// lab/next-migrations.mjs. On SQLite there is nothing to show: nobody serves meanwhile.
//
//   node test/system/index.mjs [--groups 100000]
//
// TEST_DATABASE_URL names a PostgreSQL on which a database of its own may be created.

const CALLERS = 8;
const WARM_UP_MS = 2000;
const MAX_MS = promisedMs(1000);
const PLUGINS = fileURLToPath(new URL('lab/next-migrations.mjs', import.meta.url));
const MIGRATION = 'IndexGroups9999999999903';

async function indexUnderLoad(database, count, print) {
  if (!database.env.DATABASE_URL) return;
  const keyed = { ...database, env: { ...database.env, TOKEN_ENCRYPTION_KEYS: keyList('k1') } };
  const next = { ...keyed, env: { ...keyed.env, PLUGINS } };
  await runCli(next, 'migration', 'run');
  await runCli(next, 'migration', 'revert', '--plugin', 'next');
  const server = await startServer({ ...keyed, isPatient: true });
  const tokens = await fillGroups(database, count, 'k1');
  await database.query('ANALYZE');
  await database.query('CHECKPOINT');
  const load = new Load(server.url, tokens, CALLERS);
  await sleep(WARM_UP_MS);
  const alone = load.takeLatencies();
  const started = performance.now();
  const printed = await runCli(next, 'migration', 'run');
  const seconds = (performance.now() - started) / 1000;
  const beside = load.takeLatencies();
  await load.stop();
  await server.kill();
  if (!printed.includes(MIGRATION)) throw new Error(`there was nothing to migrate: ${printed}`);
  const longest = beside.reduce((most, latency) => Math.max(most, latency), 0);
  if (longest > MAX_MS) throw new Error(`a call took ${Math.round(longest)} ms`);
  print(
    `an index on ${count} groups in ${seconds.toFixed(1)} s; no call beside it had an error; ` +
      `calls before: ${describeLatencies(alone)}; meanwhile: ${describeLatencies(beside)}`,
  );
}

onEachDatabase(indexUnderLoad).catch((error) => {
  console.error(`index: ${error.message}`);
  process.exitCode = 1;
});
