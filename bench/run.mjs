/**
 * Compares the service with the least that a Node.js server on PostgreSQL can do for the same
 * requests (limit-server.mjs), with what the tutorials of Nest and TypeORM lead to (textbook), and
 * with an older revision of itself. The result is ratios of turns taken side by side: times of one
 * machine at one moment say nothing about another, and nothing here passes or fails by them. What
 * fails the benchmark is a wrong answer.
 */
import console from 'node:console';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { buildRevision } from '../test/system/lab/revision.mjs';
import { cleanUp } from '../test/system/lab/processes.mjs';
import { compare } from './compare.mjs';
import { Environment } from './environment.mjs';
import { grow } from './growth.mjs';
import { measureImports } from './import.mjs';
import { NAMES } from './names.mjs';
import { printReport } from './report.mjs';
import { commitOf, currentRevision, lastLanded } from './revisions.mjs';
import { measureScale } from './scale.mjs';
import { starve } from './starvation.mjs';
import { errorsIn } from './summary.mjs';
import { judge, requireSpeed } from './verdict.mjs';
import { isWrkInstalled } from './wrk.mjs';

const ROWS = [...Object.keys(NAMES.operations), 'start'];

const USAGE = `npm run bench -- [what]... [--rounds 5] [--seconds 3] [--against REVISION] [--json DIRECTORY]
                       [--rows NAME,NAME] [--servers NAME,NAME] [--client wrk]

  compare     look-up, create, rotate and introspect by 64 connections (what is run if nothing is named)
  wrk         the same with wrk as the client (Debian package wrk), if it is installed
  alone       the same by one connection
  sqlite      the same on the embedded database
  import      an import of 100,000 groups, on both databases
  growth      the same as compare on 10,000, 100,000 and 1,000,000 groups
  starvation  callers of one workspace beside 400 writers of one group in another
  all         all of the above
  scale       the same, imports, reads, searches, starts and sizes on 10,000 and 10,000,000 groups
  verdict     fails if look-up, create, rotate, introspect or import is more than 3 % slower than before

--against builds another revision of the service and runs it in the same rounds; imports of 20,000 groups join them.
For the verdict this is by default BENCH_AGAINST, or else the last revision that landed: the newest release in the
history other than this version; without a release, the commit where this branch left its origin, or the one before
HEAD if nothing has changed since. --json writes what was measured to <what>.json.
--rows leaves out the others of: ${ROWS.join(', ')};
--servers those of: ${Object.keys(NAMES.servers).join(', ')}.
The databases of scale stay for its next run with --keep; with --fill it does nothing but fill them.
Also: --connections, --groups, --lines, --sizes, and --client wrk for alone, sqlite, growth and the verdict.
Needs TEST_DATABASE_URL: a PostgreSQL database whose user may create others.`;

/** What is run, with options that are fixed, and defaults of its own. */
const RUNS = {
  compare: { run: compare },
  wrk: { run: compare, fixed: { client: 'wrk' } },
  alone: { run: compare, fixed: { connections: 1 } },
  sqlite: { run: compare, fixed: { database: 'sqlite' } },
  import: { run: measureImports },
  growth: { run: grow },
  starvation: { run: starve },
  scale: { run: measureScale, isApart: true, defaults: { sizes: [10_000, 10_000_000] } },
  verdict: {
    run: judge,
    check: requireSpeed,
    isApart: true,
    defaults: { rounds: 100, seconds: 0.5 },
  },
};
const DEFAULTS = {
  database: 'postgres',
  rounds: 5,
  seconds: 3,
  connections: 64,
  groups: 10_000,
  lines: 100_000,
  sizes: [10_000, 100_000, 1_000_000],
};

