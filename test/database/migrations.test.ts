import { Client } from 'pg';
import { loadConfig } from '../../src/platform/config/load-config.ts';
import { createDataSource } from '../../src/platform/database/create-data-source.ts';
import { migratingOptions } from '../../src/platform/database/data-source-options.ts';
import {
  listMigrations,
  prepareDatabase,
  revertMigration,
} from '../../src/platform/database/schema/migrate.ts';
import { migrations } from '../../src/server/library/migrations.ts';
import {
  administer,
  changeDatabase,
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { runSql } from '../support/keys.ts';
import { untilLocked } from '../support/database/locks.ts';
import { withNextMigration } from '../support/database/next-migration.ts';
import { runCli, startServer } from '../support/process/processes.ts';
import { inRealTime } from '../support/time/real-time.ts';
import { startTestService } from '../support/test-service.ts';

onEachDatabase((kind) => {
  let database: TestDatabase;

  beforeEach(async () => {
    database = await createTestDatabase(kind);
  });

  afterEach(() => database.drop());

  test('every migration can be undone and done again', async () => {
    const config = loadConfig(database.env);
    await prepareDatabase(config);
    const schema = await schemaOf(database);
    expect(schema.length).toBeGreaterThan(20);
    for (const migration of migrations.slice(1)) {
      expect(migration.name).toMatch(/\d{13}$/);
      await revertMigration(config);
    }
    const states = await listMigrations(config);
    expect(states.filter(({ applied }) => applied)).toEqual([states[0]]);
    await prepareDatabase(config);
    expect(await schemaOf(database)).toEqual(schema);
  });

  test('the first migration, which would delete everything, cannot be undone', async () => {
    const config = loadConfig(database.env);
    await prepareDatabase(config);
    const schema = await schemaOf(database);
    for (let left = migrations.length; left > 1; left--) await revertMigration(config);
    await expect(revertMigration(config)).rejects.toThrow('delete the database instead');
    await prepareDatabase(config);
    expect(await schemaOf(database)).toEqual(schema);
  });

  test.each(['run', 'show', 'revert'])(
    'a database from before the first migration is left as it is by `migration %s`, with a word on what to do',
    async (command) => {
      await changeDatabase(
        database,
        `CREATE TABLE migration (id integer PRIMARY KEY, timestamp bigint NOT NULL, name text NOT NULL);
         INSERT INTO migration VALUES (1, 1795000000033, 'CreateActivity1795000000033')`,
      );
      expect(await runCli(database.env, 'migration', command)).toEqual({
        code: 1,
        stdout: '',
        stderr:
          'user-group-service: The database was made by a version before 0.1.0, or by another program; export the groups there with "group export", and import them into a new database with "group import".\n',
      });
      expect(await schemaOf(database)).toEqual([]);
    },
  );

  test('the list is in the order of its time stamps', async () => {
    const names = (await listMigrations(loadConfig(database.env))).map(({ name }) => name);
    expect(names).toEqual([...names].sort((a, b) => Number(a.slice(-13)) - Number(b.slice(-13))));
    expect(names).toHaveLength(migrations.length);
  });

  test('entities and migrated schema do not drift apart', async () => {
    const service = await startTestService(kind);
    const { dataSource } = service;
    // The schema builder writes to the log alone, but opens a transaction.
    const dry = await createDataSource({
      ...migratingOptions(loadConfig(service.database.env)),
      entities: dataSource.options.entities,
    }).initialize();
    const { upQueries } = await dry.driver.createSchemaBuilder().log();
    expect(upQueries.map(({ query }) => query)).toEqual([]);
    await dry.destroy();
    await service.close();
  });

  if (kind === 'postgres') {
    test('limits that the database has for short transactions do not end a migration', async () => {
      const config = loadConfig(database.env);
      await prepareDatabase(config);
      const name = new URL(database.env['DATABASE_URL']!).pathname.slice(1);
      for (const limit of [
        'lock_timeout',
        'statement_timeout',
        'idle_in_transaction_session_timeout',
      ]) {
        await administer(`ALTER DATABASE ${name} SET ${limit} = '2s'`);
      }
      const reader = new Client({ connectionString: config.databaseUrl! });
      await reader.connect();
      await reader.query(
        'BEGIN; SET LOCAL idle_in_transaction_session_timeout = 0; LOCK TABLE user_group IN ACCESS SHARE MODE',
      );
      const next = withNextMigration(config);
      const migrated = prepareDatabase(next);
      await untilLocked(database);
      await inRealTime(
        2500,
        'the limits of the database are 2 s, in which a busy machine begins and ends a statement',
      );
      await reader.end();
      await migrated;
      expect((await listMigrations(next)).every(({ applied }) => applied)).toBe(true);
    });

    test('a migration that has to wait for a reader holds up no caller meanwhile', async () => {
      const { api, stop } = await startServer(database.env);
      await api.put({ user_group_id: 'g', name: 'G' });
      // A backup holds this lock for as long as it runs.
      const backup = new Client({ connectionString: database.env['DATABASE_URL'] });
      await backup.connect();
      await backup.query('BEGIN; LOCK TABLE user_group_token IN ACCESS SHARE MODE');
      const migrated = prepareDatabase(withNextMigration(loadConfig(database.env)));
      for (let waits = 1; waits <= 3; waits++) {
        await untilLocked(database);
        const { status } = await api.put({ user_group_id: 'g', name: `G ${waits}` });
        expect(status).toBe(200);
      }
      expect(await findNext(database)).toHaveLength(0);
      await backup.query('COMMIT');
      await backup.end();
      await migrated;
      expect(await findNext(database)).toHaveLength(1);
      expect(await stop()).toBe(0);
    });
  }

  test('three servers that start at once on an empty database all serve it', async () => {
    const servers = await Promise.all(Array.from({ length: 3 }, () => startServer(database.env)));
    const answers = await Promise.all(
      servers.map(({ api }) => api.get({ user_group_id: 'shared', name: 'Shared' })),
    );
    expect(answers.filter(({ body }) => body.new_user_group)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.user_group.token)).size).toBe(1);
    expect(await Promise.all(servers.map((server) => server.stop()))).toEqual([0, 0, 0]);
  });
});

/** Tables with their columns, without what TypeORM keeps for itself. */
async function schemaOf({ env, kind }: TestDatabase): Promise<string[]> {
  const dataSource = await createDataSource(migratingOptions(loadConfig(env))).initialize();
  const sql =
    kind === 'sqlite'
      ? `SELECT m.name || '.' || p.name || ' ' || p.type AS line FROM sqlite_master m, pragma_table_info(m.name) p
         WHERE m.type = 'table' AND m.name NOT IN ('migration', 'sqlite_sequence') ORDER BY 1`
      : `SELECT table_name || '.' || column_name || ' ' || data_type AS line FROM information_schema.columns
         WHERE table_schema = 'public' AND table_name <> 'migration' ORDER BY 1`;
  const rows = await dataSource.query<{ line: string }[]>(sql);
  await dataSource.destroy();
  return rows.map(({ line }) => line);
}

/** Finds the column that `withNextMigration` adds, once it is committed. */
function findNext(database: TestDatabase): Promise<object[]> {
  return runSql(
    database,
    `SELECT FROM information_schema.columns WHERE table_name = 'encryption_key' AND column_name = 'note'`,
  );
}
