import { DuckDBInstance } from '@duckdb/node-api';
import Sqlite from 'better-sqlite3';
import { chownSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import * as mariadb from 'mariadb';
import pg from 'pg';
import { createPostgres } from '../lab/databases.mjs';
import { idsOf } from '../lab/packages.mjs';
import { run as runToItsEnd, start, temporaryDirectory } from '../lab/processes.mjs';

// An engine here is: `execute`, which binds values and returns rows as arrays; `parametersOf`, which returns how many
// parameters the engine finds in a text, or undefined if it refuses the text; `concat`, the SQL that joins texts; `types`;
// `casts` to moments and to texts; `tables`, a query of their names; and `close`.

const PROTOCOL_VIOLATION = '08P01';
const START_TRIES = 200;
const TRY_MS = 50;

export const engines = { postgresql, sqlite, mariadb: mariaDb, duckdb };

async function postgresql() {
  if (!process.env.TEST_DATABASE_URL) throw new Error('TEST_DATABASE_URL is not set');
  const database = await createPostgres(process.env.TEST_DATABASE_URL);
  const client = new pg.Client({ connectionString: database.env.DATABASE_URL });
  await client.connect();
  await client.query('SET synchronous_commit = off');
  const run = async (query) => (await client.query({ ...query, rowMode: 'array' })).rows;
  // Texts of one name are planned once.
  const names = new Map();
  const nameOf = (text) => names.get(text) ?? names.set(text, `s${names.size}`).get(text);
  return {
    execute: (text, values = []) => run({ name: nameOf(text), text, values }),
    // The server compares the number of values with that of the parameters before it runs anything.
    parametersOf: async (text, values) => {
      try {
        await client.query('BEGIN');
        await run({ text, values });
        return values.length;
      } catch (error) {
        return error.code === PROTOCOL_VIOLATION ? NaN : undefined;
      } finally {
        await client.query('ROLLBACK');
      }
    },
    concat: (...texts) => texts.join(' || '),
    types: { text: 'text', whole: 'bigint', ratio: 'double precision', day: 'date', moment: 'timestamptz' },
    casts: { moment: String, text: (one) => `${one}::text` },
    tables: "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
    close: async () => {
      await client.end();
      await database.drop();
    },
  };
}

async function sqlite() {
  const database = new Sqlite(':memory:');
  const execute = async (text, values = []) => {
    const statement = database.prepare(text).safeIntegers();
    return statement.reader ? statement.raw().all(values) : [statement.run(values).changes];
  };
  return {
    execute,
    parametersOf: async (text, values) => {
      try {
        await execute(text, values);
        return values.length;
      } catch (error) {
        return /parameter/.test(error.message) ? NaN : undefined;
      }
    },
    concat: (...texts) => texts.join(' || '),
    types: { text: 'text', whole: 'integer', ratio: 'real', day: 'text', moment: 'text' },
    casts: { moment: String, text: String },
    tables: "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY 1",
    close: async () => database.close(),
  };
}

async function mariaDb() {
  const directory = temporaryDirectory();
  const { uid, gid } = idsOf('mysql');
  chownSync(directory, uid, gid);
  const place = ['--no-defaults', '--user=mysql', `--datadir=${join(directory, 'data')}`];
  await runToItsEnd('mariadb-install-db', [...place, '--skip-test-db', '--auth-root-authentication-method=normal']);
  const socketPath = join(directory, 'socket');
  const server = start('mariadbd', [
    ...place,
    // It listens to nothing but this socket.
    ...['--skip-networking', `--socket=${socketPath}`, `--pid-file=${join(directory, 'pid')}`],
    ...['--character-set-server=utf8mb4', '--collation-server=utf8mb4_bin'],
    ...['--innodb-flush-log-at-trx-commit=0', '--skip-log-bin', '--max-allowed-packet=64M'],
  ]);
  const connection = await connectMariaDb(socketPath, server);
  await connection.query('CREATE DATABASE bound');
  await connection.query('USE bound');
  return {
    execute: async (text, values = []) => connection.execute({ sql: text, rowsAsArray: true }, values),
    parametersOf: async (text) => {
      try {
        const prepared = await connection.prepare(text);
        prepared.close();
        return prepared.parameterCount;
      } catch {
        return undefined;
      }
    },
    concat: (...texts) => `CONCAT(${texts.join(', ')})`,
    types: { text: 'longtext', whole: 'bigint', ratio: 'double', day: 'date', moment: 'datetime(6)' },
    casts: { moment: String, text: (one) => `CAST(${one} AS char)` },
    tables: 'SELECT table_name FROM information_schema.tables WHERE table_schema = DATABASE() ORDER BY 1',
    close: async () => {
      await connection.end();
      server.kill('SIGTERM');
      await server.ended;
    },
  };
}

async function connectMariaDb(socketPath, server) {
  for (let tries = 1; ; tries++) {
    try {
      const options = {
        socketPath,
        user: 'root',
        collation: 'UTF8MB4_BIN',
        bigIntAsNumber: false,
        prepareCacheLength: 16,
      };
      return await mariadb.createConnection(options);
    } catch (error) {
      if (tries === START_TRIES || server.exitCode !== null)
        throw new Error(`MariaDB does not start: ${server.said}`, { cause: error });
      await sleep(TRY_MS);
    }
  }
}

async function duckdb() {
  const instance = await DuckDBInstance.create(':memory:');
  const connection = await instance.connect();
  // Threads would cost more than such small statements.
  await connection.run('SET threads = 1');
  const prepared = new Map();
  return {
    // Its driver takes a byte order mark off when it reads a text, so none may come first.
    read: (expression) => `'<' || ${expression}`,
    execute: async (text, values = []) => {
      let statement = prepared.get(text);
      if (!statement) prepared.set(text, (statement = await connection.prepare(text)));
      statement.bind(values);
      return (await statement.runAndReadAll()).getRows();
    },
    parametersOf: async (text) => {
      try {
        return (await connection.prepare(text)).parameterCount;
      } catch {
        return undefined;
      }
    },
    concat: (...texts) => texts.join(' || '),
    types: { text: 'varchar', whole: 'bigint', ratio: 'double', day: 'date', moment: 'timestamptz' },
    casts: { moment: (one) => `CAST(${one} AS timestamptz)`, text: (one) => `CAST(${one} AS varchar)` },
    tables: 'SELECT table_name FROM information_schema.tables ORDER BY 1',
    close: async () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
