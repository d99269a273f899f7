import { randomUUID } from 'node:crypto';
import { loadConfig } from '../../src/platform/config/load-config.ts';
import { grantRights } from '../../src/platform/database/schema/grants.ts';
import { prepareDatabase, revertMigration } from '../../src/platform/database/schema/migrate.ts';
import {
  administer,
  createTestDatabase,
  onPostgres,
  type TestDatabase,
} from '../support/database/databases.ts';
import { withNextMigration } from '../support/database/next-migration.ts';
import { runCli, startServer } from '../support/process/processes.ts';
import { startTestService } from '../support/test-service.ts';

const GROUP = { user_group_id: 'acme', name: 'Acme', mapping: { sales: 'w' } };

test.each([
  [{ DATABASE_SCHEMA: 'groups' }, 'DATABASE_SCHEMA must not be set without DATABASE_URL.'],
  [{ DATABASE_SCHEMA: 'Groups; DROP' }, 'DATABASE_SCHEMA must be the name of a schema'],
  [{ DATABASE_SCHEMA: 'pg_groups' }, 'DATABASE_SCHEMA must be the name of a schema'],
  [
    {
      DATABASE_SCHEMA: 'groups',
      DATABASE_URL: 'postgres://a@b/c',
      DATABASE_DIRECT_URL: 'postgres://a@d/c',
    },
    'DATABASE_SCHEMA must not be set behind a connection pooler',
  ],
])('%j is refused', (env, message) => {
  expect(() => loadConfig(env as Record<string, string>)).toThrow(message);
});

onPostgres('a schema of its own', () => {
  let database: TestDatabase;
  const inSchema = (name: string): Record<string, string> => ({
    ...database.env,
    DATABASE_SCHEMA: name,
  });
  const tables = async (schema: string) => {
    const service = await startTestService({ ...database, env: inSchema(schema) });
    const rows = await service.query<{ name: string }>(
      `SELECT relname AS name FROM pg_class
       WHERE relkind IN ('r', 'S', 'f') AND relnamespace = 'public'::regnamespace`,
    );
    await service.close();
    return rows.map(({ name }) => name);
  };

  beforeEach(async () => {
    database = await createTestDatabase('postgres');
    // The table of the application that owns the database.
    await administer('CREATE TABLE user_group (id text)', database.env['DATABASE_URL']);
  });

  afterEach(() => database.drop());

  test('two services share a database with an application, and nothing else', async () => {
    const [first, second] = await Promise.all([
      startTestService({ ...database, env: inSchema('first') }),
      startTestService({ ...database, env: inSchema('second') }),
    ]);
    const { token } = (await first.api.get(GROUP)).body.user_group;
    expect((await second.api.get({ user_group_id: 'acme' })).status).toBe(404);
    expect(await second.api.introspect(token)).toMatchObject({ active: false });
    expect(await first.api.introspect(token)).toMatchObject({ active: true });
    expect((await first.api.post({ current_token: token })).status).toBe(200);
    expect(await first.api.introspect(token)).toMatchObject({ active: false });
    await Promise.all([first.close(), second.close()]);
    expect(await tables('first')).toEqual(['user_group']);
  });

  test('the schema stays what it is through restarts, and migrations go back', async () => {
    const env = inSchema('groups');
    const server = await startServer(env);
    await server.api.get(GROUP);
    await server.stop();
    const again = await startServer(env);
    expect((await again.api.get({ user_group_id: 'acme' })).status).toBe(200);
    await again.stop();
    expect((await runCli(env, 'migration', 'show')).stdout).not.toMatch(/ no$/m);
    const config = withNextMigration(loadConfig(env));
    const { migrated } = await prepareDatabase(config);
    expect(await revertMigration(config, undefined, 'next')).toBe(migrated[0]);
  });

  test('a role that owns nothing serves from it', async () => {
    const role = `user_groups_test_${randomUUID().replaceAll('-', '')}`;
    await administer(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    const env = inSchema('groups');
    await (await startTestService({ ...database, env })).close();
    await grantRights(loadConfig(env), role);
    const url = new URL(env['DATABASE_URL']!);
    [url.username, url.password] = [role, 'secret'];
    const serving = { ...env, DATABASE_URL: url.href };
    const service = await startTestService({ ...database, env: serving });
    expect((await service.api.get(GROUP)).status).toBe(200);
    await expect(service.query('SELECT * FROM public.user_group')).rejects.toThrow(/permission/);
    await service.close();
    await administer(`DROP OWNED BY ${role}`, env['DATABASE_URL']);
    await administer(`DROP ROLE ${role}`);
  });
});
