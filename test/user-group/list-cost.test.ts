import { recordRoundTrips } from '../support/database-traffic.ts';
import { changeDatabase, onEachDatabase } from '../support/databases.ts';
import { planOf, wasteIn } from '../support/query-plan.ts';
import { withService } from '../support/test-service.ts';

const PATH = '/api/v1/user-groups';
const GROUPS = 20_000;
const SORTS = ['created_at', 'updated_at', 'name'].flatMap((by) => [by, `-${by}`]);

onEachDatabase((kind) => {
  const roundTrips = recordRoundTrips();
  const service = withService(kind);

  beforeAll(async () => {
    const numbers = {
      sqlite: `WITH RECURSIVE n(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM n WHERE value < ${GROUPS}) `,
      postgres: `WITH n AS (SELECT generate_series(1, ${GROUPS}) AS value) `,
    }[kind];
    await changeDatabase(
      service.database,
      `${numbers} INSERT INTO user_group (workspace_id, provided_id, name, properties, created_at, updated_at)
       SELECT 1, 'group ' || value, 'name ' || (value * 7919 % ${GROUPS}), '{"region":"EMEA"}', value, value * 7919 % ${GROUPS}
       FROM n`,
    );
    await changeDatabase(
      service.database,
      `INSERT INTO data_source_mapping (user_group_id, schema_id, data_source, data_source_type)
       SELECT id, s.name, 'x', 'string' FROM user_group, (SELECT 'a' AS name UNION ALL SELECT 'b') s`,
    );
    await changeDatabase(service.database, 'ANALYZE');
  });

  test.each(SORTS)('sorted by %s, no statement reads or sorts more than its page', async (sort) => {
    for (const filter of ['', '&search=x', '&resolvable=false', '&suspended=true&search=name']) {
      roundTrips.length = 0;
      const first = await service.api.call('GET', `${PATH}?limit=2&sort=${sort}${filter}`);
      expect([filter, first.status]).toEqual([filter, 200]);
      const cursor = `&cursor=${first.body.next_cursor}`;
      await service.api.call('GET', `${PATH}?limit=2&sort=${sort}${filter}${cursor}`);
      const sent = new Set(roundTrips.flat().filter((sql) => sql.includes('FROM user_group g')));
      expect(sent.size).toBeGreaterThan(1);
      for (const sql of sent) {
        // The few that a search has found are read by their ids, and put into order after that.
        if (sql.includes('ANY(ARRAY(') || sql.includes('json_each(')) continue;
        expect([sql, wasteIn(await planOf(service, sql))]).toEqual([sql, []]);
      }
    }
  });

  test('groups with large mappings are examined by the number of their entries', async () => {
    const api = service.clientOf(await service.issueToken(['user-groups:read'], 'large mappings'));
    const [workspace] = await service.query<{ id: number }>("SELECT id FROM workspace WHERE name = 'large mappings'");
    const entries = Array.from({ length: 200 }, (_, index) => `('s${index}')`).join();
    await changeDatabase(
      service.database,
      `INSERT INTO user_group (workspace_id, provided_id, name, properties, created_at, updated_at)
       SELECT ${workspace!.id}, provided_id, name, '{}', 1, updated_at FROM user_group ORDER BY id LIMIT 50`,
    );
    await changeDatabase(
      service.database,
      `WITH s(name) AS (VALUES ${entries}) INSERT INTO data_source_mapping (user_group_id, schema_id, data_source, data_source_type)
       SELECT id, s.name, 'x', 'string' FROM user_group, s WHERE workspace_id = ${workspace!.id}`,
    );
    for (const sort of SORTS) {
      const pages: number[] = [];
      for (let cursor = ''; ;) {
        const { body } = await api.call('GET', `${PATH}?resolvable=false&sort=${sort}${cursor}`);
        pages.push(body.user_groups.length);
        // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- absent on the last page
        if (body.next_cursor === undefined) break;
        cursor = `&cursor=${body.next_cursor}`;
      }
      expect([sort, pages]).toEqual([sort, [10, 10, 10, 10, 10]]);
    }
  });
});
