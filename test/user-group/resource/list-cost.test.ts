import { recordRoundTrips } from '../../support/database/database-traffic.ts';
import { changeDatabase, onEachDatabase } from '../../support/database/databases.ts';
import { planOf, wasteIn } from '../../support/database/query-plan.ts';
import { withService } from '../../support/test-service.ts';

const PATH = '/api/v1/user-groups';
const GROUPS = 20_000;
/** 1 January 2100. */
const LATER = 4_102_444_800_000;
/** Steps that read all groups, or all of an index. */
const WHOLE = /Seq Scan on user_group|SCAN g USING|SEARCH g USING INDEX \w+ \(workspace_id=\?\)/;
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
    // Half of the groups end, one in a hundred of these within the period; 1,500 have an old token, which is past for all but 500.
    await changeDatabase(
      service.database,
      `UPDATE user_group SET valid_until = ${LATER} + (CASE WHEN updated_at % 200 = 0 THEN 0 ELSE 1000 END)
       WHERE updated_at % 2 = 0`,
    );
    for (const [generation, retired, ends, step] of [
      [1, '1', `${LATER}`, 40],
      [1, '1', '1', 20],
      [2, 'NULL', 'NULL', 20],
    ] as const) {
      await changeDatabase(
        service.database,
        `INSERT INTO user_group_token
           (user_group_id, generation, workspace_id, token_hash, last_four, created_at, retired_at, valid_until)
         SELECT id, ${generation}, 1, ${kind === 'sqlite' ? 'randomblob(32)' : 'uuid_send(gen_random_uuid())'}, 'last', 1,
           ${retired}, ${ends}
         FROM user_group g WHERE g.updated_at % ${step} = 0 AND NOT EXISTS (
           SELECT 1 FROM user_group_token t WHERE t.user_group_id = g.id AND t.generation = ${generation})`,
      );
    }
    await changeDatabase(service.database, 'ANALYZE');
  });

  const readAll = async (query: string) => {
    roundTrips.length = 0;
    const found: number[] = [];
    let [calls, cursor] = [0, ''];
    do {
      const { status, body } = await service.api.call('GET', `${PATH}?limit=200&${query}${cursor}`);
      expect([query, status]).toEqual([query, 200]);
      found.push(...body.user_groups.map(({ team_id: id }) => id));
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- absent on the last page
      cursor = body.next_cursor === undefined ? '' : `&cursor=${body.next_cursor}`;
      calls++;
    } while (cursor !== '');
    return {
      calls,
      found,
      statements: new Set(roundTrips.flat().filter((sql) => sql.includes('FROM user_group'))),
    };
  };

  test.each(SORTS)(
    'sorted by %s, groups that few of a filter pass are read by their ids',
    async (sort) => {
      const period = `valid_until_before=${new Date(LATER + 500).toISOString()}`;
      for (const [filter, count, index] of [
        [period, 100, /user_group_(workspace_id_)?valid_until_(id_)?idx/],
        ['in_overlap=true', 500, /user_group_token_(overlap|valid_until)_idx/],
      ] as const) {
        const { calls, found, statements } = await readAll(`${filter}&sort=${sort}`);
        expect([filter, new Set(found).size, calls]).toEqual([
          filter,
          count,
          Math.ceil(count / 200),
        ]);
        for (const sql of statements) {
          const plan = await planOf(service, sql);
          const isList = sql.includes('AS "providedId"');
          expect([sql, plan.filter((step) => WHOLE.test(step)), plan]).toEqual([sql, [], plan]);
          if (!isList) expect([sql, plan.join('\n')]).toEqual([sql, expect.stringMatching(index)]);
          else if (sql.includes('json_')) {
            expect([sql, plan.join('\n')]).toEqual([
              sql,
              expect.stringMatching(/id = ANY|PRIMARY KEY \(rowid=\?\)/),
            ]);
          }
        }
      }
      const { found } = await readAll(
        `valid_until_after=${new Date(LATER).toISOString()}&sort=${sort}`,
      );
      expect(new Set(found).size).toBe(GROUPS / 2 - 100);
    },
  );

  test.each(SORTS)('sorted by %s, no statement reads or sorts more than its page', async (sort) => {
    for (const filter of [
      '',
      '&search=x',
      '&status=active',
      '&status=expired',
      '&status=suspended&search=name',
    ]) {
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
});
