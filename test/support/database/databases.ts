import BetterSqlite3 from 'better-sqlite3';
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import { createPostgres, createSqlite, queryPostgres } from '../../system/lab/databases.mjs';
import { keyList } from '../../system/lab/keys.mjs';
import { noteDump, noteTokens, runDirectory } from '../jest/leaks.ts';

/** A database of its own for one test file, and how a process is told to use it. */
export interface TestDatabase {
  kind: DatabaseKind;
  /** Environment variables, as an operator would set them. */
  env: Record<string, string>;
  drop: () => Promise<void>;
}

export type DatabaseKind = 'sqlite' | 'postgres';

const postgresUrl = process.env['TEST_DATABASE_URL'];

/** A run with PostgreSQL may leave the embedded database to one without. */
const isSqliteLeftOut = Boolean(postgresUrl) && process.env['TEST_SQLITE'] === 'off';

export const databaseKinds: DatabaseKind[] = [
  ...(isSqliteLeftOut ? [] : (['sqlite'] as const)),
  ...(postgresUrl ? (['postgres'] as const) : []),
];

/** Fixed, so that two processes of one test agree on it. */
export const TEST_KEYS = keyList('k1');

export async function createTestDatabase(
  kind: DatabaseKind,
  template?: string,
): Promise<TestDatabase> {
  const database = await (kind === 'sqlite'
    ? createSqlite()
    : createPostgres(postgresUrl!, template));
  const env: Record<string, string> = database.env;
  return {
    kind,
    env,
    drop: async () => {
      if (kind === 'sqlite') dumpDirectory(database.dir);
      else await dumpPostgres(env['DATABASE_URL']!);
      await database.drop();
    },
  };
}

type Migrate = (env: Record<string, string>) => Promise<void>;

/**
 * Creates a test database that has its schema. Each process of the test runner runs the migrations once for each
 * kind, on an empty database, and copies the result.
 */
export async function createMigratedDatabase(
  kind: DatabaseKind,
  migrate: Migrate,
): Promise<TestDatabase> {
  const directory = runDirectory();
  if (directory === undefined) return createTestDatabase(kind);
  if (kind === 'postgres') return createTestDatabase(kind, await templateOf(directory, migrate));
  const database = await createTestDatabase(kind);
  const migrated = join(directory, `migrated-${process.pid}.sqlite`);
  const file = join(database.env['DATA_DIR']!, 'user-groups.sqlite');
  if (existsSync(migrated)) {
    copyFileSync(migrated, file);
    return database;
  }
  await migrate(database.env);
  // All of it is in this file once the last connection is closed.
  if (existsSync(`${file}-wal`)) throw new Error('somebody still uses the new database');
  copyFileSync(file, migrated);
  return database;
}

const TEMPLATE_NOTE = 'template-';

/** The name of the migrated PostgreSQL database of this process, which `dropTemplates` drops. */
async function templateOf(directory: string, migrate: Migrate): Promise<string> {
  const note = join(directory, `${TEMPLATE_NOTE}${process.pid}`);
  if (existsSync(note)) return readFileSync(note, 'utf8');
  const { env } = await createTestDatabase('postgres');
  const name = new URL(env['DATABASE_URL']!).pathname.slice(1);
  writeFileSync(note, name);
  await migrate(env);
  rmSync(env['DATA_DIR']!, { recursive: true, force: true });
  return name;
}

/** At the end of the run, after all who might copy them. */
export async function dropTemplates(): Promise<void> {
  const directory = runDirectory()!;
  for (const note of readdirSync(directory)) {
    if (!note.startsWith(TEMPLATE_NOTE)) continue;
    await administer(`DROP DATABASE ${readFileSync(join(directory, note), 'utf8')} WITH (FORCE)`);
  }
}

/** Dumps the files of the embedded database with its journal, and notes the first token of the same directory. */
function dumpDirectory(dataDir: string): void {
  if (!existsSync(dataDir)) return;
  for (const name of readdirSync(dataDir, { recursive: true, encoding: 'utf8' })) {
    const path = join(dataDir, name);
    if (!statSync(path).isFile()) continue;
    if (name.includes('.sqlite')) noteDump(readFileSync(path));
    if (name === 'bootstrap-token') noteTokens(readFileSync(path, 'utf8'));
  }
}

/** Every value of every table, bytes as they are. */
async function dumpPostgres(url: string): Promise<void> {
  // A test may have given its database shorter limits.
  const client = new Client({
    connectionString: url,
    options: '-c statement_timeout=0 -c lock_timeout=0',
  });
  await client.connect();
  const tables = await client.query<{ name: string }>(
    `SELECT quote_ident(table_name) AS name FROM information_schema.tables
     WHERE table_schema = 'public' AND table_type = 'BASE TABLE'`,
  );
  for (const { name } of tables.rows) {
    const { rows } = await client.query<unknown[]>({ text: `TABLE ${name}`, rowMode: 'array' });
    const lines = rows.map((row) => {
      const values = row.map((value) =>
        Buffer.isBuffer(value) ? value.toString('latin1') : String(value),
      );
      return `${name} ${values.join(' | ')}\n`;
    });
    if (lines.length > 0) noteDump(Buffer.from(lines.join(''), 'latin1'));
  }
  await client.end();
}

/** Runs a statement on a PostgreSQL database, by default the one that TEST_DATABASE_URL names. */
export async function administer(sql: string, url = postgresUrl!): Promise<void> {
  await queryPostgres(url, sql);
}

/** Changes a test's database behind the service's back, on a connection of its own. */
export async function changeDatabase({ kind, env }: TestDatabase, sql: string): Promise<void> {
  if (kind === 'postgres') return administer(sql, env['DATABASE_URL']);
  const connection = new BetterSqlite3(join(env['DATA_DIR']!, 'user-groups.sqlite'), {
    timeout: 100_000,
  });
  try {
    connection.exec(sql);
  } catch (error) {
    // The driver's error is one of another realm when it was loaded by another test file.
    throw new Error((error as Error).message, { cause: error });
  } finally {
    connection.close();
  }
}

/** Declares the same tests once for each database. */
export function onEachDatabase(tests: (kind: DatabaseKind) => void): void {
  describe.each(databaseKinds)('on %s', tests);
}

/**
 * Declares tests of what PostgreSQL alone has. Without one they are not even declared, since what
 * they are declared with may need its URL: one skipped test stands for them.
 */
export function onPostgres(name: string, tests: () => void): void {
  if (postgresUrl) describe(name, tests);
  else test.skip(`${name}: TEST_DATABASE_URL is not set`, () => undefined);
}

/** Lets PostgreSQL run a statement, and wait for a lock, for as long as a busy machine needs. */
export function withoutServerLimits(env: TestDatabase['env']): TestDatabase['env'] {
  const url = env['DATABASE_URL'];
  return url === undefined
    ? env
    : { ...env, DATABASE_URL: `${url}?statement_timeout=60000&lock_timeout=60000` };
}
