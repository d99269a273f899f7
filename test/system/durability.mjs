import console from 'node:console';
import { randomInt } from 'node:crypto';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { Api } from './lab/api.mjs';
import { createPostgres, createSqlite } from './lab/databases.mjs';
import { Client, runUntilKilled } from './durability/load.mjs';
import { endServers, killServersNow, startServer } from './lab/server.mjs';
import { verify } from './durability/verify.mjs';

// Shows that an acknowledged write survives the sudden death of the service. SIGKILL ends the built server in the
// middle of a write load. The server starts again on the same data. Everything it holds is compared with the responses
// to its clients. An acknowledged write must be there; a write in flight is there as a whole or not at all.
//
// The process dies here, not the machine: data that the operating system has been given survives, so this cannot tell
// whether a commit has reached the disk.
//
//   node test/system/durability.mjs [--kills 20]
//
// TEST_DATABASE_URL names a PostgreSQL on which a database of its own may be created.

const CLIENTS = 24;
const EARLIEST_KILL_MS = 150;
const LATEST_KILL_MS = 1200;
const MAX_LINES = 20;

let interrupted = false;

class Violated extends Error {
  constructor(violations) {
    super(`${violations.length} violations`);
    this.violations = violations;
  }
}

async function main() {
  const kills = readKills();
  const postgresUrl = process.env.TEST_DATABASE_URL;
  if (!postgresUrl) console.log('Runs on SQLite only: TEST_DATABASE_URL is not set.');
  let sound = await survives('sqlite', createSqlite, kills);
  if (postgresUrl && !interrupted) {
    sound = (await survives('postgres', () => createPostgres(postgresUrl), kills)) && sound;
  }
  if (!sound) process.exitCode = 1;
  if (interrupted) process.exitCode = 130;
}

function readKills() {
  const { values } = parseArgs({ options: { kills: { type: 'string', default: '20' } } });
  if (/^[1-9]\d{0,3}$/.test(values.kills)) return Number(values.kills);
  throw new Error('--kills must be a whole number from 1 to 9999.');
}

/** Whether the service lost nothing on this database; whatever happens, the database is gone afterwards. */
async function survives(name, create, kills) {
  let database;
  try {
    database = await create();
    report(name, await killRepeatedly(name, database, kills), kills);
    return true;
  } catch (error) {
    reportFailure(name, error);
    return false;
  } finally {
    await endServers();
    await database?.drop();
  }
}

async function killRepeatedly(name, database, kills) {
  const clients = Array.from({ length: CLIENTS }, (_, index) => new Client(index + 1));
  const totals = { creates: 0, writes: 0, rotations: 0, inFlight: 0, applied: 0 };
  let server = await startServer({ ...database, isPatient: true });
  for (let kill = 1; kill <= kills; kill++) {
    const delay = randomInt(EARLIEST_KILL_MS, LATEST_KILL_MS + 1);
    const faults = await runUntilKilled(server, clients, delay, totals);
    if (faults.length > 0) throw new Violated(faults.map((fault) => `kill ${kill}: ${fault}`));
    const inFlight = clients.filter((client) => client.pending).length;
    const connections = await database.connections();
    server = await startServer({ ...database, isPatient: true });
    await database.ended(connections);
    totals.inFlight += inFlight;
    totals.applied += await verifyAll(database, server, clients, kill, kill === kills);
    console.log(
      `${name} kill ${kill}/${kills} after ${delay} ms: so far ${acknowledged(totals)}; ` +
        `${inFlight} in flight at the kill; ready again in ${server.startedInMs} ms`,
    );
  }
  return totals;
}

async function verifyAll(database, server, clients, kill, everything) {
  const api = new Api(server.url);
  try {
    const { applied, violations } = await verify(database, api, clients, everything);
    if (violations.length === 0) return applied;
    throw new Violated(violations.map((violation) => `kill ${kill}: ${violation}`));
  } finally {
    api.close();
  }
}

/** A run in which nothing was acknowledged, or nothing was in flight, has shown nothing. */
function report(name, totals, kills) {
  if (Math.min(totals.creates, totals.writes, totals.rotations, totals.inFlight) === 0) {
    throw new Error(`the load was too small to show anything: ${acknowledged(totals)}.`);
  }
  console.log(
    `${name}: ${kills} kills, ${acknowledged(totals)}, 0 lost; ` +
      `${totals.inFlight} in flight, of which ${totals.applied} wholly applied and the others not at all`,
  );
}

function acknowledged({ creates, writes, rotations }) {
  return `${creates} creates, ${writes} writes, ${rotations} rotations acknowledged`;
}

function reportFailure(name, error) {
  if (interrupted) {
    console.error(`${name}: interrupted`);
    return;
  }
  if (!(error instanceof Violated)) {
    // A refused connection has no message of its own.
    console.error(`${name}: FAILED: ${error.message || error.code}`);
    return;
  }
  const { violations } = error;
  for (const violation of violations.slice(0, MAX_LINES)) {
    console.error(`${name}: VIOLATED: ${violation}`);
  }
  console.error(`${name}: ${violations.length} violations; the run on this database ends here.`);
}

/** Ends the servers. A part that waits for one then fails, and cleans up on its way out. */
function interrupt() {
  interrupted = true;
  killServersNow();
}

for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, interrupt);
process.on('exit', killServersNow);
main().catch((error) => {
  console.error(`durability: ${error.message}`);
  process.exitCode = 1;
});
