import jsonwebtoken from 'jsonwebtoken';
import type { JsonValue } from '../../src/platform/common/json/strict-json.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { mulberry32 } from '../support/random.ts';
import { errorsOf, TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';
import { ADA, bodies, DASHBOARD_UUID, HS256, properties, SALES, SECRET } from './target-bodies.ts';

/** Values that some reader of a token, of SQL, of a template or of an object takes for something else. */
const HOSTILE: JsonValue[] = [
  "x' OR '1'='1",
  "' OR 1=1 --",
  '1); DROP TABLE sale; --',
  '{{ 7*7 }}',
  '{{ current_user_id() }}',
  '{% raw %}',
  ':region',
  '%(region)s',
  '\\',
  "\\' OR 1=1 -- ",
  "''",
  '/* */',
  '$$x$$',
  '@tenant',
  '{"$": "sub"}',
  '__proto__',
  'constructor',
  'NULL',
  'true',
  '1 OR 1=1',
  '0x41',
  '1e3',
  "2030-01-31' OR '1'='1",
  '2030-02-31',
  '\u0027 OR 1=1',
  '\u02bc OR 1=1',
  '\uff07 OR 1=1',
  'é',
  '\u202e',
  '\n',
  ' EMEA',
  'EMEA ',
  'emea',
  'EMEA,APAC',
  1.5,
  -1,
  1e300,
  [],
  [[]],
  ['EMEA', []],
  [null],
  {},
  { $: 'sub' },
  { toString: 'x' },
  true,
];

onEachDatabase((kind) => {
  const service = withService(kind);
  let own: TestWorkspace;
  let count = 0;

  beforeEach(async () => {
    own = await TestWorkspace.create(service, `kinds ${++count}`);
    await own.put('acme', { properties });
  });

  const put = (body: object) => own.api.call('PUT', '/api/v1/targets/x', body);
  const stored = async (body: object) => {
    const answer = await put(body);
    expect([answer.body.errors, answer.status < 300]).toEqual([undefined, true]);
  };
  const issue = (body: object = {}, id = 'acme') =>
    own.api.call('POST', `/api/v1/user-groups/${id}/embed-tokens`, { target: 'x', ...body });
  const claimsOf = async (body: object = {}, id = 'acme') => {
    const answer = await issue(body, id);
    expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
    return jsonwebtoken.verify(answer.body.embed_token.token, SECRET, {
      algorithms: ['HS256'],
    }) as Record<string, unknown>;
  };
  const teamId = async () => (await own.api.get({ user_group_id: 'acme' })).body.user_group.team_id;
  const filter = (own: object) => ({
    ...bodies.superset,
    row_filters: [{ dataset: 7, column: 'c', op: '=', ...own }],
  });

  test('superset: the claims are those of a guest, with a clause for each dataset', async () => {
    await stored(bodies.superset);
    const claims = await claimsOf({ user: ADA, resources: [SALES] });
    const id = await teamId();
    expect(claims).toEqual({
      user: { username: expect.stringMatching(new RegExp(`^g${id}-[0-9a-f]{32}$`)) },
      resources: [SALES],
      rls_rules: [
        { dataset: 7, clause: "region IN ('EMEA', 'APAC')" },
        { dataset: 7, clause: `team = ${id}` },
      ],
      type: 'guest',
      aud: 'superset',
      iat: expect.any(Number),
      exp: expect.any(Number),
    });
  });

  test.each<[string, object]>([
    ['free text', { type: 'string', value: { $: 'variables.region' } }],
    ['no dataset', { dataset: undefined, type: 'integer', value: { $: 'team_id' } }],
    [
      'a misspelt dataset',
      { datasource: 7, dataset: undefined, type: 'integer', value: { $: 'team_id' } },
    ],
    ['a dataset that is no number', { dataset: '7', type: 'integer', value: { $: 'team_id' } }],
    ['a column that is SQL', { column: '1=1 OR c', type: 'integer', value: { $: 'team_id' } }],
    ['a column that is a value', { column: 'true', type: 'boolean', value: { $: 'variables.b' } }],
    ['a column in quotes', { column: '"c"', type: 'integer', value: { $: 'team_id' } }],
    ['an operator that is SQL', { op: 'LIKE', type: 'integer', value: { $: 'team_id' } }],
    ['words that nobody has listed', { type: 'word', value: { $: 'variables.region' } }],
    ['a word with a quote', { type: 'word', allowed: ["x'"], value: { $: 'variables.region' } }],
    [
      'an order of words',
      { op: '<', type: 'word', allowed: ['a'], value: { $: 'variables.region' } },
    ],
    ['a literal of another type', { type: 'integer', value: '7' }],
    ['an empty list', { op: 'in', type: 'integer', value: [] }],
    ['a clause', { type: 'integer', value: { $: 'team_id' }, clause: '1=1' }],
  ])('superset refuses a row filter with %s', async (_name, one) => {
    const answer = await put(filter(one));
    expect([answer.status, errorsOf(answer)[0]![0]]).toEqual([
      422,
      expect.stringMatching(/^\/row_filters/),
    ]);
  });

  test('superset refuses resources that are no dashboards, members that its schema drops, and attributes', async () => {
    await stored(bodies.superset);
    expect(errorsOf(await issue({ user: ADA, resources: [{ type: 'chart', id: '1' }] }))).toEqual([
      ['/claims/resources/0/type', 'not_acceptable'],
    ]);
    expect((await issue({ user: ADA })).body.code).toBe('target_value_missing');
    expect((await issue({ resources: [SALES] })).body.code).toBe('target_value_missing');
    const user = { username: { $: 'user.key' }, attributes: { region: 'x' } };
    expect(
      errorsOf(await put({ ...bodies.superset, claims: { ...bodies.superset.claims, user } })),
    ).toEqual([['/claims/user/attributes', 'unknown']]);
    expect(
      errorsOf(
        await put({ ...bodies.superset, claims: { ...bodies.superset.claims, rls_rules: [] } }),
      ),
    ).toEqual([['/claims/rls_rules', 'unknown']]);
  });

  test.each([
    ['integer', /^c = -?\d+$/],
    ['boolean', /^c = (TRUE|FALSE)$/],
    ['date', /^c = '\d{4}-\d\d-\d\d'$/],
    ['uuid', /^c = '[0-9a-fA-F-]{36}'$/],
    ['word', /^c = '(EMEA|APAC|a\.b-c_1)'$/],
  ])('superset: of hostile values a clause of the type %s has none', async (type, form) => {
    const allowed = type === 'word' ? { allowed: ['EMEA', 'APAC', 'a.b-c_1'] } : {};
    await stored(filter({ type, ...allowed, value: { $: 'variables.v' } }));
    const good = {
      integer: 7,
      boolean: false,
      date: '2030-01-31',
      uuid: DASHBOARD_UUID,
      word: 'a.b-c_1',
    }[type]!;
    const random = mulberry32(7);
    const mutated = Array.from({ length: 12 }, () => {
      const text = String(good);
      const at = Math.floor(random() * (text.length + 1));
      const wrong = ["'", '"', '\\', ';', '{', ':', '%', '\n', ' ', '\u02bc'][
        Math.floor(random() * 10)
      ]!;
      return text.slice(0, at) + wrong + text.slice(at);
    });
    let issued = 0;
    for (const value of [good, ...HOSTILE, ...mutated]) {
      await own.put('acme', { properties: { v: value } });
      const answer = await issue({ user: ADA, resources: [SALES] });
      if (answer.status === 201) {
        issued++;
        const { rls_rules: rules } = jsonwebtoken.decode(answer.body.embed_token.token) as {
          rls_rules: { clause: string }[];
        };
        expect(rules[0]!.clause).toMatch(form);
        expect(typeof value === 'string' ? rules[0]!.clause : '').toContain(
          typeof value === 'string' ? `'${value}'` : '',
        );
      } else expect([value, answer.body.code]).toEqual([value, 'target_value_refused']);
    }
    expect(issued).toBeGreaterThan(0);
    expect(issued).toBeLessThan(4);
  });

  test('what would show every group the same is refused, unless it says so', async () => {
    const constant: [object, object][] = [
      [{ ...bodies.superset, row_filters: [] }, {}],
      [filter({ type: 'integer', value: 7 }), {}],
      [filter({ type: 'word', allowed: ['a'], value: { $: 'user.name' } }), {}],
      [{ ...bodies['metabase-embed'], claims: { resource: { dashboard: 7 } } }, {}],
      [{ ...bodies['metabase-embed'], claims: { resource: { dashboard: 7 }, params: {} } }, {}],
      [
        {
          ...bodies['metabase-embed'],
          claims: { resource: { dashboard: 7 }, params: { a: 'EMEA' } },
        },
        {},
      ],
      [{ ...bodies.lightdash, claims: { content: bodies.lightdash.claims.content } }, {}],
      [{ ...bodies.cube, claims: {} }, {}],
      [{ ...bodies.cube, claims: { region: 'EMEA', user: { $: 'user.id' } } }, {}],
      [{ ...bodies.jwt, claims: { name: { $: 'name' }, email: { $: 'user.email' } } }, {}],
    ];
    for (const [body] of constant) {
      const answer = await put(body);
      expect([answer.status, errorsOf(answer).map(([, code]) => code)]).toEqual([
        422,
        ['required'],
      ]);
      expect(answer.body.errors[0]!.detail).toContain('unfiltered');
      expect((await put({ ...body, unfiltered: true })).status).toBeLessThan(300);
    }
    expect(errorsOf(await put({ ...bodies.cube, unfiltered: true }))).toEqual([
      ['/unfiltered', 'not_acceptable'],
    ]);
    const { token } = (await issueUnfiltered()).body.embed_token;
    expect(jsonwebtoken.decode(token)).toMatchObject({ rls_rules: [] });

    async function issueUnfiltered() {
      await stored({ ...bodies.superset, row_filters: [], unfiltered: true });
      return issue({ user: ADA, resources: [SALES] });
    }
  });

  test('metabase-embed: a resource by its number, and locked parameters that nothing switches off', async () => {
    await stored(bodies['metabase-embed']);
    const dashboard = { resources: [{ type: 'dashboard', id: '7' }] };
    expect(await claimsOf(dashboard)).toEqual({
      resource: { dashboard: 7 },
      params: { region: ['EMEA', 'APAC'] },
      exp: expect.any(Number),
    });
    for (const regions of [[], ['EMEA', ''], [' '], [[]], {}, [null], '', '  ', null]) {
      await own.put('acme', { properties: { regions } });
      const { status, body } = await issue(dashboard);
      expect([regions, status, body.code]).toEqual([
        regions,
        422,
        expect.stringMatching(/^target_value_/),
      ]);
    }
    await own.put('acme', { properties });
    for (const id of ['0', '-1', '7; x', '07', '1e3', '7.0', '../8', '', ' 7'].filter(
      (one) => one !== '',
    )) {
      expect(errorsOf(await issue({ resources: [{ type: 'dashboard', id }] }))).toEqual([
        ['/claims/resource/dashboard', 'not_acceptable'],
      ]);
    }
    for (const resources of [
      [{ type: 'question', id: '7' }],
      [
        { type: 'dashboard', id: '7' },
        { type: 'dashboard', id: '8' },
      ],
    ]) {
      expect(errorsOf(await issue({ resources }))).toEqual([['/resources', 'not_acceptable']]);
    }
    expect((await issue()).body.code).toBe('target_value_missing');
    const two = { ...bodies['metabase-embed'].claims, resource: { dashboard: 7, question: 8 } };
    expect(errorsOf(await put({ ...bodies['metabase-embed'], claims: two }))).toEqual([
      ['/claims/resource', 'required'],
    ]);
  });

  test('metabase-sso: a user is known by ids that nobody can change, and never changes tenant', async () => {
    await stored(bodies['metabase-sso']);
    const id = await teamId();
    const before = await claimsOf({ user: ADA });
    expect(before).toEqual({
      email: expect.stringMatching(new RegExp(`^g${id}-[0-9a-f]{32}@groups\\.example\\.com$`)),
      '@tenant': `g${id}`,
      first_name: ADA.name,
      groups: ['Viewers'],
      region: 'EMEA',
      '@tenant.attributes': { limit: 5 },
      iat: expect.any(Number),
      exp: expect.any(Number),
    });
    await own.put('acme', { name: 'Renamed', properties });
    const renamed = await claimsOf({
      user: { ...ADA, name: 'Admin', email: 'root@globex.example' },
    });
    expect([renamed['email'], renamed['@tenant']]).toEqual([before['email'], before['@tenant']]);
    await own.put('globex', { properties });
    const foreign = await claimsOf({ user: ADA }, 'globex');
    expect(foreign['email']).not.toBe(before['email']);
    expect(foreign['@tenant']).not.toBe(before['@tenant']);
    const other = await claimsOf({ user: { ...ADA, id: 'U-17' } });
    expect(other['email']).not.toBe(before['email']);
    expect((await issue()).body.code).toBe('target_value_missing');
    for (const claims of [
      { email: { $: 'user.email' } },
      { '@tenant': { $: 'name' } },
      { '@role': 'x' },
      { groups: ['Administrators'] },
      { groups: { $: 'variables.groups' } },
      { groups: [' administrators '] },
      { exp: 1 },
    ]) {
      expect([claims, (await put({ ...bodies['metabase-sso'], claims })).status]).toEqual([
        claims,
        422,
      ]);
    }
    for (const email_domain of ['a', 'a@b.example', 'A.example', 'a.example/x', 'a..example', '']) {
      expect(errorsOf(await put({ ...bodies['metabase-sso'], email_domain }))).toEqual([
        ['/email_domain', 'not_acceptable'],
      ]);
    }
  });

  test('lightdash: what does not fit its schema is refused, since Lightdash only logs it', async () => {
    await stored(bodies.lightdash);
    const dashboard = { user: ADA, resources: [{ type: 'dashboard', id: DASHBOARD_UUID }] };
    expect(await claimsOf(dashboard)).toEqual({
      content: { type: 'dashboard', dashboardUuid: DASHBOARD_UUID, canExportCsv: false },
      userAttributes: { region: 'EMEA' },
      user: { externalId: expect.any(String), email: ADA.email },
      iat: expect.any(Number),
      exp: expect.any(Number),
    });
    const { content } = bodies.lightdash.claims;
    for (const claims of [
      { userAttributes: { region: { $: 'sub' } } },
      { content: { ...content, userattributes: {} } },
      { content: { ...content, canExplore: true } },
      { content: { ...content, type: 'chart' } },
      { content: { type: 'apiAccess', serviceAccountUserUuid: DASHBOARD_UUID } },
      { content, writeActions: { spaceUuid: DASHBOARD_UUID } },
      { content, userattributes: { region: { $: 'sub' } } },
      { content, user: { externalId: 'x', role: 'admin' } },
      { content: { ...content, dashboardFiltersInteractivity: { enabled: 'yes' } } },
    ]) {
      expect([claims, (await put({ ...bodies.lightdash, claims })).status]).toEqual([claims, 422]);
    }
    for (const region of [1, true, {}, [], '', ['']]) {
      await own.put('acme', { properties: { region } });
      expect([region, (await issue(dashboard)).body.code]).toEqual([
        region,
        'target_value_refused',
      ]);
    }
  });

  test('cube: nothing covers the claims, and no list is empty', async () => {
    for (const name of ['u', 'scope', 'exp', 'iat', 'nbf', 'aud', 'act']) {
      expect(
        errorsOf(await put({ ...bodies.cube, claims: { ...bodies.cube.claims, [name]: 1 } })),
      ).toEqual([[`/claims/${name}`, 'not_acceptable']]);
    }
    await stored({ ...bodies.cube, claims: { r: { $: 'variables.regions' } } });
    for (const regions of [[], { a: [] }, [[]]]) {
      await own.put('acme', { properties: { regions } });
      expect([regions, (await issue()).body.code]).toEqual([regions, 'target_value_refused']);
    }
  });

  test('grafana: no claim that the service writes, or that an embed token has, and no user of two groups', async () => {
    for (const name of [
      'iss',
      'sub',
      'team_id',
      'workspace_id',
      'jti',
      'gen',
      'epoch',
      'iat_ms',
      'act',
      'resources',
    ]) {
      expect(errorsOf(await put({ ...bodies.grafana, claims: { [name]: 'x' } }))).toEqual([
        [`/claims/${name}`, 'not_acceptable'],
      ]);
    }
  });

  test.each<[string, JsonValue]>([
    ['who', { $: 'user.id' }],
    ['deep', [{ n: { $: 'user.id' } }]],
    ['login', { $: 'user.name' }],
    ['login', { $: 'variables.region' }],
    ['login', { $: 'user.key', default: 'admin' }],
    ['login', 'admin'],
    ['Email', { $: 'user.email' }],
    ['preferred_username', [{ $: 'user.key' }]],
  ])('grafana: no user of two groups by the claim %s: %j', async (name, value) => {
    const claims = {
      login: { $: 'user.key' },
      role: { $: 'user.name', default: 'x' },
      [name]: value,
    };
    expect(errorsOf(await put({ ...bodies.grafana, claims }))).toEqual([
      [`/claims/${name}`, 'not_acceptable'],
    ]);
  });

  test.each<[string, object, string]>([
    ['metabase-embed', { params: { $: 'variables.shape' } }, '/claims/params'],
    ['lightdash', { userAttributes: { $: 'variables.shape' } }, '/claims/userAttributes'],
    [
      'metabase-sso',
      { '@tenant.attributes': { $: 'variables.shape' } },
      '/claims/@tenant.attributes',
    ],
  ])(
    '%s: whole filters are written in the target, and copied from no group',
    async (name, claims, place) => {
      const body = bodies[name as keyof typeof bodies];
      expect(errorsOf(await put({ ...body, claims: { ...body.claims, ...claims } }))).toEqual([
        [place, 'type'],
      ]);
    },
  );

  test('metabase-embed: no secret but one that Metabase takes', async () => {
    for (const secret of ['x'.repeat(64), 'ab'.repeat(31), 'ab'.repeat(33)]) {
      const signing = { alg: 'HS256', keys: [{ id: 'a', secret }] };
      expect(errorsOf(await put({ ...bodies['metabase-embed'], signing }))).toEqual([
        ['/signing/keys/0/secret', 'not_acceptable'],
      ]);
    }
  });

  test('a default is a value that the tool takes in its place', async () => {
    const params = { region: { $: 'variables.region', default: { a: 1 } } };
    const body = bodies['metabase-embed'];
    expect(errorsOf(await put({ ...body, claims: { ...body.claims, params } }))).toEqual([
      ['/claims/params/region/default', 'type'],
    ]);
  });

  test.each(['\u001f', '\u200b', '\u2060\u00a0', '\u3000', '\ud800'])(
    'a text that some language takes for blank, such as %j, is no value',
    async (blank) => {
      const body = bodies['metabase-embed'];
      const params = { region: blank };
      expect(errorsOf(await put({ ...body, claims: { ...body.claims, params } }))).toEqual([
        ['/claims/params/region', expect.stringMatching(/^(empty|lone_surrogate)$/)],
      ]);
    },
  );

  test.each(['', 'a\nb', 'a\u0000', '\u0085'])('no claim has the name %j', async (name) => {
    for (const body of [bodies.grafana, bodies.cube]) {
      const claims = { ...body.claims, [name]: 'x' };
      expect((await put({ ...body, claims })).status).toBe(422);
    }
  });

  test('a long value that is copied many times is read once, and refused at the first place too many', async () => {
    await own.put('acme', { properties: { long: { text: 'x'.repeat(7000) } } });
    const claims = Object.fromEntries(
      Array.from({ length: 250 }, (_, n) => [`c${n}`, { $: 'variables.long' }]),
    );
    const parse = jest.spyOn(JSON, 'parse');
    for (const tool of ['jwt', 'cube'] as const) {
      await stored({ ...bodies[tool], claims });
      parse.mockClear();
      expect(errorsOf(await issue())).toEqual([['/claims', 'too_large']]);
      const isLong = ([text]: unknown[]) => typeof text === 'string' && text.length > 7000;
      expect(parse.mock.calls.filter(isLong).length).toBeLessThan(10);
    }
    parse.mockRestore();
  });

  test('hostile values keep their types and places in every claim, and become nothing else', async () => {
    await stored({
      kind: 'jwt',
      signing: HS256,
      claims: {
        __proto__x: 1,
        v: { $: 'variables.v' },
        in: [{ deep: { $: 'variables.v' } }],
        t: { $: 'team_id' },
      },
    });
    for (const value of [
      ...HOSTILE,
      { __proto__: 1 },
      JSON.parse('{"__proto__": {"admin": true}}') as JsonValue,
    ]) {
      await own.api.put(
        `{"user_group_id": "acme", "name": "A", "properties": {"v": ${JSON.stringify(value)}}}`,
      );
      const { token } = (await issue()).body.embed_token;
      const payload = Buffer.from(token.split('.')[1]!, 'base64url').toString();
      const { v, in: inside, ...rest } = JSON.parse(payload) as Record<string, unknown>;
      expect([JSON.stringify(v), JSON.stringify(inside)]).toEqual([
        JSON.stringify(value),
        JSON.stringify([{ deep: value }]),
      ]);
      expect(Object.keys(rest).sort()).toEqual(['__proto__x', 'exp', 'iat', 't']);
      expect(({} as { admin?: boolean }).admin).toBeUndefined();
    }
  });

  test('names of claims are names: also those of objects', async () => {
    const claims =
      '{"__proto__": {"$": "sub"}, "constructor": 1, "toString": [{"$": "team_id"}], "": {"a": 1}}';
    const body = JSON.stringify({ kind: 'cube', signing: HS256 }).replace(
      '}]}}',
      `}]}, "claims": ${claims.replace(', "": {"a": 1}', '')}}`,
    );
    const answer = await own.api.call('PUT', '/api/v1/targets/x', body);
    expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
    const { token } = (await issue()).body.embed_token;
    const payload = Buffer.from(token.split('.')[1]!, 'base64url').toString();
    expect(payload).toContain('"__proto__":"acme","constructor":1,"toString":[');
  });

  test.each<[string, JsonValue, string]>([
    ['an unknown reference', { $: 'properties.x' }, '/claims/x/$'],
    ['a template', { $: 'variables.a ${sub}' }, ''],
    ['a reference without a name', { $: 7 }, '/claims/x/$'],
    ['an empty path', { $: 'variables.' }, '/claims/x/$'],
    ['a path with an empty name', { $: 'variables.a..b' }, '/claims/x/$'],
    ['a reference with more', { $: 'sub', type: 'string' }, '/claims/x/type'],
    ['a default of null', { $: 'sub', default: null }, '/claims/x/default'],
    ['a default that refers', { $: 'sub', default: [{ $: 'name' }] }, '/claims/x/default'],
  ])('%s in the claims', async (_name, x, place) => {
    const answer = await put({ ...bodies.jwt, claims: { x, t: { $: 'sub' } } });
    if (place === '') {
      // A name with a space and a brace is a name: there is no such variable.
      expect(answer.status).toBe(201);
      expect((await issue()).body.code).toBe('target_value_missing');
    } else expect(errorsOf(answer)[0]![0]).toBe(place);
  });

  test('claims have bounds: of a definition and of a token', async () => {
    let deep: JsonValue = { $: 'sub' };
    for (let level = 0; level < 10; level++) deep = { a: deep };
    expect(errorsOf(await put({ ...bodies.jwt, claims: { deep } }))[0]![1]).toBe('too_deep');
    expect(
      errorsOf(await put({ ...bodies.jwt, claims: { t: { $: 'sub' }, x: 'x'.repeat(8200) } })),
    ).toEqual([['/claims', 'too_large']]);
    await stored({ ...bodies.jwt, claims: { a: { $: 'variables.v' }, b: { $: 'variables.v' } } });
    await own.put('acme', { properties: { v: 'x'.repeat(5000) } });
    expect((await issue()).body.code).toBe('target_value_refused');
  });
});
