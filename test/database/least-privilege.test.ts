import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config';
import { prepareDatabase, revertMigration } from '../../src/database/migrate';
import { administer, createTestDatabase, onPostgres } from '../support/databases';
import { startServer } from '../support/processes';

const page = readFileSync(join(__dirname, '..', '..', 'docs', 'security.md'), 'utf8');
const [, grants = ''] = /<!-- grants -->\s*```sql\n([\s\S]*?)```/.exec(page) ?? [];

// SQLite has no roles.
onPostgres('on postgres', () => {
  test('a role that owns nothing can serve, and cannot touch the audit log', async () => {
    const database = await createTestDatabase('postgres');
    const owner = database.env['DATABASE_URL']!;
    const role = `user_groups_test_${randomUUID().replaceAll('-', '')}`;
    const url = new URL(owner);
    [url.username, url.password] = [role, 'secret'];
    const env = { ...database.env, DATABASE_URL: url.href };
    await administer(`CREATE ROLE ${role} LOGIN PASSWORD 'secret'`);
    try {
      await prepareDatabase(loadConfig(database.env));
      await administer(grants.replaceAll('user_groups_service', role), owner);

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
      ];
      expect(calls.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 201, 200]);
      expect(await stop()).toBe(0);

      for (const sql of [
        'ALTER TABLE audit_event DISABLE TRIGGER ALL',
        'DROP TRIGGER audit_event_keep ON audit_event',
        "UPDATE audit_event SET action = 'x'",
        'DELETE FROM audit_event',
        'TRUNCATE audit_event',
        'DROP TABLE audit_event',
      ]) {
        await expect(administer(sql, url.href)).rejects.toThrow(
          /must be owner|permission denied|cannot be changed or removed/,
        );
      }

      await revertMigration(loadConfig(database.env));
      await expect(prepareDatabase(loadConfig(env))).rejects.toThrow(/must be owner|permission/);
    } finally {
      await database.drop();
      await administer(`DROP ROLE ${role}`);
    }
  });
});
