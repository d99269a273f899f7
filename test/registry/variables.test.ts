import { WorkspaceRules } from '../../src/core/mapping/workspace-rules.ts';
import { Statements } from '../../src/platform/database/statements.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { errorsOf, registryBody, TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

const PREVIEW = '/api/v1/workspace/incomplete-user-groups/preview';
const INCOMPLETE = '/api/v1/user-groups?status=incomplete&limit=200';

onEachDatabase((kind) => {
  const service = withService(kind);
  let own: TestWorkspace;
  let count = 0;

  beforeEach(async () => {
    own = await TestWorkspace.create(service, `own-${++count}`);
  });

  const tokenOf = async (group: string) =>
    (await own.api.get({ user_group_id: group })).body.user_group.token;
  const region = { name: 'region', type: 'string', required: true };
  const incomplete = async () => (await own.api.call('GET', INCOMPLETE)).body.user_groups;

  test('a group cannot come to be without what is required, whatever the method', async () => {
    await own.set({ variables: [region], required_schemas: ['sales'] });
    const errors = [
      ['/properties/region', 'required'],
      ['/mapping/sales', 'required'],
    ];
    for (const method of ['GET', 'PUT']) {
      for (const fields of [
        {},
        { properties: {}, mapping: null },
        { properties: { Region: 'x' } },
      ]) {
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
    await own.set({ variables: [region], required_schemas: ['sales'] });
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
    await own.set({ variables: [region] });
    expect((await own.api.get({ user_group_id: 'g' })).status).toBe(200);
    expect((await own.put('g', { properties: { a: 1 } })).status).toBe(200);
    const renamed = await own.put('g', { name: 'renamed' });
    expect([renamed.status, errorsOf(renamed)]).toEqual([
      422,
      [['/properties/region', 'required']],
    ]);
    expect((await own.put('g', { properties: { region: '' } })).status).toBe(200);
    const rotated = await own.api.post({ current_token: await tokenOf('g') });
    expect(rotated.status).toBe(200);
  });

  test.each<[string, unknown[], unknown[]]>([
    ['string', ['', 'x', '7'], [7, null, true, {}, []]],
    ['number', [0, -1.5, 7], ['7', null, false]],
    ['integer', [0, 7, -3, 1e21], [1.5, '7', null]],
    ['boolean', [true, false], [0, 'true', null]],
    [
      'date',
      ['2030-12-31', '1969-02-28', '2028-02-29'],
      ['2030-02-29', '2030-1-1', '2030-12-31T00:00:00Z', '', 7],
    ],
    [
      'timestamp',
      [
        '2030-12-31T23:59:59Z',
        '1969-01-01t00:00:00.5+14:00',
        '0001-01-01T00:00:00Z',
        '9999-12-31T23:59:59.999Z',
      ],
      ['2030-12-31', '2030-12-31T24:00:00Z', '2030-12-31T00:00:00', '2030-02-30T00:00:00Z', 0],
    ],
    // In UTC these are moments of the years 0 and 10000.
    ['timestamp', [], ['0001-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01']],
    ['string[]', [[], ['x', '']], ['x', [7], ['x', null], {}, [['x']], null]],
    ['integer[]', [[], [1, -2]], [[1.5], ['1'], 1, null]],
    ['date[]', [['2030-12-31']], [['2030-12-31', 'x'], '2030-12-31']],
  ])('the type %s takes its own values and no other', async (type, good, bad) => {
    expect((await own.set({ variables: [{ name: 'p', type, required: true }] })).status).toBe(200);
    for (const value of bad) {
      const answer = await own.put('g', { properties: { p: value } });
      expect([value, errorsOf(answer)[0]]).toEqual([
        value,
        [expect.stringMatching(/^\/properties\/p(\/\d)?$/), 'type'],
      ]);
    }
    for (const value of good) {
      const answer = await own.put('g', { properties: { p: value } });
      expect([value, answer.status]).toEqual([value, 200]);
    }
  });

  test('names that mean something to JavaScript, SQL or a pointer are names', async () => {
    const names = [
      '__proto__',
      'constructor',
      'toString',
      'a/b~c',
      "x' OR 1=1",
      '😀',
      'é\u00a0',
      ' ',
    ];
    await own.set({ variables: names.map((name) => ({ name, type: 'integer', required: true })) });
    const lacking = await own.put('g');
    expect(errorsOf(lacking)).toEqual(
      names.map((name) => [
        `/properties/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`,
        'required',
      ]),
    );
    const properties = JSON.stringify(Object.fromEntries(names.map((name) => [name, 1])));
    const complete = await own.api.put(
      `{"user_group_id":"g","name":"G","properties":${properties}}`,
    );
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
    expect(await incomplete()).toEqual([]);
    const changed = await own.set({ variables: [region], required_schemas: ['sales'] });
    expect(changed.status).toBe(200);
    expect(await active()).toEqual([true, '{"active":false}', '{"active":false}']);
    await until(async () => (await incomplete()).length === 2);
    expect(
      (await incomplete()).map(({ provided_id, reasons }) => [
        provided_id,
        reasons.map(({ pointer, code }) => `${pointer} ${code}`),
      ]),
    ).toEqual([
      ['wrong', ['/properties/region type', '/mapping/sales required']],
      ['null', ['/properties/region type']],
    ]);
    await own.put('null', { properties: { region: 'x' } });
    expect(await active()).toEqual([true, '{"active":false}', true]);
    await own.set({ variables: [], required_schemas: [] });
    expect(await active()).toEqual([true, true, true]);
  });

  describe('the variables of a group', () => {
    const variables = [
      region,
      { name: 'plan', type: 'string', enum: ['free', 'pro'], default: 'free' },
      { name: 'address.countries', type: 'string[]', enum: ['DE', 'FR'] },
      { name: 'address.since', type: 'date' },
      { name: '__proto__.seats', type: 'integer', default: 0 },
      { name: 'key', type: 'string', is_secret: true, description: 'The key of their own store.' },
    ];
    const declare = async (all: object[]) => {
      const set = await own.set({ variables: all });
      expect([set.status, set.text]).toEqual([200, expect.anything()]);
    };
    const variablesOf = async (group: string) => {
      const { body } = await own.introspect(await tokenOf(group));
      return body as unknown as { properties: object; variables?: object };
    };

    test('are complete and of their types: the value, the default or null, beside the properties as they were sent', async () => {
      const properties = {
        region: 'EMEA',
        plan: null,
        address: { countries: ['DE'], city: 'Bonn' },
        other: 1,
      };
      await own.put('g', { properties });
      expect((await variablesOf('g')).variables).toBeUndefined();
      await declare(variables);
      const { text } = await own.introspect(await tokenOf('g'));
      expect(text).toContain(
        '"variables":{"region":"EMEA","plan":"free","address":{"countries":["DE"],"since":null},"__proto__":{"seats":0},"key":null}',
      );
      expect((await variablesOf('g')).properties).toEqual(properties);
      await own.put('g', {
        properties: { region: 'APAC', plan: 'pro', address: { since: '2030-01-31' } },
      });
      expect((await variablesOf('g')).variables).toMatchObject({
        region: 'APAC',
        plan: 'pro',
        address: { countries: null, since: '2030-01-31' },
      });
    });

    test('are checked by every write, at their places', async () => {
      await declare(variables);
      const written = await own.put('g', {
        properties: {
          region: null,
          plan: 'trial',
          address: { countries: ['DE', 'IT', 7], since: '2030-02-30' },
          key: 1,
        },
      });
      expect([written.status, errorsOf(written)]).toEqual([
        422,
        [
          ['/properties/region', 'type'],
          ['/properties/plan', 'not_acceptable'],
          ['/properties/address/countries/1', 'not_acceptable'],
          ['/properties/address/countries/2', 'type'],
          ['/properties/address/since', 'type'],
          ['/properties/key', 'type'],
        ],
      ]);
      for (const address of [undefined, null, {}]) {
        expect((await own.put('g', { properties: { region: '', address } })).status).toBe(200);
      }
      for (const address of ['Bonn', [], [{ since: '2030-01-31' }], 0]) {
        const refused = await own.put('g', { properties: { region: '', address } });
        const place = ['/properties/address', 'type'];
        expect([address, errorsOf(refused)]).toEqual([address, [place, place]]);
      }
    });

    test('that are wrong already make the group inactive', async () => {
      await own.put('g', { properties: { region: 'EMEA', plan: 'trial' } });
      const token = await tokenOf('g');
      await declare(variables);
      expect((await own.introspect(token)).text).toBe('{"active":false}');
      await own.put('g', { properties: { region: 'EMEA', plan: 'pro' } });
      expect((await own.introspect(token)).body.active).toBe(true);
    });

    test('are viewed with the place that each comes from', async () => {
      await own.put('g', {
        properties: { region: 'EMEA', address: { since: '2030-01-31' }, other: [] },
      });
      await declare(variables);
      const { text } = await own.api.call('GET', '/api/v1/user-groups/g/view');
      const { view } = JSON.parse(text) as { view: { variables: Record<string, unknown>[] } };
      expect(view.variables.map((one) => Object.values(one).join(' '))).toEqual([
        'region string properties true true',
        'plan string default true false',
        'address.countries string[] none true false',
        'address.since date properties true false',
        '__proto__.seats integer default true false',
        'key string none true false',
        'other array properties false false',
      ]);
    });

    test('are made public by an administrator alone if they are secret', async () => {
      await declare(variables);
      const registrar = service.clientOf(
        await service.issueToken(['registry:write'], `own-${count}`),
      );
      const set = (all: object[]) =>
        registrar.call('PATCH', '/api/v1/workspace', { variables: all });
      const [others, key] = [variables.slice(0, -1), variables.at(-1)!];
      for (const all of [others, [...others, { ...key, is_secret: false }]]) {
        const { status, body } = await set(all);
        expect([status, body]).toEqual([
          403,
          expect.objectContaining({ code: 'insufficient_scope' }),
        ]);
      }
      expect((await set([...others, { ...key, description: 'Another.' }])).status).toBe(200);
      await declare(others);
    });

    test('are in no list, audit event or log if they are secret, and whole in the group and its introspection', async () => {
      const secret = `secret-${crypto.randomUUID()}`;
      await declare([...variables, { name: 'address.door', type: 'string', is_secret: true }]);
      const properties = {
        region: 'EMEA',
        key: secret,
        address: { door: secret, since: '2030-01-31' },
      };
      await own.put('g', { properties });
      await own.put('g', { properties: { ...properties, key: `${secret}!` } });
      await own.api.call('PATCH', '/api/v1/user-groups/g', {
        properties: { address: { door: `${secret}?` } },
      });
      for (const query of ['', '?search=g', '?sort=status', '?property_name=key']) {
        const { text } = await own.api.call('GET', `/api/v1/user-groups${query}`);
        expect(text).not.toContain(secret);
        expect(text).toContain('"properties":{"region":"EMEA","address":{"since":"2030-01-31"}}');
      }
      expect((await own.api.call('GET', '/api/v1/user-groups/g')).text).toContain(
        `"key":"${secret}!"`,
      );
      expect((await variablesOf('g')).variables).toMatchObject({
        key: `${secret}!`,
        address: { door: `${secret}?` },
      });
      await own.api.call('DELETE', '/api/v1/user-groups/g');
      // A group from before the declaration can have anything in the place of the object.
      await own.set({ variables: [] });
      await own.put('old', { properties: { region: 'EMEA' } });
      await changeDatabase(
        service.database,
        `UPDATE user_group SET properties = '{"region":"EMEA","address":"${secret}"}' WHERE provided_id = 'old'`,
      );
      await declare([...variables, { name: 'address.door', type: 'string', is_secret: true }]);
      expect((await own.api.call('GET', '/api/v1/user-groups')).text).not.toContain(secret);
      await own.put('old', { properties: { region: 'EMEA' } });
      const guess = { variables: [{ name: 'key', type: 'string', enum: ['no'] }] };
      await own.put('new', { properties: { region: 'EMEA', key: secret } });
      expect(registryBody(await own.api.call('POST', PREVIEW, guess)).user_groups).toEqual([]);
      const { text: audit } = await own.api.call('GET', '/api/v1/audit-events?limit=200');
      expect(audit).not.toContain(secret);
      expect(audit.match(/"key":"\[secret\]"/g)).toHaveLength(5);
      expect(audit).toContain('"door":"[secret]"');
    });
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
    const requirements = { variables: [region], required_schemas: ['sales'] };

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

      await own.set({ variables: [region] });
      expect(await listed({})).toEqual([]);
      expect(await listed(requirements)).toEqual([['unmapped', '/mapping/sales required']]);
      // A requirement that is not sent stays in force.
      const seats = [{ name: 'seats', type: 'integer', required: true }];
      expect(await listed({ required_schemas: ['sales'] })).toEqual([
        ['unmapped', '/mapping/sales required'],
      ]);
      expect(await listed({ variables: seats })).toEqual([
        ['fine', '/properties/seats required'],
        ['unmapped', '/properties/seats required'],
      ]);
      expect(await listed({ variables: [], required_schemas: [] })).toEqual([]);
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
        expect(await listed({ required_schemas: [id] })).toEqual([
          ['unmapped', '/mapping/sales required'],
        ]);
      }
      for (const body of [
        { required_schemas: ['gone'] },
        { required_schemas: ['sales', String(schema)] },
        { variables: [{ name: 'p', type: 'object', required: true }] },
        { variables: {} },
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

  test('a preview goes over more groups than it reads at once, page by page', async () => {
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
    const pages: string[][] = [];
    for (let cursor = ''; ;) {
      const answer = await own.api.call('POST', `${PREVIEW}?limit=4${cursor}`, {
        variables: [region],
      });
      const page = registryBody(answer);
      pages.push(page.user_groups.map(({ provided_id }) => provided_id));
      if (page.next_cursor === undefined) break;
      cursor = `&cursor=${page.next_cursor}`;
    }
    expect(pages.flat()).toEqual([
      'bulk3',
      ...Array.from({ length: 10 }, (_, n) => `bulk${1191 + n}`),
    ]);
    expect(pages.every((page) => page.length <= 4)).toBe(true);
  });

  test('under registered a required schema is one of the registry, whichever way it is named', async () => {
    const schema = await own.schema('sales');
    await own.dataSource('w');
    const unknown = await own.set({
      mapping_policy: 'registered',
      required_schemas: ['sales', 'gone', '007'],
    });
    expect(errorsOf(unknown)).toEqual([
      ['/required_schemas/1', 'unknown_schema'],
      ['/required_schemas/2', 'unknown_schema'],
    ]);
    const twice = await own.set({
      mapping_policy: 'registered',
      required_schemas: ['sales', String(schema)],
    });
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
    expect([answer.status, errorsOf(answer)]).toEqual([
      422,
      [['/required_schemas/0', 'unknown_schema']],
    ]);
  });

  test.each<[string, unknown, [string, string][]]>([
    ['null', { variables: null }, [['/variables', 'type']]],
    ['an object', { required_schemas: {} }, [['/required_schemas', 'type']]],
    ['a text', { variables: ['region'] }, [['/variables/0', 'type']]],
    [
      'an empty entry',
      { variables: [{}] },
      [
        ['/variables/0/name', 'required'],
        ['/variables/0/type', 'required'],
      ],
    ],
    [
      'another type',
      { variables: [{ name: 'a', type: 'null', required: true }] },
      [['/variables/0/type', 'not_acceptable']],
    ],
    [
      'a name twice',
      { variables: [region, { name: 'region', type: 'number', required: true }] },
      [['/variables/1', 'repeated']],
    ],
    [
      'an unknown member',
      { variables: [{ ...region, optional: true }] },
      [['/variables/0/optional', 'unknown']],
    ],
    [
      'a name with an empty part',
      { variables: ['.a', 'a.', 'a..b'].map((name) => ({ name, type: 'string' })) },
      [0, 1, 2].map((n): [string, string] => [`/variables/${n}/name`, 'not_acceptable']),
    ],
    [
      'a name that a terminal obeys',
      {
        variables: ['a\n', '\t', 'a.\u009b2J', '\u007f', 'a\u202eb'].map((name) => ({
          name,
          type: 'string',
        })),
      },
      [0, 1, 2, 3, 4].map((n): [string, string] => [`/variables/${n}/name`, 'not_acceptable']),
    ],
    [
      'a variable inside another',
      { variables: ['a', 'a.b', 'ab.c'].map((name) => ({ name, type: 'string' })) },
      [['/variables/1/name', 'not_acceptable']],
    ],
    [
      'a path that no properties can have',
      {
        variables: [15, 16].map((length) => ({
          name: Array(length).fill(`p${length}`).join('.'),
          type: 'string',
        })),
      },
      [['/variables/1/name', 'too_deep']],
    ],
    [
      'a secret with allowed values',
      { variables: [{ name: 'a', type: 'string', is_secret: true, enum: ['x'] }] },
      [['/variables/0/enum', 'not_acceptable']],
    ],
    [
      'a default of another type, of no allowed value, of what is required, of what is secret',
      {
        variables: [
          { name: 'a', type: 'integer', default: 1.5 },
          { name: 'b', type: 'string', enum: ['x'], default: 'y' },
          { name: 'c', type: 'string', required: true, default: 'x' },
          { name: 'd', type: 'string', is_secret: true, default: 'x' },
          { name: 'e', type: 'integer[]', default: [1, null] },
        ],
      },
      [
        ['/variables/0/default', 'type'],
        ['/variables/1/default', 'not_acceptable'],
        ['/variables/2/default', 'not_acceptable'],
        ['/variables/3/default', 'not_acceptable'],
        ['/variables/4/default/1', 'type'],
      ],
    ],
    [
      'an allowed value of another type, none at all, twice the same',
      {
        variables: [
          { name: 'a', type: 'string[]', enum: ['x', 7] },
          { name: 'b', type: 'string', enum: [] },
          { name: 'c', type: 'string', enum: ['x', 'x'] },
          { name: 'd', type: 'string', enum: 'x' },
        ],
      },
      [
        ['/variables/0/enum/1', 'type'],
        ['/variables/1/enum', 'empty'],
        ['/variables/2/enum/1', 'repeated'],
        ['/variables/3/enum', 'type'],
      ],
    ],
    [
      'flags and descriptions of other types, a long description',
      {
        variables: [
          { name: 'a', type: 'string', required: 1 },
          { name: 'b', type: 'string', is_secret: null },
          { name: 'c', type: 'string', description: 7 },
          { name: 'd', type: 'string', description: 'x'.repeat(501) },
        ],
      },
      [
        ['/variables/0/required', 'type'],
        ['/variables/1/is_secret', 'type'],
        ['/variables/2/description', 'type'],
        ['/variables/3/description', 'too_long'],
      ],
    ],
    [
      'more than every read of a group can take',
      {
        variables: Array.from({ length: 100 }, (_, n) => ({
          name: `p${n}`,
          type: 'string',
          description: 'x'.repeat(400),
        })),
      },
      [['/variables', 'too_large']],
    ],
    ['a schema twice', { required_schemas: ['a', 'a'] }, [['/required_schemas/1', 'repeated']]],
    ['an empty schema', { required_schemas: [''] }, [['/required_schemas/0', 'empty']]],
    [
      'too many properties',
      { variables: Array.from({ length: 101 }, (_, n) => ({ name: `p${n}`, type: 'string' })) },
      [['/variables', 'too_many']],
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
      await own.set({ variables: [] });
      const [set, ...written] = await Promise.all([
        own.set({ variables: [region] }),
        ...Array.from({ length: 6 }, (_, n) => own.put(`${round} ${n}`)),
      ]);
      expect(set.status).toBe(200);
      for (const { status } of written) expect([200, 422]).toContain(status);
      // A group that was there first is listed. A later one was refused.
      const created = written.filter(({ status }) => status === 200).length;
      const listed = async () =>
        (await incomplete()).filter(({ provided_id }) => provided_id.startsWith(`${round} `))
          .length;
      await until(async () => (await listed()) === created);
    }
  });

  test('rules whose reading takes long are as old as the request for them', async () => {
    const [row] = await service.query<{ id: number }>(
      `SELECT id FROM workspace WHERE name = '${own.name}'`,
    );
    const { id } = row!;
    const now = performance.now.bind(performance);
    let passed = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => now() + passed);
    const statements = service.app.get(Statements);
    const read = statements.read.bind(statements);
    const reading = jest.spyOn(statements, 'read').mockImplementation(async (...given) => {
      const found = await read(...given);
      passed += 700;
      return found;
    });
    const rules = service.app.get(WorkspaceRules);
    const { version } = await rules.at(id, 0);
    await changeDatabase(
      service.database,
      `UPDATE workspace SET variables = '${JSON.stringify([region])}' WHERE id = ${id}`,
    );
    passed += 100;
    expect((await rules.at(id, version)).rules.variables).toHaveLength(1);
    reading.mockRestore();
    clock.mockRestore();
  });
});
