import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import '../../src/server/app/features.ts';
import { loadConfig } from '../../src/platform/config/load-config.ts';
import { ownSchema } from '../../src/platform/database/schema/own-schema.ts';
import { prepareDatabase } from '../../src/platform/database/schema/migrate.ts';
import { administer, createTestDatabase, onPostgres } from '../support/database/databases.ts';
import { runSql } from '../support/keys.ts';
import { startTestService } from '../support/test-service.ts';

const root = join(import.meta.dirname, '..', '..');

onPostgres('on postgres', () => {
  test('each key of an index that is a text has the order of code points, which no update of the system changes', async () => {
    const service = await startTestService('postgres');
    const keys = await service.query<{ name: string; collation: string }>(
      `SELECT i.indexrelid::regclass::text || ' key ' || k.number AS name, l.collname AS collation
       FROM pg_index AS i JOIN pg_class AS c ON c.oid = i.indexrelid
       CROSS JOIN unnest(i.indcollation) WITH ORDINALITY AS k(collation_id, number)
       JOIN pg_collation AS l ON l.oid = k.collation_id
       WHERE c.relnamespace = current_schema()::regnamespace`,
    );
    expect(keys.length).toBeGreaterThan(15);
    expect(keys.filter(({ collation }) => collation !== 'C')).toEqual([]);
    await service.close();
  });

  test('a start warns of other indexes if the order below them has changed, and names them', async () => {
    const { env, drop, ...rest } = await createTestDatabase('postgres');
    const url = new URL(env['DATABASE_URL']!);
    const name = `user_groups_test_${randomUUID().replaceAll('-', '')}`;
    await administer(
      `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'UTF8' LOCALE 'C.UTF-8' LOCALE_PROVIDER icu ICU_LOCALE 'en-US'`,
    );
    url.pathname = `/${name}`;
    const database = { ...rest, env: { ...env, DATABASE_URL: url.href }, drop };
    const config = loadConfig(database.env);
    const warnings = async () => {
      const found: [string, unknown][] = [];
      await prepareDatabase(
        config,
        (level, msg, details) => level === 'warn' && found.push([msg, details]),
      );
      return found;
    };
    expect(await warnings()).toEqual([]);
    await administer(`UPDATE pg_database SET datcollversion = '1' WHERE datname = '${name}'`);
    expect(await warnings()).toEqual([]);
    await runSql(
      database,
      'CREATE TABLE of_a_plugin (a text PRIMARY KEY, b text COLLATE "C" UNIQUE)',
    );
    const [warning, ...others] = await warnings();
    expect(others).toEqual([]);
    expect(warning).toEqual([expect.stringContaining('REINDEX'), { indexes: 'of_a_plugin_pkey' }]);
    await administer(`ALTER DATABASE ${name} REFRESH COLLATION VERSION`);
    expect(await warnings()).toEqual([]);
    await administer(`DROP DATABASE ${name} WITH (FORCE)`);
    await drop();
  });

  test('a start names the tables whose sequences a logical replication has left behind, and the page sets them', async () => {
    const service = await startTestService('postgres');
    const { database } = service;
    const config = loadConfig(database.env);
    const warnings = async () => {
      const found: unknown[] = [];
      await prepareDatabase(
        config,
        (level, _msg, details) => level === 'warn' && found.push(details),
      );
      return found;
    };
    await service.api.create();
    expect(await warnings()).toEqual([]);
    await runSql(
      database,
      `SELECT ${ownSchema()
        .numbered.map((table) => `setval('${table}_id_seq', 1, false)`)
        .join(', ')}`,
    );
    expect(await warnings()).toEqual([
      { tables: 'audit_event, change_event, user_group, workspace' },
    ]);
    const created = () => service.api.put({ user_group_id: 'after', name: 'A' });
    expect((await created()).status).toBe(503);
    const page = readFileSync(join(root, 'docs', 'operate', 'replicas-and-failover.md'), 'utf8');
    const [, sql = ''] = /<!-- sequences -->\n```sql\n([\s\S]*?)```/.exec(page) ?? [];
    for (const table of ownSchema().numbered) expect(sql).toContain(`'${table}'`);
    await runSql(database, sql);
    expect(await warnings()).toEqual([]);
    expect((await created()).status).toBe(200);
    await service.close();
  });

  test('groups are found and listed by code points, whatever the collation of the database is', async () => {
    const service = await startTestService('postgres');
    const ids = ['a-b', 'aB', 'Ab', 'ab', 'a b', 'ä', 'Z'];
    for (const user_group_id of ids) await service.api.put({ user_group_id, name: 'N' });
    const rows = await service.query<{ id: string }>(
      'SELECT provided_id AS id FROM user_group ORDER BY provided_id',
    );
    expect(rows.map(({ id }) => id)).toEqual(ids.toSorted());
    await service.close();
  });
});
