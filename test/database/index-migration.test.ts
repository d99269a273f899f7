import BetterSqlite3 from 'better-sqlite3';
import { once } from 'node:events';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { Client } from 'pg';
import '../../src/server/app/features.ts';
import { loadConfig } from '../../src/platform/config/load-config.ts';
import { createDataSource } from '../../src/platform/database/create-data-source.ts';
import { migratingOptions, sqlitePath } from '../../src/platform/database/data-source-options.ts';
import { prepareDatabase } from '../../src/platform/database/schema/migrate.ts';
import { createIndex } from '../../src/platform/database/migrations/build-index.ts';
import {
  createTestDatabase,
  onPostgres,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { runSql } from '../support/keys.ts';
import { runCli, spawnBuilt, startServer } from '../support/process/processes.ts';
import { until } from '../support/time/until.ts';

const PLUGINS = join(import.meta.dirname, '..', 'system', 'lab', 'next-migrations.mjs');
const MIGRATION = 'IndexGroups9999999999903';
const INDEX = 'next_groups_by_creation';

onEachDatabase((kind) => {
  test('a process that waits for another one to migrate says so, and gives up in time', async () => {
    const database = await createTestDatabase(kind);
    const release = await migrateForEver(database);
    const refused = await runCli(
      { ...database.env, MIGRATION_WAIT_SECONDS: '2' },
      'migration',
      'run',
    );
    expect([refused.code, refused.stdout]).toEqual([5, '']);
    expect(refused.stderr).toMatch(
      /^(?:waiting for another process that migrates the database, waited seconds \d+\n)?user-group-service: Another process has been migrating the database for 2 s \(MIGRATION_WAIT_SECONDS\)[^\n]*\n$/,
    );
    const patient = spawnBuilt('main.js', { ...database.env, PORT: '0', METRICS_PORT: '0' });
    await says(patient.stdout, '"msg":"waiting for another process that migrates the database"');
    await release();
    await says(patient.stdout, '"msg":"ready"');
    const ended = once(patient, 'exit');
    patient.kill();
    await ended;
    await database.drop();
  });
});

onPostgres('on a PostgreSQL that is in use', () => {
  let database: TestDatabase;
  let backup: Client;

  beforeEach(async () => {
    database = await createTestDatabase('postgres');
    await runCli({ ...database.env, PLUGINS }, 'migration', 'run');
    await runSql(database, `DELETE FROM next_migration WHERE name = '${MIGRATION}'`);
    await runSql(database, `DROP INDEX ${INDEX}`);
    backup = new Client({ connectionString: database.env['DATABASE_URL'] });
    await backup.connect();
    // An index that is built concurrently is complete only after every older snapshot of the database has ended.
    await backup.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM user_group');
  });

  afterEach(async () => {
    await backup.end();
    await database.drop();
  });

  test('an index is built while a backup reads and callers write', async () => {
    const server = spawnMigration(database);
    await buildHasBegun(database);
    // Without the migration, as the version before.
    const { api, stop } = await startServer(database.env);
    for (let i = 0; i < 20; i++) {
      const written = await api.put({ user_group_id: `g${i % 3}`, name: `G ${i}` });
      const found = await api.get({ user_group_id: `g${i % 3}` });
      const rotated = await api.post({ current_token: found.body.user_group.token });
      expect([written, found, rotated].map(({ status }) => status)).toEqual([200, 200, 200]);
    }
    // None of them has waited for the build.
    expect(await isWhole(database)).toBe(false);
    await backup.query('COMMIT');
    expect(await server.finished).toEqual([0, `MIGRATION\n${MIGRATION}\n`]);
    expect(await isWhole(database)).toBe(true);
    expect(await stop()).toBe(0);
  });

  test('an index whose making was cut off is made anew', async () => {
    const killed = spawnMigration(database);
    await buildHasBegun(database);
    killed.process.kill('SIGKILL');
    await runSql(
      database,
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND query LIKE 'CREATE INDEX CONCURRENTLY%'`,
    );
    await backup.query('COMMIT');
    expect(await isWhole(database)).toBe(false);
    const again = await runCli({ ...database.env, PLUGINS }, 'migration', 'run');
    expect([again.code, again.stdout]).toEqual([0, `MIGRATION\n${MIGRATION}\n`]);
    expect(await isWhole(database)).toBe(true);
  });

  test('a making that outlives its process is waited for, and its index taken over', async () => {
    const killed = spawnMigration(database);
    await buildHasBegun(database);
    killed.process.kill('SIGKILL');
    const before = await runSql(database, `SELECT '${INDEX}'::regclass::oid AS oid`);
    const next = spawnMigration(database);
    await says(next.process.stderr, 'waiting for another process that migrates the database');
    await backup.query('COMMIT');
    expect(await next.finished).toEqual([0, `MIGRATION\n${MIGRATION}\n`]);
    expect(await isWhole(database)).toBe(true);
    expect(await runSql(database, `SELECT '${INDEX}'::regclass::oid AS oid`)).toEqual(before);
  });

  test('a start that has nothing to migrate waits for nobody', async () => {
    await backup.query('COMMIT');
    await prepareDatabase(loadConfig(database.env));
    await backup.query('SELECT pg_advisory_lock(7245310119)');
    const { stop } = await startServer({ ...database.env, MIGRATION_WAIT_SECONDS: '0' });
    expect(await stop()).toBe(0);
  });

  test('a unique index over equal rows is refused, and none is left that would refuse more', async () => {
    await backup.query('COMMIT');
    await runSql(
      database,
      `INSERT INTO workspace (name, public_id, created_at) VALUES ('b', 'b', 1), ('c', 'c', 1)`,
    );
    const dataSource = await createDataSource(
      migratingOptions(loadConfig(database.env)),
    ).initialize();
    const runner = dataSource.createQueryRunner();
    const index = { name: 'x', table: 'workspace', columns: ['created_at'], isUnique: true };
    await expect(createIndex(runner, index)).rejects.toThrow(/could not create unique index/);
    expect(await runSql(database, "SELECT FROM pg_class WHERE relname = 'x'")).toEqual([]);
    await createIndex(runner, { ...index, where: 'created_at > 1' });
    expect(await runSql(database, "SELECT FROM pg_class WHERE relname = 'x'")).toHaveLength(1);
    await runner.release();
    await dataSource.destroy();
  });
});

/** Holds what a process holds that migrates; gives its release. */
async function migrateForEver({ env, kind }: TestDatabase): Promise<() => Promise<void>> {
  if (kind === 'sqlite') {
    const file = new BetterSqlite3(sqlitePath(env['DATA_DIR']!));
    file.exec('BEGIN IMMEDIATE');
    return () => {
      file.close();
      return Promise.resolve();
    };
  }
  const client = new Client({ connectionString: env['DATABASE_URL'] });
  await client.connect();
  await client.query('SELECT pg_advisory_lock(7245310118)');
  return () => client.end();
}

function spawnMigration({ env }: TestDatabase) {
  const child = spawnBuilt('cli.js', { ...env, PLUGINS }, 'migration', 'run');
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  const finished = once(child, 'close').then(([code]) => [code as number | null, stdout] as const);
  return { process: child, finished };
}

async function buildHasBegun(database: TestDatabase): Promise<void> {
  await until(async () => (await isWhole(database)) !== undefined);
}

/** Undefined if there is no such index. */
async function isWhole(database: TestDatabase): Promise<boolean | undefined> {
  const [row] = await runSql<{ indisvalid: boolean }>(
    database,
    `SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('${INDEX}')`,
  );
  return row?.indisvalid;
}

async function says(stream: Readable, words: string): Promise<void> {
  let text = '';
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.includes(words)) return;
  }
  throw new Error(`it did not say ${words} but: ${text}`);
}
