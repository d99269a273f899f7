import { onEachDatabase } from '../support/database/databases.ts';
import { errorsOf, registryBody, TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

const PREVIEW = '/api/v1/workspace/incomplete-user-groups/preview';
const INCOMPLETE = '/api/v1/user-groups?status=incomplete&limit=200';
const STORE = { name: 'store', type: 'integer', source: 'token' };

interface View {
  status: string;
  reasons: { code: string; detail: string }[];
  introspection: { active: boolean };
  variables: { name: string; origin: string }[];
}

onEachDatabase((kind) => {
  const service = withService(kind);
  let own: TestWorkspace;
  let count = 0;

  beforeEach(async () => {
    own = await TestWorkspace.create(service, `sources-${++count}`);
  });

  const put = async (properties: object = {}) => {
    const answer = await own.put('g', { properties });
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
    return answer.body.user_group.token;
  };
  const seen = async (token: string) => (await own.introspect(token)).body as unknown as object;
  const view = async () => {
    const { body } = await own.api.call('GET', '/api/v1/user-groups/g/view');
    return (body as unknown as { view: View }).view;
  };

  const incomplete = async () => (await own.api.call('GET', INCOMPLETE)).body.user_groups;

  test('a declaration keeps its source, and is of the group without one', async () => {
    await own.set({ variables: [STORE, { name: 'region', type: 'string' }] as never });
    const { variables } = registryBody(await own.api.call('GET', '/api/v1/workspace')).workspace;
    expect(variables.map(({ name, source }) => [name, source])).toEqual([
      ['store', 'token'],
      ['region', 'group'],
    ]);
    for (const [source, code] of [
      ['Token', 'not_acceptable'],
      ['', 'not_acceptable'],
      ['constructor', 'not_acceptable'],
      [null, 'type'],
      [['token'], 'type'],
    ] as const) {
      const answer = await own.set({ variables: [{ ...STORE, source }] as never });
      expect([answer.status, errorsOf(answer)]).toEqual([422, [['/variables/0/source', code]]]);
    }
  });

  test.each<[string, string, object, string]>([
    ['a value', 'store', { store: 7 }, '/properties/store'],
    ['false', 'store', { store: false }, '/properties/store'],
    ['an empty text', 'store', { store: '' }, '/properties/store'],
    ['a nested value', 'a.b', { a: { b: 1 } }, '/properties/a/b'],
    ['__proto__', '__proto__', JSON.parse('{"__proto__":1}') as object, '/properties/__proto__'],
  ])('a group cannot have a variable of tokens: %s', async (_name, name, properties, pointer) => {
    await own.set({ variables: [{ ...STORE, name }] as never });
    for (const method of ['PUT', 'GET']) {
      const answer = await own.api.send({
        method,
        body: { user_group_id: 'g', name: 'G', properties },
      });
      expect([answer.status, errorsOf(answer)]).toEqual([422, [[pointer, 'not_acceptable']]]);
    }
    expect((await own.api.get({ user_group_id: 'g' })).status).toBe(404);
  });

  test('null, a name like it, and a text in the place of its outer object are no value of it', async () => {
    await own.set({ variables: [{ ...STORE, name: 'a.store', default: 5 }] as never });
    for (const properties of [
      {},
      { a: null },
      { a: { store: null } },
      { a: 'text' },
      { A: { store: 1 } },
    ]) {
      expect(await seen(await put(properties))).toMatchObject({
        active: true,
        properties,
        variables: { a: { store: 5 } },
      });
    }
  });

  test('a group that has one when it is declared is inactive, and the preview names it', async () => {
    const token = await put({ store: 7 });
    const preview = await own.api.call('POST', PREVIEW, { variables: [STORE] });
    expect(preview.text).toContain('/properties/store');
    await own.set({ variables: [STORE] as never });
    expect(await seen(token)).toEqual({ active: false });
    await until(async () => (await incomplete()).length > 0);
    expect(await incomplete()).toMatchObject([
      { provided_id: 'g', reasons: [{ pointer: '/properties/store', code: 'not_acceptable' }] },
    ]);
    await put({});
    expect(await seen(token)).toMatchObject({ active: true, variables: { store: null } });
  });

  test('without a token that has it, it is the default or null', async () => {
    await own.set({
      variables: [
        STORE,
        { name: 'a.day', type: 'date', source: 'token', default: '2030-12-31' },
      ] as never,
    });
    const token = await put({ region: 'EMEA' });
    expect(await seen(token)).toMatchObject({
      active: true,
      properties: { region: 'EMEA' },
      variables: { store: null, a: { day: '2030-12-31' } },
    });
    expect((await view()).variables.map(({ name, origin }) => [name, origin])).toEqual([
      ['store', 'token'],
      ['a.day', 'token'],
      ['region', 'properties'],
    ]);
  });

  test('a required one closes every token that lacks it, not the group, and the view says why', async () => {
    const token = await put({});
    const issue = () =>
      own.api.call('POST', '/api/v1/user-groups/g/embed-tokens', { audience: 'here' });
    const before = (await issue()).body.embed_token.token;
    await own.set({ variables: [{ ...STORE, required: true }] as never });
    expect(await seen(token)).toEqual({ active: false });
    expect(await seen(before)).toEqual({ active: false });
    const refused = await issue();
    expect([refused.status, errorsOf(refused)]).toEqual([
      422,
      [['/variables/store', 'variable_missing']],
    ]);
    const { status, reasons, introspection } = await view();
    expect([status, introspection, reasons.map(({ code }) => code)]).toEqual([
      'active',
      { active: false },
      ['variable_missing'],
    ]);
    await own.set({ variables: [{ ...STORE, required: false }] as never });
    expect(await seen(token)).toMatchObject({ active: true, variables: { store: null } });
    expect(await seen(before)).toMatchObject({ active: true });
  });

  test('an inactive token counts as no use', async () => {
    const token = await put({});
    const other = await TestWorkspace.create(service, `sources-used-${count}`);
    await other.put('g');
    await own.set({ variables: [{ ...STORE, required: true }] as never });
    await seen(token);
    await other.introspect((await other.api.get({ user_group_id: 'g' })).body.user_group.token);
    const usedAt = async ({ api }: TestWorkspace) => {
      const { body } = await api.call('GET', '/api/v1/user-groups/g/tokens');
      return body.tokens[0]!.last_introspected_at;
    };
    // Uses are written together, a moment later.
    await until(async () => (await usedAt(other)) !== null);
    expect(await usedAt(own)).toBeNull();
  });

  test('the declarations of another workspace do not count', async () => {
    const other = await TestWorkspace.create(service, `sources-other-${count}`);
    await other.set({ variables: [{ ...STORE, required: true }] as never });
    expect(await seen(await put({ store: 7 }))).toMatchObject({ active: true });
  });
});
