import console from 'node:console';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { startServer } from './lab/server.mjs';
import { exportGroups, generateGroups, importGroups, peakMemory } from './import/bulk.mjs';
import { LookUps } from './import/look-ups.mjs';
import { describeLatencies } from './lab/callers.mjs';
import { onEachDatabase } from './lab/many-groups.mjs';

// Shows that an import and an export of many groups need no more memory than a few, and that other
// callers are served meanwhile: imports through HTTP into a real process, exports, and imports the
// export again, which has to change nothing.
//
//   node test/system/import.mjs [--groups 100000]
//
// TEST_DATABASE_URL names a PostgreSQL on which a database of its own may be created.

const CALLERS = 4;
const WARM_UP_MS = 2000;
const MAX_GROWTH_MIB = 150;
/** The heap is too small for memory that grows with each line; without a limit V8 lets garbage lie. */
const HEAP = { NODE_OPTIONS: '--max-old-space-size=128' };

async function importUnderLoad(database, count, print) {
  const server = await startServer({
    ...database,
    env: { ...database.env, ...HEAP },
    isPatient: true,
  });
  const lookUps = new LookUps(server.url).start(CALLERS);
  await sleep(WARM_UP_MS);
  const idle = peakMemory(server.child.pid);
  print(`before: ${describeLatencies(lookUps.takeLatencies())}`);
  const measure = async (what, work) => {
    const started = performance.now();
    const summary = await work();
    const seconds = (performance.now() - started) / 1000;
    const growth = (peakMemory(server.child.pid) - idle) / 1024;
    print(
      `${what}: ${JSON.stringify(summary)} in ${seconds.toFixed(1)} s (${Math.round(count / seconds)} a second), ` +
        `memory ${growth.toFixed(0)} MiB above idle; meanwhile ${describeLatencies(lookUps.takeLatencies())}`,
    );
    if (growth > MAX_GROWTH_MIB) throw new Error(`memory has grown by ${growth.toFixed(0)} MiB`);
    return summary;
  };
  await measure('import', () => importGroups(server.url, generateGroups(count), count, 'created'));
  const exported = await measure('export', () => exportGroups(server.url));
  // Beside the groups of the look-ups.
  if (exported.exported <= count) throw new Error(`only ${exported.exported} were exported`);
  await measure('import again', () =>
    importGroups(server.url, generateGroups(count), count, 'unchanged'),
  );
  await lookUps.stop();
  await server.kill();
}

onEachDatabase(importUnderLoad).catch((error) => {
  console.error(`import: ${error.message}`);
  process.exitCode = 1;
});
