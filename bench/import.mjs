import console from 'node:console';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { generateGroups, importGroups, peakMemory } from '../test/system/import/bulk.mjs';
import { enter } from './contestants.mjs';
import { residentMiB } from './processes.mjs';

const IDLE_MS = 1000;
/** So many groups of a turn among others. */
const LINES_OF_A_TURN = 20_000;
const MARKS = [0.1, 0.5, 1];

/**
 * How long an import of new groups with a mapping takes, and how far the memory of the process has
 * grown after a tenth, a half and all of it.
 */
export async function measureImports(environment, options) {
  const imports = {};
  for (const database of ['postgres', 'sqlite']) {
    const names = ['service', ...(options.before ? ['before'] : [])];
    const contestants = await enter(environment, names, { ...options, database });
    imports[database] = {};
    for (const name of names) {
      console.error(`importing: ${name} on ${database}`);
      imports[database][name] = await measureImport(contestants[name], options.lines);
    }
  }
  return { imports };
}

let imported = 0;

/** Imports new groups as one of several turns. */
export async function importTurn({ server }) {
  const lines = generateGroups(LINES_OF_A_TURN, imported + 1);
  imported += LINES_OF_A_TURN;
  const begun = performance.now();
  await importGroups(`http://127.0.0.1:${server.port}`, lines, LINES_OF_A_TURN, 'created');
  const requestsPerSecond = (LINES_OF_A_TURN * 1000) / (performance.now() - begun);
  return {
    requests: LINES_OF_A_TURN,
    requestsPerSecond,
    errors: 0,
    residentMiB: residentMiB(server.pid),
  };
}

async function measureImport({ start }, count) {
  const server = await start();
  await sleep(IDLE_MS);
  const peakMiB = () => peakMemory(server.pid) / 1024;
  const peaks = [{ groups: 0, peakMiB: peakMiB() }];
  const begun = performance.now();
  const lines = linesOf(count, (groups) => peaks.push({ groups, peakMiB: peakMiB() }));
  await importGroups(`http://127.0.0.1:${server.port}`, lines, count, 'created');
  const seconds = (performance.now() - begun) / 1000;
  peaks.at(-1).peakMiB = peakMiB();
  await server.stop();
  return { seconds, peaks };
}

/** Tells of each mark when the service has taken so many lines, which it does as it stores them. */
function* linesOf(count, reach) {
  const marks = MARKS.map((share) => Math.round(share * count));
  let taken = 0;
  for (const line of generateGroups(count)) {
    yield line;
    taken++;
    if (marks.includes(taken)) reach(taken);
  }
}
