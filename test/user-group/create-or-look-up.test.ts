import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';

onEachDatabase((kind) => {
  const service = withService(kind);

  async function create(
    id: string,
    fields: object = {},
  ): Promise<{ team_id: number; token: string }> {
    const answer = await service.api.get({ user_group_id: id, name: id, ...fields });
    expect(answer.body.new_user_group).toBe(true);
    return answer.body.user_group;
  }

  test('a new id with a name creates a group and issues its token', async () => {
    const answer = await service.api.get({ user_group_id: 'new', name: 'New group' });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: 1,
      new_user_group: true,
      user_group: {
        team_id: expect.any(Number),
        token: expect.stringMatching(/^ugt_[0-9A-Za-z]{38}$/),
        name: 'New group',
        provided_id: 'new',
      },
    });
  });

  test('a known id is looked up: same token, same team_id', async () => {
    const { team_id, token } = await create('known');
    const again = await service.api.get({ user_group_id: 'known', name: 'known' });
    expect(again.body).toEqual({
      success: 1,
      new_user_group: false,
      user_group: { team_id, token, name: 'known', provided_id: 'known' },
    });
  });

  test('the id alone looks up and never creates', async () => {
    const missing = await service.api.get({ user_group_id: 'only-id' });
    expect([missing.status, missing.body.code]).toEqual([404, 'user_group_not_found']);
    const { token } = await create('only-id');
    const found = await service.api.get({ user_group_id: 'only-id' });
    expect(found.body.user_group).toMatchObject({ token, name: 'only-id' });
  });

  test('properties without a name cannot create', async () => {
    const answer = await service.api.get({ user_group_id: 'nameless', properties: { a: 1 } });
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([
      expect.objectContaining({ pointer: '/name', code: 'required' }),
    ]);
    expect((await service.api.get({ user_group_id: 'nameless' })).status).toBe(404);
  });

  test('a field that is sent and differs is stored and answered', async () => {
    const { team_id, token } = await create('differs', { properties: { plan: 'free' } });
    const changed = await service.api.get({
      user_group_id: 'differs',
      name: 'Renamed',
      properties: { plan: 'pro' },
    });
    expect(changed.body).toEqual({
      success: 1,
      new_user_group: false,
      user_group: {
        team_id,
        token,
        name: 'Renamed',
        provided_id: 'differs',
        properties: { plan: 'pro' },
      },
    });
    const after = await service.api.get({ user_group_id: 'differs' });
    expect(after.body.user_group.name).toBe('Renamed');
    expect(await storedProperties('differs')).toEqual({ plan: 'pro' });
  });

  test('a field that is not sent stays', async () => {
    await create('stays', { properties: { a: 1 }, mapping: { s: 'd' } });
    await service.api.get({ user_group_id: 'stays', name: 'New name' });
    expect(await storedProperties('stays')).toEqual({ a: 1 });
    expect(await storedMapping('stays')).toEqual([['s', 'd', 'string']]);
  });

  test('properties are answered exactly when they were sent', async () => {
    await create('sent', { properties: { a: 1 } });
    const without = await service.api.get({ user_group_id: 'sent', name: 'sent' });
    expect(without.body.user_group).not.toHaveProperty('properties');
    const same = await service.api.get({ user_group_id: 'sent', properties: { a: 1 } });
    expect(same.body.user_group.properties).toEqual({ a: 1 });
    const empty = await service.api.get({ user_group_id: 'sent', properties: {} });
    expect(empty.body.user_group.properties).toEqual({});
  });

  test.each([
    ['an empty object', {}],
    ['null', null],
  ])('%s empties mapping and properties', async (_name, empty) => {
    const id = `empties ${JSON.stringify(empty)}`;
    await create(id, { properties: { a: 1 }, mapping: { s: 'd' } });
    const answer = await service.api.get({ user_group_id: id, properties: empty, mapping: empty });
    expect(answer.body.user_group.properties).toEqual({});
    expect(await storedProperties(id)).toEqual({});
    expect(await storedMapping(id)).toEqual([]);
  });

  test('mapping is replaced as a whole, and an integer stays an integer', async () => {
    await create('mapped', { mapping: { sales: 7, billing: '7' } });
    expect(await storedMapping('mapped')).toEqual([
      ['billing', '7', 'string'],
      ['sales', '7', 'integer'],
    ]);
    await service.api.get({ user_group_id: 'mapped', mapping: { sales: '7' } });
    expect(await storedMapping('mapped')).toEqual([['sales', '7', 'string']]);
  });

  test('keys that are named like parts of a prototype are kept', async () => {
    const properties =
      '{"__proto__":{"admin":true},"constructor":1,"toString":"x","hasOwnProperty":null}';
    const body = `{"user_group_id":"proto","name":"p","properties":${properties},"mapping":{"__proto__":"d"}}`;
    const answer = await service.api.get(body);
    expect(answer.status).toBe(200);
    expect(answer.text).toContain(`"properties":${properties}`);
    expect(await storedMapping('proto')).toEqual([['__proto__', 'd', 'string']]);
    const again = await service.api.get(body);
    expect(again.text).toContain(`"properties":${properties}`);
  });

  test('every JSON value survives as a property', async () => {
    const properties = {
      text: 'ünïcödé 🚀 "quoted" \\ / \u0007',
      integer: 9007199254740991,
      float: 0.1,
      tiny: 5e-324,
      huge: 1.7976931348623157e308,
      negative: -12.5,
      yes: true,
      no: false,
      nothing: null,
      list: [1, [2, [3]], { four: 4 }],
      '': 'empty key',
    };
    const answer = await service.api.get({ user_group_id: 'values', name: 'v', properties });
    expect(answer.body.user_group.properties).toEqual(properties);
    expect(await storedProperties('values')).toEqual(properties);
  });

  test.each([
    ['trailing space', 'id ', 'id'],
    ['case', 'ID', 'id'],
    ['normal form', 'e\u0301', '\u00e9'],
    ['width', 'ａ', 'a'],
  ])('ids that differ in %s are different groups', async (difference, one, other) => {
    const first = await service.api.get({ user_group_id: one + difference, name: one });
    const second = await service.api.get({ user_group_id: other + difference, name: other });
    expect(second.body.new_user_group).toBe(true);
    expect(first.body.user_group.provided_id).toBe(one + difference);
    expect(second.body.user_group.provided_id).toBe(other + difference);
  });

  test('token, team_id and workspace in a body have no effect', async () => {
    const answer = await service.api.get({
      user_group_id: 'ignored fields',
      name: 'n',
      token: 'ugt_chosen',
      team_id: 424242,
      workspace: 'other',
      workspaceId: 99,
      huge: { n: 1 },
    });
    expect(answer.status).toBe(200);
    expect(answer.body.user_group.token).not.toBe('ugt_chosen');
    expect(answer.body.user_group.team_id).not.toBe(424242);
  });

  async function storedProperties(providedId: string): Promise<unknown> {
    const [row] = await service.query<{ properties: string }>(
      `SELECT properties FROM user_group WHERE provided_id = '${providedId}'`,
    );
    return JSON.parse(row!.properties);
  }

  async function storedMapping(providedId: string): Promise<string[][]> {
    const rows = await service.query<Record<string, string>>(
      `SELECT m.schema_id, m.data_source, m.data_source_type FROM data_source_mapping m
       JOIN user_group g ON g.id = m.user_group_id WHERE g.provided_id = '${providedId}'
       ORDER BY m.schema_id`,
    );
    return rows.map((row) => Object.values(row));
  }
});
