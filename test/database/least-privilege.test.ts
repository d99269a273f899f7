import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client } from 'pg';
import '../../src/server/app/features.ts';
import { loadConfig } from '../../src/platform/config/load-config.ts';
import { grantStatements } from '../../src/platform/database/schema/grants.ts';
import { prepareDatabase } from '../../src/platform/database/schema/migrate.ts';
import {
  administer,
  createTestDatabase,
  onPostgres,
  type TestDatabase,
} from '../support/database/databases.ts';
import { withNextMigration } from '../support/database/next-migration.ts';
import { runCli, startServer } from '../support/process/processes.ts';

/** The tables of which the service removes rows itself; those of others go with what they belong to. */
const REMOVES_FROM = [
  'activity',
  'audit_event',
  'bulk_job',
  'bulk_job_line',
  'bulk_job_result',
  'change_event',
  'console_session',
  'data_source_mapping',
  'idempotency_key',
  'registered_data_source',
  'registered_schema',
  'reminder',
  'reserved_id',
  'revoked_embed_token',
  'target',
  'usage_batch',
  'usage_count',
  'usage_limit',
  'usage_notice',
  'usage_user',
  'user_group',
  'user_group_plan',
  'user_group_plan_change',
  'user_group_version',
  'webhook_backlog',
  'webhook_delivery',
  'webhook_endpoint',
  'webhook_replay',
  'workspace_history',
];

/** The tables of the service whose ids a sequence counts, but for that of its migrations. */
const NUMBERED = [
  'api_token',
  'audit_event',
  'bulk_job_line',
  'change_event',
  'registered_data_source',
  'registered_schema',
  'target',
  'user_group',
  'webhook_delivery',
  'workspace',
];

test('deploy/postgresql/grants.sql has the statements of --grant-to', () => {
  const file = join(import.meta.dirname, '..', '..', 'deploy', 'postgresql', 'grants.sql');
  const shown = readFileSync(file, 'utf8');
  const statements = grantStatements('user_groups_service').map((sql) => `${sql};\n`);
  expect(shown).toBe(statements.join(''));
});

test('the embedded database has no roles to grant to', async () => {
  const database = await createTestDatabase('sqlite');
  const { code, stderr } = await runCli(database.env, ...RUN, 'a');
  expect([code, stderr]).toEqual([
    1,
    expect.stringMatching(/^.*--grant-to needs DATABASE_URL.*\n$/),
  ]);
  await database.drop();
});

const RUN = ['migration', 'run', '--grant-to'];

