import { generateToken } from '../../src/platform/common/secret/secrets.ts';
import type { Answer } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';
import { passTime } from '../support/time/fake-time.ts';
import {
  askAsGateway,
  type Asked,
  AUDIENCE,
  COOKIE,
  formOf,
  identityOf,
  ORIGIN,
  PATH,
  SETTINGS,
} from './gateway.ts';

const ID = 'Größe/a%2Fb "😀"';
const SEEN = {
  'x-user-group': 'Gr%C3%B6%C3%9Fe%2Fa%252Fb%20%22%F0%9F%98%80%22',
  'x-user-group-acting': '-',
  'x-user-group-data-source': 'warehouse-emea',
};
const ADMITTED = { ...SEEN, 'x-region': 'EMEA%0D%0AX-User-Group%3A%20globex' };
const PROPERTIES = {
  region: 'EMEA\r\nX-User-Group: globex',
  empty: '',
  no_items: [],
  no_members: {},
  nothing: null,
  seats: 25,
  rate: 1e21,
  trial: false,
  address: { country: 'DE', 'zip.code': 1 },
  list: ['a', 'ü b'],
  long: 'x'.repeat(1025),
  a: 'x'.repeat(1024),
  b: 'y'.repeat(1024),
  c: 'z'.repeat(1024),
};

/** A function of the tokens that a service has issued. */
type Of<T> = (tokens: Tokens) => T;
interface Tokens {
  group: string;
  embed: string;
  opaque: string;
  acting: string;
  named: string;
  limited: string;
  otherAudience: string;
  otherOrigin: string;
  noOrigin: string;
  foreign: string;
  suspended: string;
  rotated: string;
  deleted: string;
  ended: string;
  unmapped: string;
  incomplete: string;
  narrow: string;
  revoked: string;
}

type Case = [
  name: string,
  status: number,
  asked: Of<Asked>,
  expected?: Record<string, string> | undefined,
];

const by =
  (kind: keyof Tokens, more: Asked = {}): Of<Asked> =>
  (tokens) => ({ token: tokens[kind], ...more });
const withCookie =
  (of: Of<string>, more: Asked = {}): Of<Asked> =>
  (tokens) => ({
    ...more,
    headers: { Cookie: of(tokens), ...more.headers },
  });
const withHeader = (name: string, value = 'globex'): Of<Asked> =>
  by('embed', { headers: { [name]: value } });
const withSource = (source: string): Of<Asked> => by('embed', { settings: { 'X-Region': source } });
const region = (value: string) => ({ ...SEEN, 'x-region': value });

