import { loadConfig } from '../../src/config/load-config';
import { createDataSource } from '../../src/database/create-data-source';
import { migratingOptions } from '../../src/database/data-source-options';
import { listMigrations, prepareDatabase, revertMigration } from '../../src/database/migrate';
import { migrations } from '../../src/database/migrations';
import { createTestDatabase, onEachDatabase, type TestDatabase } from '../support/databases';
import { startServer } from '../support/processes';
import { startTestService } from '../support/test-service';

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
    for (const migration of migrations) {
      expect(migration.name).toMatch(/\d{13}$/);
      await revertMigration(config);
    }
    expect((await listMigrations(config)).every(({ applied }) => !applied)).toBe(true);
    expect(await schemaOf(database)).toEqual([]);
    await prepareDatabase(config);
    expect(await schemaOf(database)).toEqual(schema);
  });

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

  test('five servers that start at once on an empty database all serve it', async () => {
    const servers = await Promise.all(Array.from({ length: 5 }, () => startServer(database.env)));
    const answers = await Promise.all(
      servers.map(({ api }) => api.get({ user_group_id: 'shared', name: 'Shared' })),
    );
    expect(answers.filter(({ body }) => body.new_user_group)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.user_group.token)).size).toBe(1);
    expect(await Promise.all(servers.map((server) => server.stop()))).toEqual([0, 0, 0, 0, 0]);
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