async function main() {
  const { names, options } = readOptions();
  const adminUrl = process.env.TEST_DATABASE_URL;
  if (!adminUrl) {
    throw new Error(
      'TEST_DATABASE_URL is not set: without PostgreSQL the figures would mean nothing.',
    );
  }
  if (names.includes('verdict')) options.against ??= process.env.BENCH_AGAINST || lastLanded();
  const revisions = { service: currentRevision() };
  if (options.against) {
    revisions.before = commitOf(options.against);
    console.error(`building ${options.against}`);
    options.before = await buildRevision(options.against);
  }
  let errors = 0;
  for (const name of names) {
    const { run, check, fixed, defaults } = RUNS[name];
    const all = { ...DEFAULTS, ...defaults, ...options, ...fixed };
    requireCounts(all);
    if (all.client === 'wrk' && !isWrkInstalled()) {
      console.log(`${name} is left out: wrk is not installed.`);
      continue;
    }
    const result = { ...(await runAlone(adminUrl, run, all)), revisions };
    if (options.fill) continue;
    printReport(name, result);
    if (options.json) {
      mkdirSync(options.json, { recursive: true });
      const text = `${JSON.stringify(result, undefined, 2)}\n`;
      writeFileSync(join(options.json, `${name}.json`), text);
    }
    errors += errorsIn(result).length;
    check?.(result);
  }
  if (errors > 0) throw new Error(`${errors} turns had a wrong answer.`);
}

async function runAlone(adminUrl, run, options) {
  const environment = new Environment(adminUrl);
  const stop = (signal) => environment.abort(`stopped by ${signal}.`);
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'];
  for (const signal of signals) process.on(signal, stop);
  try {
    const machine = await describeMachine(environment);
    const result = await Promise.race([run(environment, options), environment.failure]);
    return { machine, options: { ...options, json: undefined, before: undefined }, ...result };
  } finally {
    await environment.close();
    for (const signal of signals) process.off(signal, stop);
  }
}

async function describeMachine(environment) {
  const [settings] = await environment.query(
    `SELECT current_setting('server_version') AS version, current_setting('synchronous_commit') AS commit,
       current_setting('fsync') AS fsync, current_setting('shared_buffers') AS buffers`,
  );
  return {
    date: new Date().toISOString(),
    node: process.versions.node,
    postgres: settings.version,
    synchronousCommit: settings.commit,
    fsync: settings.fsync,
    sharedBuffers: settings.buffers,
    cpu: cpus()[0]?.model,
    cores: availableParallelism(),
    memoryGiB: Math.round(totalmem() / 2 ** 30),
    loadAverage: loadavg()[0],
  };
}

function readOptions() {
  const names = ['rounds', 'seconds', 'connections', 'groups', 'lines'];
  const lists = ['rows', 'servers', 'sizes'];
  const texts = [...names, ...lists, 'client', 'against', 'json'];
  const flags = ['fill', 'keep', 'help'];
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      ...Object.fromEntries(texts.map((name) => [name, { type: 'string' }])),
      ...Object.fromEntries(flags.map((name) => [name, { type: 'boolean' }])),
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit();
  }
  const wanted = positionals.length === 0 ? ['compare'] : positionals;
  for (const name of wanted) {
    if (name !== 'all' && !RUNS[name]) throw new Error(`There is no ${name}.\n${USAGE}`);
  }
  const options = { ...values };
  for (const name of lists) if (values[name] !== undefined) options[name] = values[name].split(',');
  for (const name of names) if (values[name] !== undefined) options[name] = Number(values[name]);
  if (options.sizes) options.sizes = options.sizes.map(Number);
  requireKnown('row', options.rows, ROWS);
  requireKnown('server', options.servers, Object.keys(NAMES.servers));
  const together = Object.keys(RUNS).filter((name) => !RUNS[name].isApart);
  return { names: wanted.includes('all') ? together : wanted, options };
}

function requireCounts({ rounds, seconds, connections, groups, lines, sizes }) {
  const counts = [rounds, connections, groups, lines, ...sizes];
  const areWhole = counts.every((count) => Number.isInteger(count) && count > 0);
  if (!areWhole || !(seconds > 0)) throw new Error('Every number must be above zero.');
  if (groups < connections) {
    throw new Error('There must be at least one group for each connection.');
  }
  if (sizes.some((size) => size < groups)) throw new Error('--sizes are below --groups.');
}

function requireKnown(kind, names, known) {
  const unknown = names?.find((name) => !known.includes(name));
  if (unknown !== undefined) throw new Error(`There is no ${kind} ${unknown}.\n${USAGE}`);
}

try {
  await main();
} catch (error) {
  // An AggregateError of a refused connection has a code and no message.
  console.error(`bench: ${error.message || error.code}`);
  process.exitCode = 1;
} finally {
  await cleanUp();
  // What was interrupted may still be waiting for something.
  process.exit();
}
