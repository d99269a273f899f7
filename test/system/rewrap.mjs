import console from 'node:console';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from './lab/server.mjs';
import { describeLatencies } from './lab/callers.mjs';
import { keyList } from './lab/keys.mjs';
import { onEachDatabase } from './lab/many-groups.mjs';
import { runCli } from './lab/command.mjs';
import { fillGroups, readTokens } from './rewrap/groups.mjs';
import { Load } from './rewrap/load.mjs';

// Shows that `keys rewrap` of many groups costs no caller of a running server a call and changes no
// token: fills a database through the built cipher, lets callers look up, create and rotate
// while every token gets another key, and compares each token with what it has to be.
//
//   node test/system/rewrap.mjs [--groups 100000]
//
// TEST_DATABASE_URL names a PostgreSQL on which a database of its own may be created.

const CALLERS = 8;
const WARM_UP_MS = 2000;

async function rewrapUnderLoad(database, count, print) {
  // A first start migrates the database and records the old key.
  await (await startServer(withKeys(database, 'k1'))).kill();
  const tokens = await fillGroups(database, count, 'k1');
  const server = await startServer({ ...withKeys(database, 'k2', 'k1'), isPatient: true });
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
  if (!/^k1 +0 +not configured\b/m.test(status)) throw new Error(`tokens are left:\n${status}`);
  compare(tokens, await readTokens(database, 'k2'));
  print(
    `${count} groups, ${tokens.size} in the end, all with the token they have to have; ` +
      `${printed.trim().replace('.', '')} in ${seconds.toFixed(1)} s; no call beside it had an error; ` +
      `calls before: ${describeLatencies(alone)}; meanwhile: ${describeLatencies(beside)}`,
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

onEachDatabase(rewrapUnderLoad).catch((error) => {
  console.error(`rewrap: ${error.message}`);
  process.exitCode = 1;
});
