import type { DeclaredVariable } from '../../src/core/mapping/variables.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { errorsOf, TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';

type Declared = Partial<Omit<DeclaredVariable, 'isSecret'>> & { name: string; is_secret?: boolean };

const NO_CACHE = { 'Cache-Control': 'no-cache' };
const STORE: Declared = { name: 'store', type: 'integer', source: 'token' };
const REGIONS: Declared = { name: 'regions', type: 'string[]' };

onEachDatabase((kind) => {
  const service = withService(kind);
  let own: TestWorkspace;
  let count = 0;

  beforeEach(async () => {
    own = await TestWorkspace.create(service, `token-variables-${++count}`);
  });

  const declare = async (...variables: Declared[]) => {
    const answer = await own.set({ variables: variables as never });
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  };
  const put = async (properties: object) => {
    const answer = await own.put('g', { properties });
    expect([answer.status, answer.body.errors]).toEqual([200, undefined]);
  };
  const issue = (own_: unknown) =>
    own.api.call(
      'POST',
      '/api/v1/user-groups/g/embed-tokens',
      typeof own_ === 'string' ? own_ : { audience: 'here', format: 'opaque', ...(own_ as object) },
    );
  const tokenWith = async (variables: unknown) => {
    const answer = await issue({ variables });
    expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
    return answer.body.embed_token.token;
  };
  const refusal = async (variables: unknown, more: object = {}) => {
    const answer = await issue({ variables, ...more });
    return [answer.status, errorsOf(answer)];
  };
  const seen = async (token: string) =>
    (await own.api.introspect(token, NO_CACHE)) as unknown as Record<string, unknown>;
  const inspect = async (token: string) =>
    (await own.api.call('POST', '/api/v1/tokens/inspect', { token })).body as unknown as {
      inspection: {
        accepted: boolean;
        reason: string | null;
        checks: { name: string; detail: string }[];
        embed_token: { format: string; variables: string[] };
      };
    };

  test('a variable of tokens has the value of its token, beside those of the group', async () => {
    await declare(
      STORE,
      { name: 'a.day', type: 'date', source: 'token', default: '2030-12-31' },
      REGIONS,
    );
    await put({ regions: ['EMEA'], other: 1 });
    expect(await seen(await tokenWith({ store: 7, a: { day: '2031-01-01' } }))).toMatchObject({
      active: true,
      properties: { regions: ['EMEA'], other: 1 },
      variables: { store: 7, a: { day: '2031-01-01' }, regions: ['EMEA'] },
    });
    expect(await seen(await tokenWith({}))).toMatchObject({
      variables: { store: null, a: { day: '2030-12-31' }, regions: ['EMEA'] },
    });
  });

  test('each token has its own, also when introspected in turn', async () => {
    await declare(STORE);
    await put({});
    const tokens = await Promise.all([1, 2, 3].map((store) => tokenWith({ store })));
    for (const round of [1, 2]) {
      const stores = await Promise.all(
        tokens.map(async (token) => (await seen(token))['variables']),
      );
      expect([round, stores]).toEqual([round, [{ store: 1 }, { store: 2 }, { store: 3 }]]);
    }
  });

  test('a list of the group can be narrowed, and then is narrow in the properties too', async () => {
    await declare(REGIONS, { name: 'a.ids', type: 'integer[]', default: [1, 2] });
    await put({ regions: ['EMEA', 'APAC', 'AMER'], plan: 'pro' });
    expect(
      await seen(await tokenWith({ regions: ['APAC', 'EMEA'], a: { ids: [2] } })),
    ).toMatchObject({
      properties: { regions: ['APAC', 'EMEA'], plan: 'pro' },
      variables: { regions: ['APAC', 'EMEA'], a: { ids: [2] } },
    });
    await put({ regions: ['EMEA', 'APAC'], a: { ids: [3, 4], rest: true } });
    expect(await seen(await tokenWith({ a: { ids: [4] } }))).toMatchObject({
      properties: { regions: ['EMEA', 'APAC'], a: { ids: [4], rest: true } },
      variables: { regions: ['EMEA', 'APAC'], a: { ids: [4] } },
    });
  });

  test('nothing but a part of a list of the group is taken from a token', async () => {
    await declare(
      REGIONS,
      { name: 'region', type: 'string' },
      { name: 'keys', type: 'string[]', is_secret: true },
      { name: 'a.ids', type: 'integer[]' },
      { name: 'none', type: 'string[]' },
    );
    await put({ regions: ['EMEA', 'é'], region: 'EMEA', keys: ['k'], a: { ids: [1] } });
    const refused: [object, string, string][] = [
      [{ region: 'EMEA' }, '/variables/region', 'variable_not_from_token'],
      [{ keys: ['k'] }, '/variables/keys', 'variable_not_from_token'],
      [{ regions: ['AMER'] }, '/variables/regions', 'not_a_subset'],
      [{ regions: ['EMEA', 'AMER'] }, '/variables/regions', 'not_a_subset'],
      [{ regions: ['emea'] }, '/variables/regions', 'not_a_subset'],
      [{ regions: ['e\u0301'] }, '/variables/regions', 'not_a_subset'],
      [{ regions: ['EMEA '] }, '/variables/regions', 'not_a_subset'],
      [{ regions: [] }, '/variables/regions', 'empty'],
      [{ regions: 'EMEA' }, '/variables/regions', 'type'],
      [{ regions: [['EMEA']] }, '/variables/regions/0', 'type'],
      [{ regions: null }, '/variables/regions', 'type'],
      [{ regions: { 0: 'EMEA' } }, '/variables/regions', 'type'],
      [{ none: ['x'] }, '/variables/none', 'not_a_subset'],
      [{ a: { ids: ['1'] } }, '/variables/a/ids/0', 'type'],
      [{ a: { ids: [2] } }, '/variables/a/ids', 'not_a_subset'],
      [{ a: { other: 1 } }, '/variables/a/other', 'unknown'],
      [{ a: [1] }, '/variables/a', 'unknown'],
      [{ 'a.ids': [1] }, '/variables/a.ids', 'unknown'],
      [{ Regions: ['EMEA'] }, '/variables/Regions', 'unknown'],
      [{ regions: ['EMEA'], new: 1 }, '/variables/new', 'unknown'],
      [{ constructor: 1 }, '/variables/constructor', 'unknown'],
    ];
    for (const [variables, pointer, code] of refused) {
      expect([variables, await refusal(variables)]).toEqual([variables, [422, [[pointer, code]]]]);
    }
    const polluting = await issue(
      '{"audience":"here","format":"opaque","variables":{"__proto__":{"ids":[1]}}}',
    );
    expect([polluting.status, errorsOf(polluting)]).toEqual([
      422,
      [['/variables/__proto__', 'unknown']],
    ]);
  });

  test('a value of a token is of its type and among the allowed ones, whatever its name', async () => {
    await declare(
      { name: '__proto__', type: 'string', source: 'token', enum: ['a', 'b'] },
      { name: 'constructor.name', type: 'boolean', source: 'token' },
      { name: 'when', type: 'timestamp[]', source: 'token' },
    );
    await put({});
    const sent = JSON.parse('{"__proto__":"b","constructor":{"name":false}}') as object;
    const { variables } = await seen(await tokenWith(sent));
    expect(JSON.stringify(variables)).toBe(
      '{"__proto__":"b","constructor":{"name":false},"when":null}',
    );
    for (const [text, pointer, code] of [
      ['{"__proto__":"c"}', '/variables/__proto__', 'not_acceptable'],
      ['{"__proto__":{}}', '/variables/__proto__', 'type'],
      ['{"constructor":{"name":"false"}}', '/variables/constructor/name', 'type'],
      ['{"constructor":{"name":null}}', '/variables/constructor/name', 'type'],
      ['{"when":["2030-12-31"]}', '/variables/when/0', 'type'],
      ['{"when":"\\ud800"}', '/variables/when', 'lone_surrogate'],
      ['{"constructor":{"name":9007199254740993}}', '/variables/constructor/name', 'lossy_number'],
    ] as const) {
      const answer = await issue(`{"audience":"here","format":"opaque","variables":${text}}`);
      expect([text, answer.status, errorsOf(answer)[0]]).toEqual([text, 422, [pointer, code]]);
    }
  });

  test('variables need the opaque format, have a size, and are an object', async () => {
    await declare({ name: 'note', type: 'string', source: 'token' });
    await put({});
    for (const format of ['jwt', undefined]) {
      expect(await refusal({ note: 'a' }, { format })).toEqual([
        422,
        [['/format', 'format_required']],
      ]);
      expect(await refusal({}, { format })).toEqual([422, [['/format', 'format_required']]]);
    }
    expect(await refusal({ note: 'é'.repeat(506) })).toEqual([201, []]);
    expect(await refusal({ note: 'é'.repeat(507) })).toEqual([422, [['/variables', 'too_large']]]);
    for (const [variables, code] of [
      [[], 'type'],
      ['{}', 'type'],
      [null, 'type'],
      [7, 'type'],
    ] as const) {
      expect([variables, await refusal(variables)]).toEqual([
        variables,
        [422, [['/variables', code]]],
      ]);
    }
    for (const [format, code] of [
      ['JWT', 'not_acceptable'],
      ['', 'not_acceptable'],
      [null, 'type'],
      [['opaque'], 'type'],
    ] as const) {
      const answer = await issue({ format });
      expect([answer.status, errorsOf(answer)]).toEqual([422, [['/format', code]]]);
    }
  });

  test('a required one is in every token, or there is none', async () => {
    await declare({ ...STORE, required: true }, { ...STORE, name: 'a.b', required: true });
    await put({});
    const missing = [
      ['/variables/store', 'variable_missing'],
      ['/variables/a/b', 'variable_missing'],
    ];
    expect(await refusal(undefined)).toEqual([422, missing]);
    expect(await refusal({ a: {} })).toEqual([422, missing]);
    expect(await refusal({ store: null, a: { b: 1 } })).toEqual([
      422,
      [['/variables/store', 'type']],
    ]);
    const token = await tokenWith({ store: 7, a: { b: 1 } });
    expect(await seen(token)).toMatchObject({ active: true, variables: { store: 7, a: { b: 1 } } });
    expect(await inspect(token)).toMatchObject({
      inspection: {
        accepted: true,
        embed_token: { format: 'opaque', variables: ['store', 'a.b'] },
      },
    });
  });

  test.each<[string, () => Promise<void>, () => Promise<void>]>([
    [
      'the list of the group becomes another',
      () => put({ regions: ['EMEA', 'AMER'] }),
      () => put({ regions: ['AMER', 'APAC'] }),
    ],
    [
      'the list of the group becomes empty',
      () => put({ regions: [] }),
      () => put({ regions: ['APAC'] }),
    ],
    [
      'the list is of no declared variable any more',
      () => declare(STORE),
      () => declare(STORE, REGIONS),
    ],
    [
      'the list becomes a secret',
      () => declare(STORE, { ...REGIONS, is_secret: true }),
      () => declare(STORE, REGIONS),
    ],
    [
      'the variable of tokens becomes one of groups',
      () => declare(REGIONS, { ...STORE, source: 'group' }),
      () => declare(STORE, REGIONS),
    ],
    [
      'the variable of tokens gets another type',
      () => declare(REGIONS, { ...STORE, type: 'string' }),
      () => declare(STORE, REGIONS),
    ],
    [
      'another variable of tokens is required',
      () => declare(REGIONS, STORE, { ...STORE, name: 'other', required: true }),
      () => declare(STORE, REGIONS),
    ],
  ])('a token is inactive, never wider, after %s', async (_name, change, undo) => {
    await declare(STORE, REGIONS);
    await put({ regions: ['EMEA', 'APAC'] });
    const token = await tokenWith({ store: 7, regions: ['APAC'] });
    expect(await seen(token)).toMatchObject({ active: true, variables: { regions: ['APAC'] } });
    await change();
    expect(await seen(token)).toEqual({ active: false });
    const { inspection } = await inspect(token);
    expect(inspection.accepted).toBe(false);
    expect(['variable_refused', 'variable_missing']).toContain(inspection.reason);
    await undo();
    expect(await seen(token)).toMatchObject({
      active: true,
      variables: { store: 7, regions: ['APAC'] },
    });
  });

  test('a longer list of the group does not reach the token', async () => {
    await declare(REGIONS);
    await put({ regions: ['EMEA'] });
    const token = await tokenWith({ regions: ['EMEA'] });
    await put({ regions: ['EMEA', 'APAC'] });
    expect(await seen(token)).toMatchObject({
      properties: { regions: ['EMEA'] },
      variables: { regions: ['EMEA'] },
    });
  });

  test('values are in no response but introspection, in no table and no event', async () => {
    await declare({ name: 'note', type: 'string', source: 'token' });
    await put({});
    const value = 'hidden-value-of-a-token';
    const issued = await issue({
      variables: { note: value },
      acting_for: { subject: 'kim', reason: 'Ticket 4711' },
    });
    const { token, jti } = issued.body.embed_token;
    expect(await seen(token)).toMatchObject({ variables: { note: value } });
    const inspected = await own.api.call('POST', '/api/v1/tokens/inspect', { token });
    expect(inspected.text).toContain('"note"');
    const events = await own.api.call('GET', '/api/v1/audit-events');
    expect(events.text).toContain(jti);
    for (const text of [issued.text, inspected.text, events.text, atob(token.split('.')[0]!)]) {
      expect(text).not.toContain(value);
    }
    const rows = await service.query('SELECT * FROM audit_event');
    expect(JSON.stringify(rows)).not.toContain(value);
  });

  test('a user-group token and a JWT say what they lack', async () => {
    await declare(STORE);
    await put({});
    const jwt = (await issue({ format: 'jwt' })).body.embed_token.token;
    const { token } = (await own.api.get({ user_group_id: 'g' })).body.user_group;
    await declare({ ...STORE, required: true });
    for (const text of [jwt, token]) {
      const { inspection } = await inspect(text);
      expect(inspection).toMatchObject({ accepted: false, reason: 'variable_missing' });
      expect(inspection.checks.at(-1)?.detail).toContain('/variables/store');
    }
  });
});
