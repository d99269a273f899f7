import console from 'node:console';
import { enter, isService, measureStart } from './contestants.mjs';
import { importTurn } from './import.mjs';
import { NAMES } from './names.mjs';
import { residentMiB } from './processes.mjs';
import { runRounds } from './rounds.mjs';

const STARTS = 5;
const FILLING_CONNECTIONS = 64;

/**
 * The service beside the bare server, the textbook and, if asked, an older revision of itself: the
 * same load on each in turn, and how they start.
 */
export async function compare(environment, options) {
  const { database, before, groups, servers: wanted } = options;
  const isPaired = before && options.connections > 1 && options.client !== 'wrk';
  const rows = options.rows ?? [
    ...Object.keys(NAMES.operations).filter((name) => isPaired || name !== 'import'),
    'start',
  ];
  const connections = Math.min(FILLING_CONNECTIONS, groups);
  const names = [
    'service',
    ...(database === 'postgres' ? ['limit'] : []),
    ...(database === 'postgres' && options.connections > 1 ? ['memory', 'textbook'] : []),
    ...(before ? ['before'] : []),
  ].filter((name) => wanted?.includes(name) ?? true);
  const contestants = await enter(environment, names, options);
  const servers = {};
  for (const name of names) servers[name] = await contestants[name].start();
  const call = environment.startLoad();
  const run = (turn) => (turn.operation === 'import' ? importTurn(turn) : call(turn));
  for (const [name, server] of Object.entries(servers)) {
    console.error(`filling: ${name}`);
    await run({ operation: 'fill', server, connections, groups });
    // Otherwise PostgreSQL plans for an empty table, until its autovacuum comes by within a minute.
    if (database === 'postgres') await contestants[name].database.query('ANALYZE');
  }
  const rounds = await runRounds(run, servers, { ...options, rows });
  const processes = {};
  for (const name of names) {
    processes[name] = { loadedMiB: residentMiB(servers[name].pid) };
    await servers[name].stop();
  }
  if (!rows.includes('start')) return { rounds, processes };
  const restartable = names.filter(isService);
  for (const name of restartable) processes[name].starts = [];
  for (let start = 1; start <= STARTS; start++) {
    console.error(`start ${start} of ${STARTS}`);
    for (const name of restartable) {
      processes[name].starts.push(await measureStart(contestants[name]));
    }
  }
  return { rounds, processes };
}
