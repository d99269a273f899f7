import type { Answer } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { errorsOf, registryBody, TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';

const kinds = [
  { path: '/api/v1/schemas', one: 'schema', many: 'schemas', notFound: 'schema_not_found' },
  {
    path: '/api/v1/data-sources',
    one: 'data_source',
    many: 'data_sources',
    notFound: 'data_source_not_found',
  },
] as const;

onEachDatabase((kind) => {
  const service = withService(kind);
  let own: TestWorkspace;
  let other: TestWorkspace;

  beforeEach(async () => {
    const name = `workspace ${Math.random()}`;
    own = await TestWorkspace.create(service, name);
    other = await TestWorkspace.create(service, `other ${name}`);
  });

  describe.each(kinds)('$path', ({ path, one, many, notFound }) => {
    const register = (provided_id: unknown, by = own) =>
      by.api.call('POST', path, { provided_id, name: 'N' });
    const view = (answer: Answer) => registryBody(answer)[one];

    test('what is registered can be read at its Location, listed and found by your own id', async () => {
      const created = await register('sales');
      expect(created.status).toBe(201);
      expect(view(created)).toEqual({
        id: expect.any(Number),
        provided_id: 'sales',
        name: 'N',
        created_at: expect.stringMatching(/Z$/),
        updated_at: view(created).created_at,
      });
      expect(created.headers['location']).toBe(`${path}/${view(created).id}`);
      const read = await own.api.call('GET', created.headers['location'] as string);
      expect(read.body).toEqual(created.body);
      await register('billing');
      const found = await own.api.call('GET', `${path}?provided_id=billing`);
      expect(registryBody(found)[many].map(({ provided_id }) => provided_id)).toEqual(['billing']);
      const none = await own.api.call('GET', `${path}?provided_id=Billing`);
      expect(none.body).toEqual({ success: 1, [many]: [], has_more: false });
    });

    test('the list comes page by page in the order of registration', async () => {
      for (const id of ['c', 'a', 'b']) await register(id);
      const first = await own.api.call('GET', `${path}?limit=2`);
      const { next_cursor } = registryBody(first);
      const second = await own.api.call('GET', `${path}?limit=2&cursor=${next_cursor}`);
      const pages = [first, second].map((page) =>
        registryBody(page)[many].map(({ provided_id }) => provided_id),
      );
      expect(pages).toEqual([['c', 'a'], ['b']]);
      expect(second.body.next_cursor).toBeUndefined();
    });

    test('an id is taken once in a workspace, and is compared code point by code point', async () => {
      const ids = [
        'é',
        'e\u0301',
        'É',
        ' é',
        '__proto__',
        '7',
        '07',
        "x' OR '1'='1",
        '😀'.repeat(255),
      ];
      for (const id of ids) expect([id, (await register(id)).status]).toEqual([id, 201]);
      for (const id of ids) {
        const again = await register(id);
        expect([id, again.status, again.body.code]).toEqual([id, 409, 'provided_id_taken']);
        const found = await own.api.call('GET', `${path}?provided_id=${encodeURIComponent(id)}`);
        expect(registryBody(found)[many].map(({ provided_id }) => provided_id)).toEqual([id]);
      }
      expect((await register('é', other)).status).toBe(201);
    });

    test.each<[string, unknown, string, string]>([
      ['no field', {}, '/provided_id', 'required'],
      ['an id that is no text', { provided_id: 7, name: 'N' }, '/provided_id', 'type'],
      ['an empty id', { provided_id: '', name: 'N' }, '/provided_id', 'empty'],
      ['too long an id', { provided_id: 'x'.repeat(256), name: 'N' }, '/provided_id', 'too_long'],
      [
        'a control character',
        { provided_id: 'a\n', name: 'N' },
        '/provided_id',
        'control_character',
      ],
      ['NUL', '{"provided_id":"a\\u0000","name":"N"}', '/provided_id', 'nul_character'],
      [
        'a lone surrogate',
        '{"provided_id":"\\ud800","name":"N"}',
        '/provided_id',
        'lone_surrogate',
      ],
      ['null as a name', { provided_id: 'a', name: null }, '/name', 'type'],
      ['an unknown field', { provided_id: 'a', name: 'N', id: 7 }, '/id', 'unknown'],
    ])('%s is refused', async (_name, body, pointer, code) => {
      const answer = await own.api.call('POST', path, body);
      expect(answer.status).toBe(422);
      expect(errorsOf(answer)).toContainEqual([pointer, code]);
    });

    test('of 20 that register one id at once one succeeds', async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, () => register('once')));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, ...Array(19).fill(409)]);
    });

    test('the name can be changed and the id cannot', async () => {
      const { id, provided_id, created_at } = view(await register('fixed'));
      const renamed = await own.api.call('PATCH', `${path}/${id}`, { name: 'Renamed' });
      expect(view(renamed)).toMatchObject({ id, provided_id, created_at, name: 'Renamed' });
      const refused = await own.api.call('PATCH', `${path}/${id}`, { name: 'X', provided_id: 'y' });
      expect(errorsOf(refused)).toEqual([['/provided_id', 'unknown']]);
      const read = await own.api.call('GET', `${path}/${id}`);
      expect(read.body).toEqual(renamed.body);
    });

    test('what another workspace has registered is not there, whatever is done to it', async () => {
      const { id } = view(await register('secret', other));
      for (const number of [id, 999_999]) {
        const answers = [
          await own.api.call('GET', `${path}/${number}`),
          await own.api.call('PATCH', `${path}/${number}`, { name: 'mine' }),
          await own.api.call('DELETE', `${path}/${number}`),
          await own.api.call('GET', `${path}/${number}/references`),
        ];
        for (const { status, body } of answers) {
          expect([status, body.code]).toEqual([404, notFound]);
        }
      }
      expect((await other.api.call('GET', `${path}/${id}`)).status).toBe(200);
      expect((await own.api.call('GET', `${path}?provided_id=secret`)).text).not.toContain(
        'secret',
      );
    });

    test('a text that is no number of ours names nothing', async () => {
      for (const id of [
        '0',
        '-1',
        '01',
        '1e3',
        '+1',
        '1.0',
        '9999999999',
        '%00',
        'x',
        '%EF%BC%91',
      ]) {
        const answer = await own.api.call('GET', `${path}/${id}`);
        expect([id, answer.status, answer.body.code]).toEqual([id, 404, notFound]);
      }
    });

    test('what is deleted is gone, and its id is free', async () => {
      const { id } = view(await register('gone'));
      const deleted = await own.api.call('DELETE', `${path}/${id}`);
      expect([deleted.status, deleted.body]).toEqual([200, { success: 1 }]);
      expect((await own.api.call('DELETE', `${path}/${id}`)).body.code).toBe(notFound);
      expect((await register('gone')).status).toBe(201);
    });

    test('each change is recorded with what it changed', async () => {
      const { id } = view(await register('recorded'));
      await own.api.call('PATCH', `${path}/${id}`, { name: 'N' });
      await own.api.call('PATCH', `${path}/${id}`, { name: 'M' });
      await own.api.call('DELETE', `${path}/${id}`);
      const { body } = await own.api.call('GET', `/api/v1/audit-events?object_type=${one}`);
      expect(
        body.audit_events.map(({ action, object, before, after }) => [
          action,
          object,
          before,
          after,
        ]),
      ).toEqual([
        [
          `${one}.delete`,
          { type: one, id: String(id) },
          { provided_id: 'recorded', name: 'M' },
          undefined,
        ],
        [`${one}.update`, { type: one, id: String(id) }, { name: 'N' }, { name: 'M' }],
        [
          `${one}.create`,
          { type: one, id: String(id) },
          undefined,
          { provided_id: 'recorded', name: 'N' },
        ],
      ]);
    });
  });

  test('what mappings refer to cannot be deleted, and the answer says who refers to it', async () => {
    const schema = await own.schema('sales');
    const source = await own.dataSource('warehouse');
    const spare = await own.dataSource('spare');
    await own.set({ mapping_policy: 'registered' });
    for (let n = 100; n < 125; n++) await own.put(`g${n}`, { mapping: { sales: 'warehouse' } });
    for (const path of [`/api/v1/schemas/${schema}`, `/api/v1/data-sources/${source}`]) {
      const refused = await own.api.call('DELETE', path);
      expect([refused.status, refused.body.code]).toEqual([409, 'still_referenced']);
      expect(errorsOf(refused)).toEqual(
        Array.from({ length: 20 }, (_, n) => [`/user_groups/g${100 + n}`, 'refers']),
      );
      const ids: string[] = [];
      for (let cursor = ''; ;) {
        const page = registryBody(
          await own.api.call('GET', `${path}/references?limit=10${cursor}`),
        );
        expect(page.required).toBe(false);
        ids.push(...page.user_groups.map(({ provided_id }) => provided_id));
        if (page.next_cursor === undefined) break;
        cursor = `&cursor=${page.next_cursor}`;
      }
      expect(ids).toEqual(Array.from({ length: 25 }, (_, n) => `g${100 + n}`));
    }
    expect((await own.api.call('DELETE', `/api/v1/data-sources/${spare}`)).status).toBe(200);
    await own.set({ mapping_policy: 'open' });
    expect((await own.api.call('DELETE', `/api/v1/data-sources/${source}`)).status).toBe(200);
  });

  test('a schema that the workspace requires cannot be deleted while mappings name the registry', async () => {
    const schema = await own.schema('sales');
    await own.set({ mapping_policy: 'registered', required_schemas: ['sales'] });
    const path = `/api/v1/schemas/${schema}`;
    const refused = await own.api.call('DELETE', path);
    expect([refused.body.code, errorsOf(refused)]).toEqual([
      'still_referenced',
      [['/required_schemas/0', 'refers']],
    ]);
    expect(registryBody(await own.api.call('GET', `${path}/references`))).toMatchObject({
      required: true,
      user_groups: [],
    });
    await own.set({ required_schemas: [] });
    expect((await own.api.call('DELETE', path)).status).toBe(200);
  });

  test('a workspace has at most 200 schemas, also when many are registered at once', async () => {
    for (let n = 0; n < 195; n++) await own.schema(`s${n}`);
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        own.api.call('POST', '/api/v1/schemas', { provided_id: `t${n}`, name: 'N' }),
      ),
    );
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
      Array(5).fill([409, 'too_many_schemas']),
    );
    expect(
      (await other.api.call('POST', '/api/v1/schemas', { provided_id: 's', name: 'N' })).status,
    ).toBe(201);
  });
});
