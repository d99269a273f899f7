import { randomUUID } from 'node:crypto';
import legacyTokens from '../../examples/move-over/plugin.js';
import {
  Introspector,
  operator,
  UnknownTokens,
  UserGroups,
} from '../../src/server/library/index.ts';
import { generateToken } from '../../src/platform/common/secret/secrets.ts';
import { Metrics } from '../../src/platform/metrics/metrics.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { OldSystem, oldToken } from '../support/servers/old-system.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { passTime, stopTime } from '../support/time/fake-time.ts';

const AUTHORIZATION = 'Bearer for the old system';
const PER_MINUTE = 300;
const MINUTE = 60_000;
const INACTIVE = { active: false };

onEachDatabase((kind) => {
  let old: OldSystem;
  let env: Record<string, string>;
  let service: TestService;
  let tests = 0;
  let limit: jest.SpyInstance;

  const start = (place: Parameters<typeof startTestService>[0]) =>
    startTestService(place, env, [legacyTokens]);

  beforeAll(async () => {
    old = await OldSystem.listen();
    env = {
      LEGACY_INTROSPECTION_URL: old.url,
      LEGACY_TOKEN_FORM: '[0-9a-f]{64}',
      LEGACY_AUTHORIZATION: AUTHORIZATION,
      LEGACY_REQUESTS_PER_MINUTE: String(PER_MINUTE),
    };
    service = await start(kind);
  });

  beforeEach(() => {
    // The limits that the tests before have used up are there again.
    passTime(++tests * 10 * MINUTE);
    old.asked.length = 0;
    old.reply = undefined;
    // On a busy machine a request may take longer than the plugin waits.
    limit = jest.spyOn(AbortSignal, 'timeout').mockReturnValue(new AbortController().signal);
  });

  afterEach(() => limit.mockRestore());

  afterAll(async () => {
    await service.close();
    await old.close();
  });

  const introspect = async (token: string, api = service.api) => {
    const { status, body } = await api.call('POST', '/api/v1/introspect', { token });
    expect(status).toBe(200);
    return body;
  };
  const newId = () => `group ${randomUUID()}`;
  const pathOf = (id: string) => `/api/v1/user-groups/${encodeURIComponent(id)}`;
  /** Brings a group by its token. */
  const bring = async (id = newId()) => {
    const token = old.add(id);
    expect(await introspect(token)).toMatchObject({ active: true, sub: id });
    old.asked.length = 0;
    return { id, token };
  };

  test('a token that only the old system knows is asked about once, and its group is imported', async () => {
    const id = newId();
    const content = {
      name: 'Acme “EMEA”',
      mapping: { sales: 'warehouse', 40: 213 },
      properties: { seats: 25, rate: 0.1, ['__proto__']: { kept: true }, note: '\\"1' },
    };
    const token = old.add(id, content);
    const first = await introspect(token);
    expect(first).toMatchObject({ active: true, sub: id, ...content });
    expect(first).toHaveProperty(['properties', '__proto__'], { kept: true });
    expect(await introspect(token)).toEqual(first);
    expect(old.asked).toEqual([token]);
    expect(old.credentials.at(-1)).toBe(AUTHORIZATION);
    old.groups.delete(token);
    passTime(MINUTE);
    expect(await introspect(token)).toEqual(first);
    expect(old.asked).toEqual([token]);
    const looked = await service.api.get({ user_group_id: id });
    expect(looked.body).toMatchObject({ user_group: { token, provided_id: id } });
    const audited = await service.api.call(
      'GET',
      `/api/v1/audit-events?object_id=${encodeURIComponent(id)}`,
    );
    expect(audited.body.audit_events).toMatchObject([
      { action: 'user_group.create', actor: { type: 'operator' } },
    ]);
  });

  test('another installation of the service can be the old system', async () => {
    const other = await startTestService(kind);
    const { id, token } = await other.api.create({ properties: { seats: 3 }, mapping: { a: 1 } });
    const mine = await startTestService(
      kind,
      {
        LEGACY_INTROSPECTION_URL: `${other.baseUrl}/api/v1/introspect`,
        LEGACY_TOKEN_FORM: 'ugt_[0-9A-Za-z]{38}',
        LEGACY_AUTHORIZATION: `Bearer ${await other.issueToken(['tokens:introspect'])}`,
      },
      [legacyTokens],
    );
    const found = await introspect(token, mine.api);
    expect(found).toMatchObject({ active: true, sub: id, properties: { seats: 3 } });
    // With an overlap the former token has an end: the group comes with its present one.
    const group = await other.api.create();
    const body = { grace_period_seconds: 3600 };
    const rotated = await other.api.call('POST', `${group.path}/tokens/rotate`, body);
    expect(await introspect(group.token, mine.api)).toEqual(INACTIVE);
    const { token: present } = rotated.body.user_group;
    expect(await introspect(present, mine.api)).toMatchObject({ active: true, sub: group.id });
    await mine.close();
    await other.close();
  });

  test('calls with the same token at the same time share a request', async () => {
    const token = old.add(newId());
    const all = await Promise.all(Array.from({ length: 20 }, () => introspect(token)));
    expect(all.filter(({ active }) => active)).toHaveLength(20);
    expect(old.asked).toEqual([token]);
    // A call that looked for the token before its import looks again, however late it comes.
    expect(await service.app.get(UnknownTokens).adopt(token, 1)).toBe(true);
    expect(old.asked).toEqual([token]);
  });

  test.each([
    ['rotated', (path: string) => service.api.call('POST', `${path}/tokens/rotate`, {})],
    ['suspended', (path: string) => service.api.call('POST', `${path}/suspend`, {})],
    ['deleted', (path: string) => service.api.call('DELETE', path)],
  ])('a token of ours that was %s does not come back', async (_what, end) => {
    const { id, token } = await bring();
    expect((await end(pathOf(id))).status).toBe(200);
    passTime(MINUTE);
    expect(await introspect(token)).toEqual(INACTIVE);
    // Neither by a group of another id.
    old.groups.set(token, { active: true, sub: newId(), name: 'Twin' });
    passTime(MINUTE);
    expect(await introspect(token)).toEqual(INACTIVE);
  });

  test('a token that was reported as leaked does not come back, nor do those that were ended together', async () => {
    const leaked = await bring();
    const path = '/api/v1/tokens/report-leaked';
    expect((await service.api.call('POST', path, { tokens: [leaked.token] })).status).toBe(200);
    passTime(MINUTE);
    expect(await introspect(leaked.token)).toEqual(INACTIVE);
    const ended = await bring();
    passTime(MINUTE);
    const answer = await service.api.call('POST', '/api/v1/workspace/end-tokens', {
      before: new Date().toISOString(),
      kinds: ['user_group_token'],
      reason: 'a test',
    });
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    passTime(MINUTE);
    expect(await introspect(ended.token)).toEqual(INACTIVE);
  });

  test('a group of ours with another token stays as it is', async () => {
    const { id, token } = await bring();
    const other = old.add(id, { name: 'Other', properties: { changed: true } });
    expect(await introspect(other)).toEqual(INACTIVE);
    expect(await introspect(token)).toMatchObject({ active: true, name: id, properties: {} });
  });

  test('nothing else is asked: texts of another form, other workspaces, API tokens for certain groups', async () => {
    const token = old.add(newId());
    for (const text of [generateToken('ugt'), `${token}0`, token.toUpperCase(), 'x', `${token} `]) {
      expect(await introspect(text)).toEqual(INACTIVE);
    }
    const scopes = ['tokens:introspect'] as const;
    const foreign = service.clientOf(await service.issueToken([...scopes], 'another'));
    expect(await introspect(token, foreign)).toEqual(INACTIVE);
    const issued = await service.api.call('POST', '/api/v1/api-tokens', {
      name: 'restricted',
      scopes,
      user_groups: { ids: ['acme'] },
    });
    const restricted = service.clientOf(issued.body.api_token.token);
    expect(await introspect(token, restricted)).toEqual(INACTIVE);
    expect(old.asked).toEqual([]);
    expect(await introspect(token)).toMatchObject({ active: true });
  });

  test.each([
    ['it is not active', '{"active": false}'],
    ['it has an end', '{"active": true, "sub": "x", "name": "X", "exp": 4102444800}'],
    ['active is a text', '{"active": "true", "sub": "x", "name": "X"}'],
    ['no id', '{"active": true, "name": "X"}'],
    ['no name', '{"active": true, "sub": "x"}'],
    ['an id that no group can have', '{"active": true, "sub": "x\\u0000", "name": "X"}'],
    ['half a character', '{"active": true, "sub": "x", "name": "\\ud800"}'],
    ['a number as the id', '{"active": true, "sub": 1, "name": "X"}'],
    [
      'a number that would be rounded',
      '{"active": true, "sub": "x", "name": "X", "properties": {"id": 9007199254740993}}',
    ],
    ['a list', '[]'],
    ['nothing', 'null'],
    ['no JSON', '<html>'],
    ['too long', JSON.stringify({ active: true, sub: 'x', name: 'X', pad: 'x'.repeat(70_000) })],
  ])('a token stays inactive, and no group comes, if the old system says: %s', async (_, said) => {
    old.reply = (response) => response.end(said);
    const token = oldToken();
    expect(await introspect(token)).toEqual(INACTIVE);
    expect(old.asked).toEqual([token]);
    expect((await service.api.call('GET', pathOf('x'))).status).toBe(404);
  });

  test('neither a redirection nor an error or silence of the old system makes a token active', async () => {
    await bring();
    const elsewhere = await OldSystem.listen();
    const token = elsewhere.add(newId());
    old.reply = (response) => response.writeHead(307, { Location: elsewhere.url }).end();
    expect(await introspect(token)).toEqual(INACTIVE);
    expect(elsewhere.asked).toEqual([]);
    await elsewhere.close();
    old.reply = (response) => response.writeHead(500).end('{"active": true}');
    expect(await introspect(token)).toEqual(INACTIVE);
    limit.mockRestore();
    old.reply = () => undefined;
    expect(await introspect(token)).toEqual(INACTIVE);
    expect(old.asked).toHaveLength(3);
    old.reply = (response) => response.destroy();
    expect(await introspect(token)).toEqual(INACTIVE);
  });

  test('a token that is not active there is asked about once a minute', async () => {
    stopTime();
    const token = oldToken();
    for (let n = 0; n < 5; n++) expect(await introspect(token)).toEqual(INACTIVE);
    expect(old.asked).toHaveLength(1);
    passTime(MINUTE + 1);
    old.groups.set(token, { active: true, sub: newId(), name: 'Late' });
    expect(await introspect(token)).toMatchObject({ active: true, name: 'Late' });
  });

  test('after five failures in a row the old system is left alone for ten seconds', async () => {
    stopTime();
    await bring();
    old.reply = (response) => response.writeHead(503).end();
    for (let n = 0; n < 20; n++) expect(await introspect(oldToken())).toEqual(INACTIVE);
    expect(old.asked).toHaveLength(5);
    passTime(10_001);
    old.reply = undefined;
    await bring();
  });

  test('the metrics count what became of unknown tokens', async () => {
    await bring();
    expect(await service.app.get(Metrics).registry.metrics()).toMatch(
      /legacy_tokens_total\{result="imported"\} [1-9]/,
    );
  });

  test('a thousand unknown tokens at eight processes cost the old system no more than the limit of each', async () => {
    stopTime();
    env['LEGACY_REQUESTS_PER_MINUTE'] = '5';
    const others = [];
    for (let n = 0; n < 8; n++) others.push(await start(service.database));
    const tokens = Array.from({ length: 1000 }, oldToken);
    const introspectors = others.map(({ app }) => app.get(Introspector));
    for (const introspector of introspectors) {
      const responses = await Promise.all(
        tokens.map((token) => introspector.introspect(operator(1), { token })),
      );
      expect(responses.filter(({ active }) => active)).toEqual([]);
    }
    expect(old.asked).toHaveLength(40);
    // A group comes once, whichever processes are shown its token.
    passTime(MINUTE);
    old.asked.length = 0;
    const id = newId();
    const token = old.add(id);
    const responses = await Promise.all(
      introspectors.map((introspector) => introspector.introspect(operator(1), { token })),
    );
    expect(responses.map(({ sub }) => sub)).toEqual(others.map(() => id));
    expect(old.asked.length).toBeLessThanOrEqual(8);
    await Promise.all(others.map(({ close }) => close()));
    expect((await service.app.get(UserGroups).get(operator(1), id)).provided_id).toBe(id);
  });
});

test.each([
  ['LEGACY_INTROSPECTION_URL is not set', { LEGACY_TOKEN_FORM: 'x' }],
  ['LEGACY_TOKEN_FORM is not set', { LEGACY_INTROSPECTION_URL: 'https://old.example' }],
  ['LEGACY_TOKEN_FORM cannot be read', { LEGACY_TOKEN_FORM: '(' }],
  ['without credentials', { LEGACY_INTROSPECTION_URL: 'https://me:secret@old.example' }],
  ['must begin with', { LEGACY_INTROSPECTION_URL: 'file:///etc/passwd' }],
  ['LEGACY_REQUESTS_PER_MINUTE must be', { LEGACY_REQUESTS_PER_MINUTE: '0' }],
])('the start ends: %s', async (message, env) => {
  await expect(startTestService('sqlite', env, [legacyTokens])).rejects.toThrow(message);
});
