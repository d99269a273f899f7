import { DuckDBInstance } from '@duckdb/node-api';
import Sqlite from 'better-sqlite3';
import process from 'node:process';
import pg from 'pg';
import { createPostgres } from '../lab/databases.mjs';
import { MARIADB_SESSIONS, mariaDb } from './mariadb.mjs';

// An engine here is: `execute`, which binds values and returns rows as arrays; `runOnce`, which keeps nothing of a text; `hex`, the SQL
// of the hexadecimal digits of a text's UTF-8; `parametersOf`, which returns how many
// parameters the engine finds in a text, or undefined if it refuses the text; `concat`, the SQL that joins texts; `types`;
// `casts` to moments and to texts; `tables`, a query of their names; and `close`.

const PROTOCOL_VIOLATION = '08P01';

export const engines = { postgresql, sqlite, mariadb: mariaDb, duckdb };

/** Sessions whose settings change how an engine reads texts; a text that `bindVariables` accepts depends on none of them. */
export const sessions = Object.entries(MARIADB_SESSIONS).map(([name, session]) => {
  return { dialect: 'mariadb', name: `mariadb with ${name}`, open: () => mariaDb(session) };
});

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
    runOnce: (text) => run({ text }),
    hex: (text) => `encode(convert_to(${text}, 'UTF8'), 'hex')`,
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
    types: {
      text: 'text',
      whole: 'bigint',
      ratio: 'double precision',
      day: 'date',
      moment: 'timestamptz',
    },
    casts: { moment: String, text: (one) => `${one}::text` },
    tables:
      "SELECT table_name FROM information_schema.tables WHERE table_schema = 'public' ORDER BY 1",
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
    runOnce: execute,
    hex: (text) => `lower(hex(${text}))`,
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
    runOnce: async (text) => (await connection.runAndReadAll(text)).getRows(),
    hex: (text) => `lower(hex(${text}))`,
    parametersOf: async (text) => {
      try {
        return (await connection.prepare(text)).parameterCount;
      } catch {
        return undefined;
      }
    },
    concat: (...texts) => texts.join(' || '),
    types: {
      text: 'varchar',
      whole: 'bigint',
      ratio: 'double',
      day: 'date',
      moment: 'timestamptz',
    },
    casts: {
      moment: (one) => `CAST(${one} AS timestamptz)`,
      text: (one) => `CAST(${one} AS varchar)`,
    },
    tables: 'SELECT table_name FROM information_schema.tables ORDER BY 1',
    close: async () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
}