// SQLite has no roles.
onPostgres('on postgres', () => {
  const role = `user_groups_test_${randomUUID().replaceAll('-', '')}`;
  let database: TestDatabase;
  let owner: string;
  /** The environment of the service: its role owns nothing. */
  let env: Record<string, string>;

  beforeAll(async () => {
    database = await createTestDatabase('postgres');
    owner = database.env['DATABASE_URL']!;
    const url = new URL(owner);
    [url.username, url.password] = [role, 'secret'];
    env = { ...database.env, DATABASE_URL: url.href };
    await administer(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
  });

  afterAll(async () => {
    await database.drop();
    await administer(`DROP ROLE ${role}`);
  });

  /** Runs a statement as the owner of the tables. */
  async function query<Row extends object>(sql: string): Promise<Row[]> {
    const client = new Client({ connectionString: owner });
    await client.connect();
    const { rows } = await client.query<Row>(sql);
    await client.end();
    return rows;
  }

  test('migrating and granting need no encryption key, and can be done again', async () => {
    const asOwner = { DATABASE_URL: owner };
    for (const said of [/^\w+\d{13}$/m, /^$/]) {
      const { code, stdout, stderr } = await runCli(asOwner, ...RUN, role);
      expect([code, stdout, stderr]).toEqual([0, expect.stringMatching(said), expect.any(String)]);
    }
    const shown = await runCli(asOwner, 'migration', 'show');
    expect([shown.code, shown.stdout]).toEqual([0, expect.stringMatching(/ yes$/m)]);
    const missing = await runCli(asOwner, ...RUN, 'nobody"');
    expect(missing.stderr).toMatch(/role "nobody""?" does not exist/);
    expect(missing.code).toBe(1);
    const { username } = new URL(owner);
    const itself = await runCli(asOwner, ...RUN, username);
    expect([itself.code, itself.stderr]).toEqual([1, expect.stringContaining('owns the tables')]);
  });

  test('each table has a line of its own, and DELETE only where the service removes rows', async () => {
    const rows = await query<{ name: string; reads: boolean; removes: boolean }>(
      `SELECT relname AS name, has_table_privilege('${role}', oid, 'SELECT') AS reads,
              has_table_privilege('${role}', oid, 'DELETE') AS removes
       FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname`,
    );
    expect(rows.filter(({ reads }) => !reads)).toEqual([]);
    expect(rows.filter(({ removes }) => removes).map(({ name }) => name)).toEqual(REMOVES_FROM);
  });

  test('granting leaves tables of others alone, and takes back what the role had beyond its rights', async () => {
    const rightsOn = async (table: string) => {
      const rights = ['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'TRUNCATE', 'REFERENCES', 'TRIGGER'];
      const columns = rights.map((name) => `has_table_privilege('${role}', '${table}', '${name}')`);
      const [row] = await query<Record<string, boolean>>(
        `SELECT ${columns.map((column, index) => `${column} AS "${rights[index]}"`).join(', ')}`,
      );
      return rights.filter((name) => row![name]);
    };
    try {
      await query('CREATE TABLE granted_elsewhere (id integer)');
      await query('CREATE TABLE foreign_table (id serial)');
      await query(`GRANT SELECT, DELETE ON granted_elsewhere TO ${role}`);
      await query(`GRANT DELETE, TRUNCATE ON api_token TO ${role}`);
      await query(`GRANT ALL ON SEQUENCE workspace_id_seq TO ${role}`);
      const { code } = await runCli({ DATABASE_URL: owner }, ...RUN, role);
      expect(code).toBe(0);
      expect(await rightsOn('granted_elsewhere')).toEqual(['SELECT', 'DELETE']);
      expect(await rightsOn('foreign_table')).toEqual([]);
      const sequences = await query(
        `SELECT relname AS name, has_sequence_privilege('${role}', oid, 'USAGE') AS counts,
                has_sequence_privilege('${role}', oid, 'UPDATE') AS sets
         FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'S' ORDER BY relname`,
      );
      expect(sequences).toEqual(
        [
          ...NUMBERED.map((table) => ({ name: `${table}_id_seq`, counts: true, sets: false })),
          ...['foreign_table', 'migration'].map((table) => ({
            name: `${table}_id_seq`,
            counts: false,
            sets: false,
          })),
        ].sort((one, other) => one.name.localeCompare(other.name)),
      );
      expect(await rightsOn('api_token')).toEqual(['SELECT', 'INSERT', 'UPDATE']);
    } finally {
      await query('DROP TABLE IF EXISTS granted_elsewhere, foreign_table');
    }
  });

  test('a role that owns nothing can serve, and cannot touch the audit log', async () => {
    const { api, stop } = await startServer(env);
    const group = { user_group_id: 'g', name: 'G', mapping: { s: 1 }, properties: { a: 1 } };
    const { body } = await api.get(group);
    const { token } = body.user_group;
    const calls = [
      await api.put({ ...group, name: 'H', mapping: { s: 2 } }),
      await api.post({ current_token: token }, { 'Idempotency-Key': 'k' }),
      await api.call('POST', '/api/v1/user-groups/g/tokens/rotate', { grace_period_seconds: 60 }),
      await api.call('POST', '/api/v1/user-groups/g/tokens/2/revoke'),
      await api.call('POST', '/api/v1/introspect', { token }),
      await api.call('POST', '/api/v1/api-tokens/1/rotate', { grace_period_seconds: 60 }),
      await api.call('GET', '/api/v1/audit-events'),
      await api.call('DELETE', '/api/v1/user-groups/g'),
      await api.call('POST', '/api/v1/schemas', { provided_id: 's', name: 'S' }),
      await api.call('DELETE', '/api/v1/schemas/1'),
      await api.call('POST', '/api/v1/data-sources', { provided_id: 'd', name: 'D' }),
      await api.call('DELETE', '/api/v1/data-sources/1'),
    ];
    expect(calls.map(({ status }) => status)).toEqual([
      200, 200, 200, 200, 200, 201, 200, 200, 201, 200, 201, 200,
    ]);
    for (const args of [
      ['keys', 'rewrap'],
      ['workspace', 'create', 'another'],
      ['token', 'create', '--name', 'a', '--workspace', 'another'],
    ]) {
      const { code, stderr } = await runCli(env, ...args);
      expect([code, stderr]).toEqual([0, expect.any(String)]);
    }
    expect(await stop()).toBe(0);

    for (const sql of [
      'ALTER TABLE audit_event DISABLE TRIGGER ALL',
      'DROP TRIGGER audit_event_keep ON audit_event',
      "UPDATE audit_event SET action = 'x'",
      'DELETE FROM audit_event',
      'TRUNCATE audit_event',
      'DROP TABLE audit_event',
      'CREATE TABLE another (id integer)',
    ]) {
      await expect(administer(sql, env['DATABASE_URL'])).rejects.toThrow(
        /must be owner|permission denied|cannot be changed or removed/,
      );
    }
    for (const table of [
      'api_token',
      'encryption_key',
      'migration',
      'user_group_token',
      'workspace',
    ]) {
      await expect(administer(`DELETE FROM ${table}`, env['DATABASE_URL'])).rejects.toThrow(
        `permission denied for table ${table}`,
      );
    }
  });

  test('the serving role refuses to start where a migration is pending', async () => {
    await prepareDatabase(loadConfig(env));
    await expect(prepareDatabase(withNextMigration(loadConfig(env)))).rejects.toThrow(
      /must be owner|permission/,
    );
  });
});
