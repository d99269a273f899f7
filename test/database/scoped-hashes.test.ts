import { randomBytes } from 'node:crypto';
import { hashToken } from '../../src/common/secrets.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import {
  listMigrations,
  prepareDatabase,
  revertMigration,
} from '../../src/database/schema/migrate.ts';
import { createTestDatabase, onEachDatabase, type TestDatabase } from '../support/databases.ts';
import { noteForeignToken } from '../support/leaks.ts';
import { fillGroups, runSql, withKeys } from '../support/keys.ts';
import { importGroups } from '../support/lines.ts';
import { startTestService } from '../support/test-service.ts';

const GROUPS = 5000;
const MIGRATION = 'ScopeTokenHashes1795000000011';

/** A token as another system may have issued it. */
function foreignToken(): string {
  const token = `customer-${randomBytes(19).toString('hex')}`;
  noteForeignToken(token);
  return token;
}

onEachDatabase((kind) => {
  let database: TestDatabase;
  let env: Record<string, string>;

  beforeEach(async () => {
    database = await createTestDatabase(kind);
    env = withKeys(database, 'k1');
  });

  afterEach(() => database.drop());

  /** As the version before has left it. */
  const revert = async () => {
    const config = loadConfig(env);
    const isApplied = async () =>
      (await listMigrations(config)).some(({ name, applied }) => name === MIGRATION && applied);
    while (await isApplied()) await revertMigration(config);
  };
  const bytes = (value: Buffer) =>
    kind === 'sqlite' ? `x'${value.toString('hex')}'` : `'\\x${value.toString('hex')}'::bytea`;
  /** As the version before inserts it: without a workspace. */
  const insertToken = (group: string, token: string) =>
    runSql(
      database,
      `INSERT INTO user_group_token (user_group_id, generation, token_hash, created_at, retired_at)
       SELECT id, 0, ${bytes(hashToken(token))}, 0, 0 FROM user_group WHERE provided_id = '${group}'`,
    );
  const strays = () =>
    runSql(
      database,
      `SELECT t.user_group_id FROM user_group_token t JOIN user_group g ON g.id = t.user_group_id
       WHERE t.workspace_id IS NULL OR t.workspace_id <> g.workspace_id`,
    );

  test('tokens that were there before keep working, and so does what the version before writes meanwhile', async () => {
    await prepareDatabase(loadConfig(env));
    await revert();
    const tokens = await fillGroups(database, GROUPS, 'k1');
    await runSql(database, `INSERT INTO workspace (name, created_at) VALUES ('second', 0)`);
    await runSql(
      database,
      `UPDATE user_group SET workspace_id = (SELECT id FROM workspace WHERE name = 'second')
       WHERE provided_id = 'group 7'`,
    );
    const migrated = prepareDatabase(loadConfig(env));
    for (let group = 1; group <= 20 && kind === 'postgres'; group++) {
      await insertToken(`group ${group}`, foreignToken());
    }
    await migrated;
    await insertToken('group 21', foreignToken());
    expect(await strays()).toEqual([]);

    const { api, close } = await startTestService(database, env);
    for (const group of ['group 1', 'group 21', `group ${GROUPS}`]) {
      const { body } = await api.call('POST', '/api/v1/introspect', { token: tokens.get(group) });
      expect(body).toMatchObject({ active: true, sub: group });
      const rotated = await api.post({ current_token: tokens.get(group) });
      expect([group, rotated.status]).toEqual([group, 200]);
    }
    await close();
    expect(await strays()).toEqual([]);
  });

  test('a token that two workspaces share keeps the migration from being undone, in plain words', async () => {
    await prepareDatabase(loadConfig(env));
    const { api, close } = await startTestService(database, env);
    const shared = foreignToken();
    const [own] = await importGroups(api, { user_group_id: 'g', name: 'G', token: shared });
    await runSql(database, `INSERT INTO workspace (name, created_at) VALUES ('second', 0)`);
    await runSql(
      database,
      `INSERT INTO user_group (workspace_id, provided_id, name, properties, created_at, updated_at)
       SELECT id, 'h', 'H', '{}', 0, 0 FROM workspace WHERE name = 'second'`,
    );
    await insertToken('h', shared);
    expect(await strays()).toEqual([]);
    await expect(revert()).rejects.toThrow(
      /^Two workspaces have had the same user-group token.* team_id \d+ and \d+\. Delete one/,
    );
    await expect(revert()).rejects.toThrow(`${own!.team_id}`);
    // Those after it have been undone by then.
    await prepareDatabase(loadConfig(env));
    const { body } = await api.call('POST', '/api/v1/introspect', { token: shared });
    expect(body).toMatchObject({ active: true, sub: 'g' });
    await runSql(database, `DELETE FROM user_group WHERE provided_id = 'h'`);
    await close();
    await revert();
    await prepareDatabase(loadConfig(env));
    expect(await strays()).toEqual([]);
  });
});
