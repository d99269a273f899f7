import { changeDatabase, onEachDatabase } from '../support/databases.ts';
import { errorsOf, registryBody, TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';

const INCOMPLETE = '/api/v1/workspace/incomplete-user-groups';
const PREVIEW = `${INCOMPLETE}/preview`;

onEachDatabase((kind) => {
  const service = withService(kind);
  let own: TestWorkspace;
  let count = 0;

  beforeEach(async () => {
    own = await TestWorkspace.create(service, `own-${++count}`);
  });

  const tokenOf = async (group: string) => (await own.api.get({ user_group_id: group })).body.user_group.token;
  const region = { name: 'region', type: 'string' };

  test('a group cannot come to be without what is required, whatever the method', async () => {
    await own.set({ required_properties: [region], required_schemas: ['sales'] });
    const errors = [
      ['/properties/region', 'required'],
      ['/mapping/sales', 'required'],
    ];
    for (const method of ['GET', 'PUT']) {
      for (const fields of [{}, { properties: {}, mapping: null }, { properties: { Region: 'x' } }]) {
        const body = { user_group_id: 'g', name: 'G', ...fields };
        const answer = await own.api.send({ method, body });
        expect([method, answer.status, errorsOf(answer)]).toEqual([method, 422, errors]);
      }
    }
    expect((await own.api.get({ user_group_id: 'g' })).status).toBe(404);
    const complete = { properties: { region: 'EMEA' }, mapping: { sales: 1 } };
    expect((await own.put('g', complete)).status).toBe(200);
  });

  test('a write that would leave a group without what is required is refused as a whole', async () => {
    await own.put('g', { properties: { region: 'EMEA', a: 1 }, mapping: { sales: 1 } });
    await own.set({ required_properties: [region], required_schemas: ['sales'] });
    for (const [fields, place] of [
      [{ name: 'new', properties: { a: 2 } }, '/properties/region'],
      [{ name: 'new', mapping: { other: 1 } }, '/mapping/sales'],
      [{ name: 'new', mapping: null }, '/mapping/sales'],
    ] as const) {
      const answer = await own.put('g', fields);
      expect([answer.status, errorsOf(answer)]).toEqual([422, [[place, 'required']]]);
    }
    expect((await own.api.get({ user_group_id: 'g' })).body.user_group.name).toBe('g');
    expect((await own.put('g', { name: 'new', properties: { region: 'APAC' } })).status).toBe(200);
  });

  test('a group that lacks something is looked up, and changed only to be complete', async () => {
    await own.put('g', { properties: { a: 1 } });
    await own.set({ required_properties: [region] });
    expect((await own.api.get({ user_group_id: 'g' })).status).toBe(200);
    expect((await own.put('g', { properties: { a: 1 } })).status).toBe(200);
    const renamed = await own.put('g', { name: 'renamed' });
    expect([renamed.status, errorsOf(renamed)]).toEqual([422, [['/properties/region', 'required']]]);
    expect((await own.put('g', { properties: { region: '' } })).status).toBe(200);
    const rotated = await own.api.post({ current_token: await tokenOf('g') });
    expect(rotated.status).toBe(200);
  });

  test.each<[string, unknown[], unknown[]]>([
    ['string', ['', 'x', '7'], [7, null, true, {}, []]],
    ['number', [0, -1.5, 7], ['7', null, false]],
    ['integer', [0, 7, -3, 1e21], [1.5, '7', null]],
    ['boolean', [true, false], [0, 'true', null]],
    ['object', [{}, { a: null }], [[], null, 'x']],
    ['array', [[], [null]], [{}, null, 'x']],
  ])('the type %s takes its own values and no other', async (type, good, bad) => {
    await own.set({ required_properties: [{ name: 'p', type }] });
    for (const value of bad) {
      const answer = await own.put('g', { properties: { p: value } });
      expect([value, errorsOf(answer)]).toEqual([value, [['/properties/p', 'type']]]);
    }
    for (const value of good) {
      const answer = await own.put('g', { properties: { p: value } });
      expect([value, answer.status]).toEqual([value, 200]);
    }
  });

  test('names that mean something to JavaScript, SQL or a pointer are names', async () => {
    const names = ['__proto__', 'constructor', 'toString', 'a/b~c', "x' OR 1=1", '😀', '\n', ' '];
    await own.set({ required_properties: names.map((name) => ({ name, type: 'integer' })) });
    const lacking = await own.put('g');
    expect(errorsOf(lacking)).toEqual(
      names.map((name) => [`/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, 'required']),
    );
    const properties = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
    const complete = await own.api.put(`{"user_group_id":"g","name":"G","properties":${properties}}`);
    expect(complete.status).toBe(200);
    expect((await own.introspect(complete.body.user_group.token)).body.active).toBe(true);
  });

  test('after a new requirement a group that lacks it is inactive and listed, until it is complete', async () => {
    await own.put('fine', { properties: { region: 'EMEA' }, mapping: { sales: 1 } });
    await own.put('wrong', { properties: { region: 7 } });
    await own.put('null', { properties: { region: null }, mapping: { sales: 1 } });
    const tokens = await Promise.all(['fine', 'wrong', 'null'].map(tokenOf));
    const active = async () => {
      const answers = await Promise.all(tokens.map((token) => own.introspect(token)));
      return answers.map(({ body, text }) => body.active || text);
    };
    expect(await active()).toEqual([true, true, true]);
    expect(registryBody(await own.api.call('GET', INCOMPLETE)).user_groups).toEqual([]);
    const changed = await own.set({ required_properties: [region], required_schemas: ['sales'] });
    expect(changed.status).toBe(200);
    expect(await active()).toEqual([true, '{"active":false}', '{"active":false}']);
    const { user_groups } = registryBody(await own.api.call('GET', INCOMPLETE));
    expect(
      user_groups.map(({ provided_id, errors }) => [
        provided_id,
        errors.map(({ pointer, code }) => `${pointer} ${code}`),
      ]),
    ).toEqual([
      ['wrong', ['/properties/region type', '/mapping/sales required']],
      ['null', ['/properties/region type']],
    ]);
    await own.put('null', { properties: { region: 'x' } });
    expect(await active()).toEqual([true, '{"active":false}', true]);
    await own.set({ required_properties: [], required_schemas: [] });
    expect(await active()).toEqual([true, true, true]);
  });

  describe('a preview of requirements', () => {
    const preview = async (body: unknown, query = '') => {
      const answer = await own.api.call('POST', `${PREVIEW}${query}`, body);
      expect([answer.status, answer.text]).toEqual([200, expect.anything()]);
      return registryBody(answer);
    };
    const listed = async (body: unknown) =>
      (await preview(body)).user_groups.map(({ provided_id, errors }) => [
        provided_id,
        ...errors.map(({ pointer, code }) => `${pointer} ${code}`),
      ]);
    const requirements = { required_properties: [region], required_schemas: ['sales'] };

    test('lists what would be incomplete, and not what is so already; nothing is changed', async () => {
      await own.put('fine', { properties: { region: 'EMEA' }, mapping: { sales: 1 } });
      await own.put('wrong', { properties: { region: 7 } });
      await own.put('unmapped', { properties: { region: '' } });
      const before = await own.api.call('GET', '/api/v1/workspace');
      const both = ['/properties/region type', '/mapping/sales required'];
      expect(await listed(requirements)).toEqual([
        ['wrong', ...both],
        ['unmapped', '/mapping/sales required'],
      ]);
      expect(await listed({})).toEqual([]);
      expect((await own.api.call('GET', '/api/v1/workspace')).text).toBe(before.text);
      expect((await own.introspect(await tokenOf('wrong'))).body.active).toBe(true);

      await own.set({ required_properties: [region] });
      expect(await listed({})).toEqual([]);
      expect(await listed(requirements)).toEqual([['unmapped', '/mapping/sales required']]);
      // What is not sent stays required.
      const seats = [{ name: 'seats', type: 'integer' }];
      expect(await listed({ required_schemas: ['sales'] })).toEqual([['unmapped', '/mapping/sales required']]);
      expect(await listed({ required_properties: seats })).toEqual([
        ['fine', '/properties/seats required'],
        ['unmapped', '/properties/seats required'],
      ]);
      expect(await listed({ required_properties: [], required_schemas: [] })).toEqual([]);
    });

    test('tells of the groups of the own workspace alone, page by page', async () => {
      const other = await TestWorkspace.create(service, `other-${count}`);
      await other.put('theirs');
      for (const id of ['a', 'b', 'c']) await own.put(id);
      const first = await preview(requirements, '?limit=2');
      expect(first.user_groups.map((group) => group.provided_id)).toEqual(['a', 'b']);
      const last = await preview(requirements, `?limit=2&cursor=${first.next_cursor}`);
      expect(last.user_groups.map((group) => group.provided_id)).toEqual(['c']);
      expect(last.next_cursor).toBeUndefined();
    });

    test('under registered knows a required schema by either id, and refuses what PATCH refuses', async () => {
      const schema = await own.schema('sales');
      await own.dataSource('w');
      await own.put('mapped', { mapping: { [schema]: 'w' } });
      await own.put('unmapped');
      await own.set({ mapping_policy: 'registered' });
      for (const id of ['sales', String(schema)]) {
        expect(await listed({ required_schemas: [id] })).toEqual([['unmapped', '/mapping/sales required']]);
      }
      for (const body of [
        { required_schemas: ['gone'] },
        { required_schemas: ['sales', String(schema)] },
        { required_properties: [{ name: 'p', type: 'date' }] },
        { required_properties: {} },
        { required_property: [] },
        [],
      ]) {
        const refused = await own.api.call('POST', PREVIEW, body);
        const byPatch = await own.api.call('PATCH', '/api/v1/workspace', body);
        expect([refused.status, errorsOf(refused)]).toEqual([byPatch.status, errorsOf(byPatch)]);
        expect(refused.status).toBe(422);
      }
      // The policy has a preview of its own.
      expect((await own.api.call('POST', PREVIEW, { mapping_policy: 'open' })).status).toBe(422);
    });
  });

  test('the list goes over more groups than it reads at once, page by page', async () => {
    const workspace = `(SELECT id FROM workspace WHERE name = '${own.name}')`;
    const numbers =
      kind === 'postgres'
        ? 'generate_series(1, 1200) AS n(value)'
        : `(WITH RECURSIVE c(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM c WHERE value < 1200) SELECT value FROM c) AS n`;
    await changeDatabase(
      service.database,
      `INSERT INTO user_group (workspace_id, provided_id, name, properties, created_at, updated_at)
       SELECT ${workspace}, 'bulk' || n.value, 'n', CASE WHEN n.value > 1190 OR n.value = 3 THEN '{}' ELSE '{"region":"x"}' END, 0, 0
       FROM ${numbers} ORDER BY n.value`,
    );
    await own.set({ required_properties: [region] });
    const pages: string[][] = [];
    for (let cursor = ''; ;) {
      const page = registryBody(await own.api.call('GET', `${INCOMPLETE}?limit=4${cursor}`));
      pages.push(page.user_groups.map(({ provided_id }) => provided_id));
      if (page.next_cursor === undefined) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(pages.flat()).toEqual(['bulk3', ...Array.from({ length: 10 }, (_, n) => `bulk${1191 + n}`)]);
    expect(pages.every((page) => page.length <= 4)).toBe(true);
  });

  test('under registered a required schema is one of the registry, whichever way it is named', async () => {
    const schema = await own.schema('sales');
    await own.dataSource('w');
    const unknown = await own.set({ mapping_policy: 'registered', required_schemas: ['sales', 'gone', '007'] });
    expect(errorsOf(unknown)).toEqual([
      ['/required_schemas/1', 'unknown_schema'],
      ['/required_schemas/2', 'unknown_schema'],
    ]);
    const twice = await own.set({ mapping_policy: 'registered', required_schemas: ['sales', String(schema)] });
    expect(errorsOf(twice)).toEqual([['/required_schemas/1', 'repeated']]);
    const set = await own.set({ mapping_policy: 'registered', required_schemas: [String(schema)] });
    expect(registryBody(set).workspace.required_schemas).toEqual(['sales']);
    for (const key of ['sales', String(schema)]) {
      expect((await own.put(`by ${key}`, { mapping: { [key]: 'w' } })).status).toBe(200);
    }
    expect(errorsOf(await own.put('none'))).toEqual([['/mapping/sales', 'required']]);
  });

  test('a switch to registered is refused while a required schema is not registered', async () => {
    await own.set({ required_schemas: ['anything'] });
    const answer = await own.set({ mapping_policy: 'registered' });
    expect([answer.status, errorsOf(answer)]).toEqual([422, [['/required_schemas/0', 'unknown_schema']]]);
  });

  test.each<[string, unknown, [string, string][]]>([
    ['null', { required_properties: null }, [['/required_properties', 'type']]],
    ['an object', { required_schemas: {} }, [['/required_schemas', 'type']]],
    ['a text', { required_properties: ['region'] }, [['/required_properties/0', 'type']]],
    [
      'an empty entry',
      { required_properties: [{}] },
      [
        ['/required_properties/0/name', 'required'],
        ['/required_properties/0/type', 'required'],
      ],
    ],
    [
      'another type',
      { required_properties: [{ name: 'a', type: 'null' }] },
      [['/required_properties/0/type', 'not_acceptable']],
    ],
    [
      'a name twice',
      { required_properties: [region, { name: 'region', type: 'number' }] },
      [['/required_properties/1', 'repeated']],
    ],
    [
      'an unknown member',
      { required_properties: [{ ...region, optional: true }] },
      [['/required_properties/0/optional', 'unknown']],
    ],
    ['a schema twice', { required_schemas: ['a', 'a'] }, [['/required_schemas/1', 'repeated']]],
    ['an empty schema', { required_schemas: [''] }, [['/required_schemas/0', 'empty']]],
    [
      'too many properties',
      { required_properties: Array.from({ length: 101 }, (_, n) => ({ name: `p${n}`, type: 'string' })) },
      [['/required_properties', 'too_many']],
    ],
    [
      'too many schemas',
      { required_schemas: Array.from({ length: 201 }, (_, n) => `s${n}`) },
      [['/required_schemas', 'too_many']],
    ],
  ])('%s is no declaration', async (_name, body, errors) => {
    const answer = await own.set(body as object);
    expect([answer.status, errorsOf(answer)]).toEqual([422, errors]);
  });

  test('no incomplete group comes to be beside a new requirement', async () => {
    for (let round = 0; round < 10; round++) {
      await own.set({ required_properties: [] });
      const [set, ...written] = await Promise.all([
        own.set({ required_properties: [region] }),
        ...Array.from({ length: 6 }, (_, n) => own.put(`${round} ${n}`)),
      ]);
      expect(set.status).toBe(200);
      for (const { status } of written) expect([200, 422]).toContain(status);
      // What was there first is listed; what came later was refused.
      const created = written.filter(({ status }) => status === 200).length;
      const { user_groups } = registryBody(await own.api.call('GET', `${INCOMPLETE}?limit=200`));
      const listed = user_groups.filter(({ provided_id }) => provided_id.startsWith(`${round} `));
      expect(listed).toHaveLength(created);
    }
  });
});