const cases: Case[] = [
  // Tokens.
  ['a user-group token', 200, by('group'), ADMITTED],
  ['an embed token', 200, by('embed'), ADMITTED],
  ['an opaque embed token', 200, by('opaque'), ADMITTED],
  [
    'somebody who acts for the group',
    200,
    by('acting'),
    { ...ADMITTED, 'x-user-group-acting': 'kim%40support.example' },
  ],
  ['no token', 401, () => ({})],
  ['an unknown token', 401, () => ({ token: generateToken('ugt') })],
  ['nonsense', 401, () => ({ token: 'x' })],
  ['a long token', 401, () => ({ token: 'x'.repeat(6000) })],
  ['an API token in place of a token', 401, by('narrow')],
  ['a token of another workspace', 401, by('foreign')],
  ['a token of a suspended group', 401, by('suspended')],
  ['a replaced token', 401, by('rotated')],
  ['an embed token of a deleted group', 401, by('deleted')],
  ['an embed token that its holder has ended', 401, by('ended')],
  ['a token for another audience', 403, by('otherAudience')],
  ['a token for another origin', 403, by('otherOrigin')],
  ['a token for no origin, where the gateway names one', 403, by('noOrigin')],
  [
    'a token for no origin, where the gateway names none',
    200,
    by('noOrigin', { settings: { origin: undefined } }),
    ADMITTED,
  ],
  ['a token for some resources only', 403, by('limited')],
  [
    'a token for some resources, which the gateway hands on',
    200,
    by('limited', { settings: { 'X-Region': 'resources' } }),
    region('[{"type":"dashboard","id":"a\\u0020\\u00fc"}]'),
  ],
  // Places of a token.
  [
    'the scheme in another case',
    200,
    (of) => ({ headers: { Authorization: `bEARER  ${of.embed}` } }),
    ADMITTED,
  ],
  ['another scheme', 401, (of) => ({ headers: { Authorization: `Token ${of.embed}` } })],
  ['the cookie', 200, withCookie((of) => `a=1; ${COOKIE}=${of.embed}; b="x=y"`), ADMITTED],
  ['the cookie twice', 401, withCookie((of) => `${COOKIE}=${of.embed}; ${COOKIE}=${of.embed}`)],
  [
    'the cookie in two fields',
    401,
    (of) => ({ headers: { Cookie: [`${COOKIE}=${of.embed}`, `${COOKIE}=x`] } }),
  ],
  ['the cookie in quotes', 401, withCookie((of) => `${COOKIE}="${of.embed}"`)],
  ['an empty cookie', 401, withCookie(() => `${COOKIE}=`)],
  ['the cookie in another case', 401, withCookie((of) => `__host-group=${of.embed}`)],
  ['a cookie whose name ends alike', 401, withCookie((of) => `x${COOKIE}=${of.embed}`)],
  [
    'the cookie after white space of another kind',
    401,
    withCookie((of) => `\u00a0${COOKIE}=${of.embed}`),
  ],
  [
    'a cookie that no setting names',
    401,
    withCookie((of) => `${COOKIE}=${of.embed}`, { settings: { cookie: undefined } }),
  ],
  [
    'a wrong Authorization beside the cookie',
    401,
    withCookie((of) => `${COOKIE}=${of.embed}`, { headers: { Authorization: 'Basic eDp5' } }),
  ],
  [
    'an empty Authorization beside the cookie',
    401,
    withCookie((of) => `${COOKIE}=${of.embed}`, { headers: { Authorization: '' } }),
  ],
  [
    'a wrong cookie beside Authorization',
    200,
    by('embed', { headers: { Cookie: `${COOKIE}=x; ${COOKIE}=y` } }),
    ADMITTED,
  ],
  // Values.
  ['a group without the data source', 403, by('unmapped')],
  [
    'a group without the data source, where no schema is asked for',
    200,
    by('unmapped', { settings: { schema: undefined } }),
  ],
  ['a number', 200, withSource('variables.seats:number'), region('25')],
  ['a number with an exponent', 200, withSource('variables.rate:number'), region('1e%2B21')],
  ['a boolean', 200, withSource('variables.trial:boolean'), region('false')],
  ['a nested value', 200, withSource('variables.address.country'), region('DE')],
  ['JSON', 200, withSource('variables.list:json'), region('["a","\\u00fc\\u0020b"]')],
  ['the number of the group is another source', 200, withSource('team_id')],
  ['a number where the setting says text', 403, withSource('variables.seats')],
  ['text where the setting says a number', 403, withSource('variables.region:number')],
  ['an object where the setting says text', 403, withSource('variables.address')],
  ['an empty value', 403, withSource('variables.empty')],
  ['an empty value as JSON', 403, withSource('variables.empty:json')],
  ['an empty list', 403, withSource('variables.no_items:json')],
  ['an empty object', 403, withSource('variables.no_members:json')],
  ['null', 403, withSource('variables.nothing:json')],
  ['no such value', 403, withSource('variables.none')],
  ['a value that every object inherits', 403, withSource('variables.constructor.name')],
  ['a group that lacks the value', 403, by('incomplete')],
  ['a value beyond its length', 403, withSource('variables.long')],
  [
    'values beyond the length of all',
    403,
    by('embed', {
      settings: { 'X-Region': 'variables.a', 'X-B': 'variables.b', 'X-C': 'variables.c' },
    }),
  ],
  [
    'who is looking',
    200,
    by('named', {
      settings: { 'X-Region': 'user_id', 'Remote-User': 'user_name', 'X-Mail': 'email' },
    }),
    { ...region('u-17'), 'remote-user': 'Ada%20L%C3%B6velace', 'x-mail': 'ada%40acme.example' },
  ],
  ['nobody is named who looks', 403, withSource('user_id')],
  // Headers of the viewer.
  [
    'a forged header in its right spelling, which the gateway overwrites',
    200,
    withHeader('X-User-Group'),
    ADMITTED,
  ],
  ['a forged header with underscores', 403, withHeader('X_User_Group')],
  ['one underscore', 403, withHeader('x-user_group')],
  ['a chosen one with underscores', 403, withHeader('x_REGION')],
  [
    'the data source with underscores, without a schema',
    403,
    by('embed', { settings: { schema: undefined }, headers: { X_User_Group_Data_Source: 'w' } }),
  ],
  ['another mark that some servers read as an underscore', 403, withHeader('X.User.Group')],
  ['an underscore in another header', 200, withHeader('X_Other', 'x'), ADMITTED],
  [
    'a header of the path that other services read',
    200,
    withHeader('X-Original-URL', '/admin'),
    ADMITTED,
  ],
  ['a wish for another method', 200, withHeader('X-HTTP-Method-Override', 'DELETE'), ADMITTED],
  [
    'many odd headers',
    200,
    by('embed', {
      headers: {
        'X-Odd': '\u00ff\t,;"',
        Accept: 'x'.repeat(5000),
        'Idempotency-Key': '\t',
        'If-Match': '???',
        Range: 'bytes=5-',
        'Content-Type': 'x',
      },
    }),
    ADMITTED,
  ],
  // The request.
  ['a query', 200, by('embed', { path: `${PATH}?token=x&audience=other&_=%zz` }), ADMITTED],
  ['a path below', 200, by('embed', { path: `${PATH}/api/v1/user-groups/../../x` }), ADMITTED],
  ['a path that nothing can decode', 200, by('embed', { path: `${PATH}/%zz//%00?%` }), ADMITTED],
  ['a path below without a token', 401, () => ({ path: `${PATH}/public/login` })],
  ['POST', 200, by('embed', { method: 'POST' }), ADMITTED],
  ['DELETE', 200, by('embed', { method: 'DELETE', path: `${PATH}/x` }), ADMITTED],
  ['OPTIONS', 401, () => ({ method: 'OPTIONS' })],
  ['PROPFIND', 200, by('embed', { method: 'PROPFIND' }), ADMITTED],
  // The gateway.
  ['no API token of the gateway', 502, by('embed', { by: null })],
  ['an unknown API token of the gateway', 502, by('embed', { by: `uga_${'0'.repeat(38)}` })],
  ['a user-group token in its place', 502, (of) => ({ token: of.embed, by: of.group })],
  ['an API token without the scope', 502, (of) => ({ token: of.embed, by: of.narrow })],
  ['a revoked API token of the gateway', 502, (of) => ({ token: of.embed, by: of.revoked })],
  ['an API token in Authorization alone', 502, (of) => ({ token: of.narrow, by: null })],
  [
    'another scheme of the gateway',
    502,
    by('embed', { by: null, headers: { 'X-Gateway-Authorization': 'Basic eDp5' } }),
  ],
  [
    'two API tokens of the gateway',
    502,
    by('embed', { by: null, headers: { 'X-Gateway-Authorization': ['Bearer a', 'Bearer b'] } }),
  ],
  ['no settings', 502, by('embed', { form: null })],
  [
    'settings twice, as a viewer adds them',
    502,
    by('embed', { form: [formOf(SETTINGS), formOf({ ...SETTINGS, audience: 'other' })] }),
  ],
  ['settings without an audience', 502, by('embed', { settings: { audience: undefined } })],
];

