import { spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { administer, onPostgres, TEST_KEYS } from '../support/database/databases.ts';
import { runCli, startServer } from '../support/process/processes.ts';
import { root } from './manifests.ts';

const SECRETS = '/run/secrets/user-groups';

// It wants psql, as the container of PostgreSQL has it.
onPostgres('on postgres', () => {
  test('the first start of PostgreSQL under compose.yaml makes an owner and a role that serves', async () => {
    const prefix = `user_groups_test_${randomUUID().replaceAll('-', '')}`;
    const directory = mkdtempSync(join(tmpdir(), 'user-groups-roles-'));
    const url = (role: string) =>
      Object.assign(new URL(process.env['TEST_DATABASE_URL']!), {
        username: `${prefix}_${role}`,
        password: `password-of-${role}`,
        pathname: `/${prefix}`,
      }).href;
    try {
      for (const role of ['owner', 'service']) {
        writeFileSync(join(directory, `${role}-password`), `password-of-${role}`);
      }
      const script = readFileSync(join(root, 'deploy', 'compose', 'roles.sql'), 'utf8')
        .replaceAll(SECRETS, directory)
        .replaceAll('user_groups_', `${prefix}_`)
        .replaceAll(/\buser_groups\b/g, prefix);
      const args = ['--no-psqlrc', '--set=ON_ERROR_STOP=1', process.env['TEST_DATABASE_URL']!];
      const psql = spawnSync('psql', args, { input: script, encoding: 'utf8' });
      expect([psql.status, psql.stderr]).toEqual([0, '']);

      // The service `migrate` has no key.
      writeFileSync(join(directory, 'database-url'), url('owner'));
      const { code, stderr } = await runCli(
        { DATABASE_URL_FILE: join(directory, 'database-url') },
        'migration',
        'run',
        '--grant-to',
        `${prefix}_service`,
      );
      expect([code, stderr]).toEqual([0, expect.any(String)]);

      const { api, stop } = await startServer({
        DATABASE_URL: url('service'),
        TOKEN_ENCRYPTION_KEYS: TEST_KEYS,
      });
      expect((await api.get({ user_group_id: 'g', name: 'G' })).status).toBe(200);
      expect(await stop()).toBe(0);
      await expect(administer('DROP TABLE user_group', url('service'))).rejects.toThrow('owner');
      for (const role of ['owner', 'service']) {
        for (const sql of ['CREATE ROLE x', "COPY (SELECT 1) TO PROGRAM 'true'"]) {
          await expect(administer(sql, url(role))).rejects.toThrow(
            /permission denied|must be superuser/,
          );
        }
      }
    } finally {
      rmSync(directory, { recursive: true });
      await administer(`DROP DATABASE IF EXISTS ${prefix} WITH (FORCE)`);
      for (const role of ['owner', 'service']) {
        await administer(`DROP ROLE IF EXISTS ${prefix}_${role}`);
      }
    }
  });
});
