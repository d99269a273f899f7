import console from 'node:console';
import { performance } from 'node:perf_hooks';
import { URL, URLSearchParams } from 'node:url';
import { measureStart } from './contestants.mjs';
import { importTurn } from './import.mjs';
import { dropMany, enterMany } from './many.mjs';
import { residentMiB, sharedMiB } from './processes.mjs';
import { runRounds } from './rounds.mjs';
import { median } from './summary.mjs';

const OPERATIONS = ['look-up', 'create', 'rotate', 'introspect', 'introspect-hot', 'import'];
const STARTS = 3;
const TIMES = 5;
const { fetch } = globalThis;
const GROUPS = '/api/v1/user-groups';
/** The name of the group that is looked for among all. */
const LAST = 'zebra';
const BACKENDS = `SELECT pid FROM pg_stat_activity
  WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'`;
const TABLES = `SELECT relname AS name, CAST(pg_total_relation_size(oid) AS float8) AS bytes FROM pg_class
  WHERE relname IN ('user_group', 'user_group_token', 'data_source_mapping', 'audit_event')`;

/** Reads of one caller alone, by the number of a group. */
const READS = {
  'one group': (number) => `${GROUPS}/group%20${number}`,
  'list, first page': () => list({}),
  'list by name, last page': () => list({ sort: '-name' }),
  'list, a property': () => list({ property_name: 'region', property_value: 'EMEA' }),
  'list, a property of no group': () => list({ property_name: 'region', property_value: 'APAC' }),
  'list, a prefix of the name': () => list({ name_prefix: 'Gro' }),
  'list, suspended groups': () => list({ status: 'suspended' }),
  'list, a call of a search': (number) => list({ search: `group ${number}` }),
  'list, with the count of all': () => list({ count: 'true' }),
  overview: () => '/api/v1/overview',
  'usage, the busiest groups': () => '/api/v1/usage?by=group',
  'audit events of a group': (number) => `/api/v1/audit-events?object_id=group%20${number}`,
};

/**
 * The service on databases of very different sizes, in turns: what growth measures, and imports, reads, a search of all
 * groups, the start, memory and the disk. The databases are kept for the next run, if `keep` says so.
 */
export async function measureScale(environment, options) {
  const { sizes, connections, groups, rounds, fill, keep } = options;
  const services = await enterMany(environment, options);
  if (fill) return {};
  const databases = sizes.map((size) => services[size].database);
  const tables = {};
  for (const size of sizes) tables[size] = await services[size].database.query(TABLES);
  const servers = {};
  const call = environment.startLoad();
  for (const size of sizes) {
    servers[size] = {
      ...(await services[size].start()),
      turn: { stride: Math.floor(size / groups) },
    };
    await call({
      operation: 'learn',
      server: servers[size],
      connections,
      groups,
      ...servers[size].turn,
    });
  }
  const run = (turn) => (turn.operation === 'import' ? importTurn(turn) : call(turn));
  const measured = await runRounds(run, servers, { ...options, rows: OPERATIONS });
  const reads = await measureReads(servers, sizes, rounds);
  const processes = {};
  for (const [index, size] of sizes.entries()) {
    const pids = (await databases[index].query(BACKENDS)).map(({ pid }) => pid);
    const databaseMiB = pids.reduce((sum, pid) => sum + sharedMiB(pid), 0);
    processes[size] = { loadedMiB: residentMiB(servers[size].pid), databaseMiB, starts: [] };
  }
  const searches = {};
  for (const size of sizes) {
    await send(servers[size], `${GROUPS}/${LAST}`, {
      method: 'PUT',
      body: JSON.stringify({ name: LAST }),
    });
    searches[size] = {};
    for (const filter of ['search', 'name_prefix']) {
      searches[size][filter] = await findLast(servers[size], filter);
    }
  }
  for (const size of sizes) await servers[size].stop();
  for (let start = 1; start <= STARTS; start++) {
    for (const size of sizes) processes[size].starts.push(await measureStart(services[size]));
  }
  if (!keep) await dropMany(environment, options);
  return { rounds: measured, reads, searches, processes, tables };
}

/** The milliseconds of each read, round after round, by size. */
async function measureReads(servers, sizes, rounds) {
  const reads = {};
  for (const [name, pathOf] of Object.entries(READS)) {
    console.error(name);
    reads[name] = [];
    for (let round = 0; round <= rounds; round++) {
      const turns = {};
      for (const size of round % 2 === 0 ? sizes : sizes.toReversed()) {
        const times = [];
        for (let time = 0; time < TIMES; time++) {
          const number = 1 + Math.floor(Math.random() * size);
          const begun = performance.now();
          await send(servers[size], pathOf(number));
          times.push(performance.now() - begun);
        }
        turns[size] = { milliseconds: median(times) };
      }
      if (round > 0) reads[name].push(turns);
    }
  }
  return reads;
}

/** How many calls, and seconds, it takes to find the group that was created last. */
async function findLast(server, filter) {
  const begun = performance.now();
  let cursor;
  for (let calls = 1; ; calls++) {
    const { user_groups, next_cursor } = await send(
      server,
      list({ [filter]: LAST, ...(cursor && { cursor }) }),
    );
    if (user_groups.length > 0) return { calls, seconds: (performance.now() - begun) / 1000 };
    if (!next_cursor) throw new Error(`No ${filter} finds the group ${LAST}.`);
    cursor = next_cursor;
  }
}

function list(query) {
  return `${GROUPS}?${new URLSearchParams({ limit: '100', ...query })}`;
}

async function send({ port, apiToken }, path, options) {
  const headers = { Authorization: `Token ${apiToken}`, 'Content-Type': 'application/json' };
  const response = await fetch(new URL(path, `http://127.0.0.1:${port}`), { headers, ...options });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response.json();
}
