import console from 'node:console';
import process from 'node:process';
import { parseArgs } from 'node:util';
import { createPostgres, createSqlite } from './databases.mjs';
import { endServers, killServersNow } from './server.mjs';

/** The number of groups that the command line asks for: `--groups`, 100,000 by default. */
export function readGroups() {
  const { values } = parseArgs({ options: { groups: { type: 'string', default: '100000' } } });
  if (/^[1-9]\d{1,6}$/.test(values.groups)) return Number(values.groups);
  throw new Error('--groups must be a whole number from 10 to 9999999.');
}

/**
 * Does `work(database, count, print)` on a SQLite database and, if `TEST_DATABASE_URL` is set, on a
 * PostgreSQL database, each of its own. A failure is printed, and makes the exit code 1.
 */
export async function onEachDatabase(work) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, killServersNow);
  process.on('exit', killServersNow);
  const count = readGroups();
  const postgresUrl = process.env.TEST_DATABASE_URL;
  if (!postgresUrl) console.log('Runs on SQLite only: TEST_DATABASE_URL is not set.');
  await doOn('sqlite', await createSqlite(), work, count);
  if (postgresUrl) await doOn('postgres', await createPostgres(postgresUrl), work, count);
}

async function doOn(name, database, work, count) {
  try {
    await work(database, count, (line) => console.log(`${name}: ${line}`));
  } catch (error) {
    console.error(`${name}: FAILED: ${error.message}`);
    process.exitCode = 1;
  } finally {
    await endServers();
    await database.drop();
  }
}
