import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { errorsOf, registryBody, TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';

onEachDatabase((kind) => {
  const service = withService(kind);
  let own: TestWorkspace;
  let other: TestWorkspace;
  let count = 0;

  beforeEach(async () => {
    own = await TestWorkspace.create(service, `own-${++count}`);
    other = await TestWorkspace.create(service, `other-${count}`);
  });

  /** The rows of a group's mapping with what they were resolved to. */
  async function rowsOf(workspace: TestWorkspace, group: string) {
    return service.query<{ schema_id: string; schema: number | null; source: number | null }>(
      `SELECT m.schema_id, m.registered_schema_id AS schema, m.registered_data_source_id AS source
       FROM data_source_mapping m JOIN user_group g ON g.id = m.user_group_id
       JOIN workspace w ON w.id = g.workspace_id
       WHERE w.name = '${workspace.name}' AND g.provided_id = '${group}' ORDER BY m.schema_id`,
    );
  }

  describe('open', () => {
    test('is the policy of a new workspace, and takes any ids', async () => {
      const answer = await own.api.call('GET', '/api/v1/workspace');
      expect(answer.body).toEqual({
        success: 1,
        workspace: {
          id: expect.stringMatching(/^ws_[0-9a-f]{32}$/),
          mapping_policy: 'open',
          variables: [],
          required_schemas: [],
          embed_token_issuer: null,
          embed_token_audiences: [],
          view_as: 'allowed',
          user_group_quota: null,
        },
      });
      await own.schema('sales');
      expect((await own.put('g', { mapping: { sales: 'nothing', 7: 999 } })).status).toBe(200);
      expect(await rowsOf(own, 'g')).toEqual([
        { schema_id: '7', schema: null, source: null },
        { schema_id: 'sales', schema: null, source: null },
      ]);
    });
  });

  describe('registered', () => {
    test('a data source is named by your own id, by our number, and by its decimal digits', async () => {
      const schema = await own.schema('sales');
      const source = await own.dataSource('warehouse');
      await own.set({ mapping_policy: 'registered' });
      for (const value of ['warehouse', source, String(source)]) {
        for (const key of ['sales', String(schema)]) {
          const answer = await own.put('g', { mapping: { [key]: value } });
          expect([key, value, answer.status]).toEqual([key, value, 200]);
          expect(await rowsOf(own, 'g')).toEqual([{ schema_id: key, schema, source }]);
        }
      }
    });

    test('of a string your own id wins over our number', async () => {
      const first = await own.dataSource('first');
      const second = await own.dataSource(String(first));
      const schema = await own.schema('s');
      const named = await own.schema(String(schema));
      await own.set({ mapping_policy: 'registered' });
      await own.put('text', { mapping: { [schema]: String(first) } });
      await own.put('number', { mapping: { [schema]: first } });
      expect(await rowsOf(own, 'text')).toMatchObject([{ schema: named, source: second }]);
      expect(await rowsOf(own, 'number')).toMatchObject([{ schema: named, source: first }]);
    });

    test('what only looks like our number, or is of another workspace, is unknown in the same words', async () => {
      const schema = await own.schema('sales');
      const source = await own.dataSource('warehouse');
      const foreign = await other.dataSource('theirs');
      const foreignSchema = await other.schema('theirs');
      await own.set({ mapping_policy: 'registered' });
      const words = new Set<string>();
      const lookalikes = [`0${source}`, `+${source}`, `${source}.0`, `${source}e0`, ` ${source}`];
      lookalikes.push(
        `${source}\n`,
        `0x${source}`,
        `-${source}`,
        '０１',
        '١',
        '1e3',
        '',
        '__proto__',
      );
      lookalikes.push(
        '9'.repeat(9),
        '9'.repeat(10),
        '9'.repeat(200),
        'WAREHOUSE',
        'warehouse ',
        'null',
      );
      lookalikes.push("x' OR '1'='1", '%', '😀', String(foreign), 'theirs');
      for (const value of [...lookalikes, foreign, 0, -1, 2 ** 31, 2 ** 53 - 1, -source]) {
        const answer = await own.put('g', { mapping: { sales: value } });
        expect([value, answer.status, errorsOf(answer)]).toEqual([
          value,
          422,
          [['/mapping/sales', 'unknown_data_source']],
        ]);
        words.add(JSON.stringify(answer.body.errors));
      }
      expect(words.size).toBe(1);
      const keys = [
        `0${schema}`,
        `${schema}.0`,
        'Sales',
        String(foreignSchema),
        'theirs',
        'constructor',
      ];
      for (const key of [...keys, '9'.repeat(200)]) {
        const answer = await own.put('g', { mapping: { [key]: 'warehouse' } });
        expect([key, answer.status, errorsOf(answer)]).toEqual([
          key,
          422,
          [[`/mapping/${key}`, 'unknown_schema']],
        ]);
      }
      expect((await own.api.get({ user_group_id: 'g' })).status).toBe(404);
    });

    test('naughty ids that are registered resolve to themselves', async () => {
      const ids = [
        '__proto__',
        'constructor',
        "x' OR 1=1 --",
        '7e1',
        '0',
        '😀',
        'a/b~c',
        '"',
        '\\',
      ];
      const numbers = new Map<string, number>();
      for (const id of ids) numbers.set(id, await own.dataSource(id));
      for (const id of ids) await own.schema(id);
      await own.set({ mapping_policy: 'registered' });
      const mapping = JSON.stringify(Object.fromEntries(ids.map((id) => [id, id])));
      const answer = await own.api.put(`{"user_group_id":"g","name":"G","mapping":${mapping}}`);
      expect(answer.status).toBe(200);
      const rows = await rowsOf(own, 'g');
      expect(rows.map(({ schema_id, source }) => [schema_id, source]).sort()).toEqual(
        [...numbers].sort(),
      );
    });

    test('two keys that name one schema are refused', async () => {
      const schema = await own.schema('sales');
      await own.dataSource('w');
      await own.set({ mapping_policy: 'registered' });
      const answer = await own.put('g', { mapping: { sales: 'w', [schema]: 'w' } });
      expect(errorsOf(answer).sort()).toEqual([
        [`/mapping/${schema}`, 'repeated'],
        ['/mapping/sales', 'repeated'],
      ]);
    });

    test('every unknown entry is named, up to 20, and nothing is stored', async () => {
      await own.schema('sales');
      await own.dataSource('w');
      await own.set({ mapping_policy: 'registered' });
      await own.put('g', { mapping: { sales: 'w' } });
      const unknown = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`s${n}`, n]));
      const answer = await own.put('g', { name: 'changed', mapping: { sales: 'w', ...unknown } });
      expect([answer.status, answer.body.errors.length]).toEqual([422, 20]);
      expect((await own.api.get({ user_group_id: 'g' })).body.user_group.name).toBe('g');
      expect(await rowsOf(own, 'g')).toHaveLength(1);
    });

    test('what is registered later changes no mapping that is stored', async () => {
      const schema = await own.schema('sales');
      await own.schema('billing');
      const source = await own.dataSource('warehouse');
      await own.set({ mapping_policy: 'registered' });
      const key = String(schema);
      await own.put('g', { mapping: { [key]: String(source) } });
      const before = await rowsOf(own, 'g');
      const later = await own.dataSource(String(source));
      await own.schema(key);
      // The entry stays as it was if it is sent again, and if another entry is sent.
      await own.put('g', { mapping: { [key]: String(source) } });
      expect(await rowsOf(own, 'g')).toEqual(before);
      await own.put('g', { mapping: { [key]: String(source), billing: 'warehouse' } });
      expect(await rowsOf(own, 'g')).toEqual(expect.arrayContaining(before));
      await own.put('new', { mapping: { billing: String(source) } });
      expect(await rowsOf(own, 'new')).toMatchObject([{ source: later }]);
    });

    test('the contract answers and looks up a mapping as it was sent', async () => {
      const schema = await own.schema('sales');
      const source = await own.dataSource('w');
      await own.set({ mapping_policy: 'registered' });
      const group = { user_group_id: 'g', name: 'G', mapping: { [schema]: source } };
      const created = await own.api.get(group);
      const again = await own.api.get(group);
      expect(again.body).toEqual({ ...created.body, new_user_group: false });
      const [row] = await service.query<{ count: number }>(
        `SELECT count(*) AS count FROM audit_event WHERE action = 'user_group.update' AND workspace_id =
         (SELECT id FROM workspace WHERE name = '${own.name}')`,
      );
      expect(row!.count).toBe(0);
    });
  });

  describe('the switch', () => {
    test('resolves what is stored, by the rule of a write, and back to open forgets it', async () => {
      const schema = await own.schema('sales');
      const billing = await own.schema('billing');
      const source = await own.dataSource('warehouse');
      const second = await own.dataSource('second');
      await other.put('theirs', { mapping: { sales: 'warehouse' } });
      await own.put('a', { mapping: { sales: 'warehouse', [billing]: second } });
      await own.put('b', { mapping: { [schema]: String(second) } });
      await own.put('c');
      const answer = await own.set({ mapping_policy: 'registered' });
      expect([answer.status, registryBody(answer).workspace.mapping_policy]).toEqual([
        200,
        'registered',
      ]);
      expect(await rowsOf(own, 'a')).toEqual([
        { schema_id: String(billing), schema: billing, source: second },
        { schema_id: 'sales', schema, source },
      ]);
      expect(await rowsOf(own, 'b')).toEqual([
        { schema_id: String(schema), schema, source: second },
      ]);
      expect(await rowsOf(other, 'theirs')).toMatchObject([{ schema: null, source: null }]);
      await own.set({ mapping_policy: 'open' });
      expect(await rowsOf(own, 'a')).toEqual([
        { schema_id: String(billing), schema: null, source: null },
        { schema_id: 'sales', schema: null, source: null },
      ]);
    });

    test('is refused while a mapping cannot be resolved, and says which', async () => {
      const schema = await own.schema('sales');
      await own.dataSource('w');
      await other.dataSource('theirs');
      await own.put('fine', { mapping: { sales: 'w' } });
      await own.put('a/b~c', { mapping: { sales: 'theirs' } });
      await own.put('key', { mapping: { gone: 'w', '007': 'w' } });
      await own.put('twice', { mapping: { sales: 'w', [schema]: 'w' } });
      const errors = [
        ['/user_groups/a~1b~0c/mapping/sales', 'unknown_data_source'],
        ['/user_groups/key/mapping/007', 'unknown_schema'],
        ['/user_groups/key/mapping/gone', 'unknown_schema'],
        [`/user_groups/twice/mapping/${schema}`, 'repeated'],
        ['/user_groups/twice/mapping/sales', 'repeated'],
      ];
      const refused = await own.set({ mapping_policy: 'registered', required_schemas: ['sales'] });
      expect([refused.status, refused.body.code]).toEqual([409, 'mappings_unresolvable']);
      expect(errorsOf(refused)).toEqual(errors);
      expect(registryBody(await own.api.call('GET', '/api/v1/workspace')).workspace).toMatchObject({
        mapping_policy: 'open',
        variables: [],
        required_schemas: [],
      });
      expect(await rowsOf(own, 'fine')).toMatchObject([{ schema: null, source: null }]);

      const path = '/api/v1/workspace/unresolvable-mappings';
      const { user_groups } = registryBody(await own.api.call('GET', path));
      expect(
        user_groups.flatMap(({ provided_id, errors: flaws }) =>
          flaws.map(({ pointer, code }) => [
            `/user_groups/${provided_id.replaceAll('~', '~0').replaceAll('/', '~1')}${pointer}`,
            code,
          ]),
        ),
      ).toEqual(errors);
      for (const group of ['a/b~c', 'key', 'twice']) await own.put(group, { mapping: null });
      expect(registryBody(await own.api.call('GET', path))).toEqual({
        success: 1,
        user_groups: [],
        has_more: false,
      });
      expect((await own.set({ mapping_policy: 'registered' })).status).toBe(200);
    });

    test('the list of what cannot be resolved comes page by page', async () => {
      for (let n = 0; n < 7; n++) await own.put(`g${n}`, { mapping: { x: n, y: n } });
      const seen: [string, number][] = [];
      for (let cursor = ''; ;) {
        const path = `/api/v1/workspace/unresolvable-mappings?limit=3${cursor}`;
        const page = registryBody(await own.api.call('GET', path));
        expect(page.user_groups.length).toBeLessThanOrEqual(3);
        seen.push(
          ...page.user_groups.map((g): [string, number] => [g.provided_id, g.errors.length]),
        );
        if (page.next_cursor === undefined) break;
        cursor = `&cursor=${page.next_cursor}`;
      }
      expect(seen).toEqual(Array.from({ length: 7 }, (_, n) => [`g${n}`, 4]));
    });

    test('goes over more groups than one statement takes', async () => {
      await own.schema('sales');
      const source = await own.dataSource('w');
      const workspace = `(SELECT id FROM workspace WHERE name = '${own.name}')`;
      const numbers =
        kind === 'postgres'
          ? 'generate_series(1, 4100) AS n(value)'
          : `(WITH RECURSIVE c(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM c WHERE value < 4100) SELECT value FROM c) AS n`;
      await changeDatabase(
        service.database,
        `INSERT INTO user_group (workspace_id, provided_id, name, properties, created_at, updated_at)
         SELECT ${workspace}, 'bulk' || n.value, 'n', '{}', 0, 0 FROM ${numbers};
         INSERT INTO data_source_mapping (user_group_id, schema_id, data_source, data_source_type)
         SELECT id, 'sales', 'w', 'string' FROM user_group WHERE workspace_id = ${workspace};
         UPDATE data_source_mapping SET data_source = 'absent' WHERE user_group_id =
         (SELECT id FROM user_group WHERE workspace_id = ${workspace} AND provided_id = 'bulk4099')`,
      );
      const refused = await own.set({ mapping_policy: 'registered' });
      expect(errorsOf(refused)).toEqual([
        ['/user_groups/bulk4099/mapping/sales', 'unknown_data_source'],
      ]);
      const ids: string[] = [];
      let pages = 0;
      for (let cursor = ''; ; pages++) {
        const path = `/api/v1/workspace/unresolvable-mappings${cursor}`;
        const page = registryBody(await own.api.call('GET', path));
        ids.push(...page.user_groups.map(({ provided_id }) => provided_id));
        if (page.next_cursor === undefined) break;
        cursor = `?cursor=${page.next_cursor}`;
      }
      expect([ids, pages]).toEqual([['bulk4099'], 2]);
      await changeDatabase(
        service.database,
        `UPDATE data_source_mapping SET data_source = 'w' WHERE data_source = 'absent'`,
      );
      expect((await own.set({ mapping_policy: 'registered' })).status).toBe(200);
      const [row] = await service.query<{ count: number }>(
        `SELECT count(*) AS count FROM data_source_mapping WHERE registered_data_source_id = ${source}`,
      );
      expect(row!.count).toBe(4100);
    });

    test('is recorded once, with what it changed', async () => {
      await own.set({ mapping_policy: 'registered' });
      await own.set({ mapping_policy: 'registered' });
      await own.set({});
      const { body } = await own.api.call('GET', '/api/v1/audit-events?types=workspace.update');
      expect(body.audit_events.map(({ before, after }) => [before, after])).toEqual([
        [{ mapping_policy: 'open' }, { mapping_policy: 'registered' }],
      ]);
    });
  });

  describe('at the same time', () => {
    test('no write slips through a switch', async () => {
      const source = await own.dataSource('w');
      await own.schema('sales');
      for (let round = 0; round < 10; round++) {
        await own.set({ mapping_policy: 'open' });
        await own.put('steady', { mapping: { sales: 'w' } });
        const writes = Array.from({ length: 8 }, (_, n) =>
          own.put(`round ${round} ${n}`, { mapping: { sales: n % 2 ? 'w' : 'absent' } }),
        );
        writes.push(own.put('steady', { mapping: { sales: source } }));
        const [switched, ...written] = await Promise.all([
          own.set({ mapping_policy: 'registered' }),
          ...writes,
        ]);
        for (const { status } of written) expect([200, 422]).toContain(status);
        expect([200, 409]).toContain(switched.status);
        const rows = await service.query<{ schema: number | null; source: number | null }>(
          `SELECT registered_schema_id AS schema, registered_data_source_id AS source
           FROM data_source_mapping m JOIN user_group g ON g.id = m.user_group_id
           JOIN workspace w ON w.id = g.workspace_id WHERE w.name = '${own.name}'`,
        );
        const isRegistered = switched.status === 200;
        for (const row of rows) {
          expect([row.schema !== null, row.source !== null]).toEqual([isRegistered, isRegistered]);
        }
        for (let n = 0; n < 8; n++) await own.put(`round ${round} ${n}`, { mapping: {} });
      }
    });

    test('a data source is deleted or mapped to, never both', async () => {
      await own.schema('sales');
      await own.set({ mapping_policy: 'registered' });
      const outcomes = new Set<string>();
      for (let round = 0; round < 20; round++) {
        const id = await own.dataSource(`w${round}`);
        const [deleted, ...written] = await Promise.all([
          own.api.call('DELETE', `/api/v1/data-sources/${id}`),
          own.put(`a ${round}`, { mapping: { sales: `w${round}` } }),
          own.put(`b ${round}`, { mapping: { sales: id } }),
        ]);
        const statuses = written.map(({ status }) => status);
        outcomes.add([deleted.status, ...statuses].join());
        if (deleted.status === 200) expect(statuses).toEqual([422, 422]);
        else {
          expect([deleted.status, deleted.body.code]).toEqual([409, 'still_referenced']);
          expect(statuses).toContain(200);
        }
      }
      expect([...outcomes].every((outcome) => !outcome.includes('5'))).toBe(true);
    });
  });

  test.each<[string, unknown, string, string]>([
    ['another policy', { mapping_policy: 'closed' }, '/mapping_policy', 'not_acceptable'],
    ['null as a policy', { mapping_policy: null }, '/mapping_policy', 'type'],
    ['an unknown field', { name: 'x' }, '/name', 'unknown'],
  ])('%s is refused', async (_name, body, pointer, code) => {
    const answer = await own.set(body as object);
    expect([answer.status, errorsOf(answer)]).toEqual([422, [[pointer, code]]]);
  });

  test('a workspace sees and changes its own settings alone', async () => {
    await own.set({ mapping_policy: 'registered' });
    const { workspace } = registryBody(await other.api.call('GET', '/api/v1/workspace'));
    expect(workspace.mapping_policy).toBe('open');
    await own.put('mine', {});
    await other.put('theirs', { mapping: { x: 1 } });
    const answer = await own.api.call('GET', '/api/v1/workspace/unresolvable-mappings');
    expect(answer.text).not.toContain('theirs');
  });
});
