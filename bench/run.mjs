/**
 * Compares the service with the least that a Node.js server on PostgreSQL can do for the same
 * requests (limit-server.mjs), and with what the tutorials of Nest and TypeORM lead to
 * (textbook). The result is ratios of turns taken side by side: times of one
 * machine at one moment say nothing about another, and nothing here passes or fails by them. What
 * fails the benchmark is a wrong answer.
 */
import console from 'node:console';
import { writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { Environment } from './environment.mjs';
import { residentMiB } from './processes.mjs';
import { printReport } from './report.mjs';

const USAGE = `npm run bench -- [--rounds 5] [--seconds 3] [--connections 64] [--groups 10000] [--json FILE]
Needs TEST_DATABASE_URL: a PostgreSQL database whose user may create others.`;

const OPERATIONS = ['look-up', 'create', 'rotate', 'introspect'];

async function main() {
  const options = readOptions();
  const adminUrl = process.env.TEST_DATABASE_URL;
  if (!adminUrl) {
    throw new Error(
      'TEST_DATABASE_URL is not set: without PostgreSQL the figures would mean nothing.',
    );
  }
  const environment = new Environment(adminUrl);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
    process.on(signal, () => environment.abort(`stopped by ${signal}.`));
  }
  try {
    await Promise.race([compare(environment, options), environment.failure]);
  } finally {
    await environment.close();
  }
}

async function compare(environment, options) {
  const [{ server_version: postgres }] = await environment.query('SHOW server_version');
  const servers = await startServers(environment);
  const processes = mapValues(servers, ({ pid, startMilliseconds }) => ({
    startMilliseconds,
    idleMiB: residentMiB(pid),
  }));
  const run = environment.startLoad();
  const { seconds, connections, groups } = options;
  for (const server of Object.values(servers)) {
    await run({ operation: 'fill', server, connections, groups });
  }
  const rounds = {};
  for (const operation of OPERATIONS) {
    // The first turn of each is not counted: its code is compiled and its statements are prepared.
    const turns = [];
    for (let round = 0; round <= options.rounds; round++) {
      console.error(`${operation}, round ${round} of ${options.rounds}`);
      const turn = {};
      for (const [name, server] of Object.entries(servers)) {
        turn[name] = await run({ operation, server, seconds, connections, groups });
      }
      if (round > 0) turns.push(turn);
    }
    rounds[operation] = turns;
  }
  for (const [name, { pid }] of Object.entries(servers)) {
    processes[name].loadedMiB = residentMiB(pid);
  }
  const machine = {
    date: new Date().toISOString(),
    node: process.versions.node,
    postgres,
    cpu: cpus()[0]?.model,
    cores: availableParallelism(),
    loadAverage: loadavg()[0],
  };
  console.log(
    `Node.js ${machine.node}, PostgreSQL ${postgres}, ${machine.cores} cores, load average ${machine.loadAverage.toFixed(1)}`,
  );
  console.log(
    `${options.rounds} rounds of ${seconds} s, ${connections} connections, ${groups} groups\n`,
  );
  printReport(rounds, processes);
  if (options.json) {
    const result = { machine, options, rounds, processes };
    writeFileSync(options.json, `${JSON.stringify(result, undefined, 2)}\n`);
  }
}

function mapValues(object, change) {
  return Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));
}

/** In the order of their turns; each has a database to itself. */
async function startServers(environment) {
  const serviceUrl = await environment.createDatabase('service');
  const limitUrl = await environment.createDatabase('limit');
  const textbookUrl = await environment.createDatabase('textbook');
  return {
    service: await environment.startService({ DATABASE_URL: serviceUrl }),
    limit: await environment.startLimitServer({ DATABASE_URL: limitUrl }),
    textbook: await environment.startTextbookServer({ DATABASE_URL: textbookUrl }),
    sqlite: await environment.startService({ DATA_DIR: environment.createDirectory() }),
  };
}

function readOptions() {
  const { values } = parseArgs({
    options: {
      rounds: { type: 'string', default: '5' },
      seconds: { type: 'string', default: '3' },
      connections: { type: 'string', default: '64' },
      groups: { type: 'string', default: '10000' },
      json: { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(USAGE);
    process.exit();
  }
  const options = {
    rounds: Number(values.rounds),
    seconds: Number(values.seconds),
    connections: Number(values.connections),
    groups: Number(values.groups),
    json: values.json,
  };
  const { rounds, seconds, connections, groups } = options;
  const whole = [rounds, connections, groups].every((n) => Number.isInteger(n) && n > 0);
  if (!whole || !(seconds > 0)) throw new Error('Every option must be a number above zero.');
  if (groups < connections)
    throw new Error('There must be at least one group for each connection.');
  return options;
}

try {
  await main();
} catch (error) {
  // An AggregateError of a refused connection has a code and no message.
  console.error(`bench: ${error.message || error.code}`);
  process.exit(1);
}