onEachDatabase((kind) => {
  const service = withService(kind);
  let tokens: Tokens;

  const issue = async (id: string, own: object = {}, api = service.api) => {
    const body = { audience: AUDIENCE, origin: ORIGIN, ...own };
    const answer = await api.call(
      'POST',
      `/api/v1/user-groups/${encodeURIComponent(id)}/embed-tokens`,
      body,
    );
    expect([answer.status, answer.text]).toEqual([201, answer.text]);
    return answer.body.embed_token.token;
  };
  const create = async (id: string, own: object = {}) => {
    const body = {
      user_group_id: id,
      name: 'Acme',
      mapping: { sales: 'warehouse-emea' },
      properties: PROPERTIES,
      ...own,
    };
    return (await service.api.put(body)).body.user_group.token;
  };
  const ask = (asked: Asked) => askAsGateway(service, asked);
  const outcomeOf = (answer: Answer) => [
    answer.status,
    answer.text === '' ? undefined : answer.body.code,
  ];

  beforeAll(async () => {
    const group = await create(ID);
    const at = (id: string) => `/api/v1/user-groups/${id}`;
    for (const id of ['suspended', 'rotated', 'deleted']) await create(id);
    const deleted = await issue('deleted');
    const suspended = await issue('suspended');
    await service.api.call('POST', `${at('suspended')}/suspend`);
    await service.api.call('DELETE', at('deleted'));
    const rotated = await create('rotated');
    await service.api.rotate(rotated);
    const ended = await issue(ID);
    await service.api.call('POST', '/api/v1/revoke', { token: ended });
    const other = await TestWorkspace.create(service, 'other');
    await other.api.put({
      user_group_id: ID,
      name: 'Theirs',
      mapping: { sales: 'theirs' },
      properties: PROPERTIES,
    });
    const revoked = await service.issueToken(['tokens:introspect']);
    await service.revokeToken(revoked);
    tokens = {
      group,
      deleted,
      suspended,
      rotated,
      ended,
      revoked,
      embed: await issue(ID),
      opaque: await issue(ID, { format: 'opaque' }),
      acting: await issue(ID, { acting_for: { subject: 'kim@support.example', reason: 'x' } }),
      named: await issue(ID, {
        user: { id: 'u-17', name: 'Ada Lövelace', email: 'ada@acme.example' },
      }),
      limited: await issue(ID, { resources: [{ type: 'dashboard', id: 'a ü' }] }),
      otherAudience: await issue(ID, { audience: 'other' }),
      otherOrigin: await issue(ID, { origin: 'https://other.example.com' }),
      noOrigin: await issue(ID, { origin: undefined }),
      foreign: await issue(ID, {}, other.api),
      unmapped: await create('unmapped', { mapping: { billing: 'w' } }),
      incomplete: await create('incomplete', { properties: {} }),
      narrow: await service.issueToken(['user-groups:read']),
    };
  });

  test('the table has 60 cases at least, none of them twice', () => {
    expect(cases.length).toBeGreaterThanOrEqual(60);
    expect(new Set(cases.map(([name]) => name)).size).toBe(cases.length);
  });

  // A row that is shorter than the parameters would get a callback.
  const rows = cases.map(([name, status, asked, expected]) => ({ name, status, asked, expected }));

  test.each(rows)('$name: $status', async ({ status, asked, expected }) => {
    const answer = await ask(asked(tokens));
    const codes: Record<number, string | undefined> = {
      401: 'viewer_unknown',
      403: 'viewer_refused',
      502: 'gateway_misconfigured',
    };
    expect(outcomeOf(answer)).toEqual([status, codes[status]]);
    expect(answer.headers['cache-control']).toBe('no-store');
    expect(answer.headers['www-authenticate'] !== undefined).toBe(status === 401);
    if (status !== 200) {
      expect(identityOf(answer)).toEqual({});
      expect(answer.text).not.toMatch(/EMEA|globex|warehouse|Gr%C3|Größe/);
      return;
    }
    expect([answer.text, answer.headers['content-length']]).toEqual(['', '0']);
    const { 'x-user-group-number': number, ...seen } = identityOf(answer);
    expect(number).toMatch(/^[1-9]\d*$/);
    for (const value of Object.values(seen)) expect(value).toMatch(/^[\x21-\x7e]+$/);
    if (expected) expect(seen).toEqual(expected);
  });

  test.each([
    ['audience=a&x=y', 'has the unknown member "x"'],
    ['audience=a&Audience=b', 'names "audience" twice'],
    ['audience=a&X-Region=sub&x-region=name', 'names "x-region" twice'],
    ['audience=', 'has a wrong audience'],
    ['audience=a&origin=https://x.example/', 'has a wrong origin'],
    ['audience=a&schema=', 'has a wrong schema'],
    ['audience=a&cookie=a b', 'has a wrong cookie'],
    ['audience=%zz', 'is not a form'],
    [`audience=${'a'.repeat(2048)}`, 'must not be longer'],
    [
      `audience=a&${Array.from({ length: 21 }, (_, n) => `X-A${n}=sub`).join('&')}`,
      'names more than 20 headers',
    ],
    ['audience=a&X-Region=variables', 'which there is none of'],
    ['audience=a&X-Region=variables.', 'which there is none of'],
    ['audience=a&X-Region=variables.a:text', 'which there is none of'],
    ['audience=a&X-Region=properties.a', 'which there is none of'],
    ['audience=a&X-Region=constructor', 'which there is none of'],
    ['audience=a&X-Region=data_source', 'names no schema'],
    ...[
      'Region-X',
      'X-Reg_ion',
      'X-',
      'X-Ä',
      'Host-Name',
      'X-a:b',
      'X-a b',
      'X-User-Group',
      'x-user-group-number',
      'X-User-Group-Other',
      'X-Forwarded-For',
      'X-Forwarded-User',
      'X-Gateway-Settings',
      'X-Accel-Redirect',
      'X-Real-IP',
      'X-Original-URL',
      'X-HTTP-Method-Override',
      'X-Content-Type-Options',
      'X-Request-Id',
      'X-Sendfile',
    ].map((name) => [`audience=a&${encodeURIComponent(name)}=sub`, 'names the header']),
  ])('the settings %s are a fault of the gateway', async (form, words) => {
    const answer = await ask({ token: tokens.embed, form });
    expect(outcomeOf(answer)).toEqual([502, 'gateway_misconfigured']);
    expect(answer.body.detail).toContain('X-Gateway-Settings ');
    expect(answer.body.detail).toContain(words);
  });

  test('the fault of a gateway is seen before that of a viewer', async () => {
    expect(outcomeOf(await ask({ by: null }))).toEqual([502, 'gateway_misconfigured']);
    expect(outcomeOf(await ask({ form: 'x=y' }))).toEqual([502, 'gateway_misconfigured']);
  });

  test('a call of any other name is no call of a gateway', async () => {
    for (const path of ['/api/v1/forward-authx', '/api/v1/Forward-Auth', '/api/v1//forward-auth']) {
      const answer = await ask({ token: tokens.embed, path });
      expect([path, ...outcomeOf(answer)]).toEqual([path, 404, 'route_not_found']);
    }
  });

  test('who acts under the name of nobody is told from nobody', async () => {
    const token = await issue(ID, { acting_for: { subject: '-', reason: 'x' } });
    const settings = { 'X-Region': 'act' };
    expect(identityOf(await ask({ token, settings }))).toMatchObject({
      'x-user-group-acting': '%2D',
      'x-region': '%2D',
    });
    expect(identityOf(await ask({ token: tokens.embed, settings }))).toMatchObject({
      'x-user-group-acting': '-',
      'x-region': '-',
    });
  });

  test('a change is seen by the next request', async () => {
    const token = await create('changing', { properties: { region: 'EMEA' } });
    expect(identityOf(await ask({ token }))['x-region']).toBe('EMEA');
    await create('changing', { properties: { region: 'APAC' }, mapping: { sales: 42 } });
    expect(identityOf(await ask({ token }))).toMatchObject({
      'x-region': 'APAC',
      'x-user-group-data-source': '42',
    });
    await service.api.call('POST', '/api/v1/user-groups/changing/suspend');
    expect((await ask({ token })).status).toBe(401);
    await service.api.call('POST', '/api/v1/user-groups/changing/resume');
    expect((await ask({ token })).status).toBe(200);
  });

  test('a token is refused from its expiry on', async () => {
    const token = await issue(ID, { expires_in_seconds: 60 });
    expect((await ask({ token })).status).toBe(200);
    passTime(61_000);
    expect(outcomeOf(await ask({ token }))).toEqual([401, 'viewer_unknown']);
  });

  test('many at once get each their own', async () => {
    const regions = Array.from({ length: 12 }, (_, index) => `region ${index}`);
    const own = await Promise.all(
      regions.map((one) => create(`at once ${one}`, { properties: { region: one } })),
    );
    const asked = [...own, ...own, ...own.toReversed()];
    const answers = await Promise.all(asked.map((token) => ask({ token })));
    const seen = answers.map((answer) => decodeURIComponent(identityOf(answer)['x-region']!));
    expect(seen).toEqual([...regions, ...regions, ...regions.toReversed()]);
  });

  test('under the policy registered the data source has its own id, and declared variables count', async () => {
    const own = await TestWorkspace.create(service, 'registered');
    const schema = await own.schema('sales');
    const source = await own.dataSource('warehouse ü');
    const { body } = await own.api.put({
      user_group_id: 'g',
      name: 'G',
      mapping: { [schema]: source },
      properties: { other: 'x' },
    });
    const variables = [{ name: 'region', type: 'string', source: 'group', default: 'EMEA' }];
    await own.set({ mapping_policy: 'registered', variables });
    const gateway = await service.issueToken(['tokens:introspect'], 'registered');
    const asked = { token: body.user_group.token, by: gateway };
    for (const name of ['sales', String(schema)]) {
      expect(identityOf(await ask({ ...asked, settings: { schema: name } }))).toMatchObject({
        'x-user-group-data-source': 'warehouse%20%C3%BC',
        'x-region': 'EMEA',
      });
    }
    const undeclared = { ...asked, settings: { 'X-Region': 'variables.other' } };
    expect(outcomeOf(await ask(undeclared))).toEqual([403, 'viewer_refused']);
    expect(outcomeOf(await ask({ ...asked, settings: { schema: 'billing' } }))).toEqual([
      403,
      'viewer_refused',
    ]);
  });

  test('the console’s path leads to no other way of authentication', async () => {
    const answer = await ask({ token: tokens.embed, by: null, path: `/console${PATH}` });
    expect(answer.status).not.toBe(200);
  });
});

onEachDatabase((kind) => {
  const limited = withService(kind, { INTROSPECTION_RATE_LIMIT_PER_MINUTE: '1' });

  test('a gateway beyond its limit cannot say, and the viewer learns when it can', async () => {
    const answers = [];
    for (let count = 0; count < 3; count++) answers.push(await askAsGateway(limited, {}));
    const last = answers.at(-1)!;
    expect([last.status, last.body.code]).toEqual([503, 'gateway_limited']);
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0);
  });

  const guessed = withService(kind, { AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE: '1' });

  test('a gateway with a wrong API token too often cannot say either', async () => {
    const wrong = { by: `uga_${'0'.repeat(38)}` };
    const statuses = [];
    for (let count = 0; count < 3; count++) {
      statuses.push((await askAsGateway(guessed, wrong)).status);
    }
    expect([statuses[0], statuses.at(-1)]).toEqual([502, 503]);
  });

  const core = withService(kind, { FEATURES: 'core' });

  test('without the feature there is no such path', async () => {
    for (const path of [PATH, `${PATH}/x`]) {
      const { status, body } = await askAsGateway(core, { path });
      expect([status, body.code]).toEqual([404, 'route_not_found']);
    }
  });
});
