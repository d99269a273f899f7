import { decodeJwt } from 'jose';
import type { Scope } from '../../src/platform/common/access/caller.ts';
import type { Answer, ApiClient } from '../support/api/api-client.ts';
import { onEachDatabase, TEST_KEYS } from '../support/database/databases.ts';
import { goTo } from '../support/time/fake-time.ts';
import { forbidEvents } from '../support/events/forbid-events.ts';
import { errorsOf, registryBody, TestWorkspace } from '../support/registry.ts';
import { startTestService, withService } from '../support/test-service.ts';
import { lastAskedBefore } from '../support/time/until.ts';

const AUDIENCE = 'https://dashboards.example.com';
const ACTING_FOR = {
  subject: 'kim@support.example.com',
  reason: 'Ticket 4711: the dashboard is blank',
};
const NO_CACHE = { 'Cache-Control': 'no-cache' };

onEachDatabase((kind) => {
  const env = { TOKEN_ENCRYPTION_KEYS: TEST_KEYS };
  const service = withService(kind, env);
  let own: TestWorkspace;
  let api: ApiClient;
  let count = 0;

  beforeEach(async () => {
    own = await TestWorkspace.create(service, `own ${++count}`);
    ({ api } = own);
    await own.put('acme', { name: 'Acme', properties: { region: 'EMEA' } });
  });

  const clientWith = async (...scopes: Scope[]) =>
    service.clientOf(await service.issueToken(scopes, own.name));
  const send = (body: object, by = api, headers?: Record<string, string>, id = 'acme') =>
    by.call(
      'POST',
      `/api/v1/user-groups/${id}/embed-tokens`,
      { audience: AUDIENCE, ...body },
      headers,
    );
  const viewAs = (by = api, headers?: Record<string, string>) =>
    send({ acting_for: ACTING_FOR }, by, headers);
  const tokenOf = ({ body }: Answer) => body.embed_token.token;
  const recorded = async () =>
    (await api.call('GET', '/api/v1/audit-events?types=user_group.view_as')).body.audit_events;
  const introspect = (token: string) => api.introspect(token, NO_CACHE);

  test('the token and its introspection name the actor, and mean what the group’s own token means', async () => {
    const answer = await viewAs();
    expect(answer.status).toBe(201);
    const claims = decodeJwt(tokenOf(answer));
    expect(claims).toMatchObject({ sub: 'acme', aud: AUDIENCE, act: { sub: ACTING_FOR.subject } });
    expect(claims.exp! - claims.iat!).toBe(600);
    expect(tokenOf(answer)).not.toContain(
      Buffer.from(ACTING_FOR.reason).toString('base64url').slice(4, 24),
    );
    expect(JSON.stringify(claims)).not.toContain('Ticket');
    const seen = await introspect(tokenOf(answer));
    expect(seen).toMatchObject({
      active: true,
      sub: 'acme',
      name: 'Acme',
      properties: { region: 'EMEA' },
    });
    expect(seen).toMatchObject({ token_type: 'embed_token', act: { sub: ACTING_FOR.subject } });
    expect(JSON.stringify(seen)).not.toContain('Ticket');
  });

  test('a plain token has no act', async () => {
    const token = tokenOf(await send({}));
    expect(decodeJwt(token)).not.toHaveProperty('act');
    const seen = await introspect(token);
    expect(seen.active).toBe(true);
    expect(seen).not.toHaveProperty('act');
    expect(await recorded()).toEqual([]);
  });

  test('the audit log records who, for whom and why, and an event with the same id is sent', async () => {
    const by = await clientWith('user-groups:view-as');
    const { body } = await viewAs(by);
    const { team_id } = (await api.get({ user_group_id: 'acme' })).body.user_group;
    const [event, ...others] = await recorded();
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      action: 'user_group.view_as',
      actor: { type: 'api_token', api_token_id: expect.any(Number), address: '127.0.0.1' },
      object: { type: 'user_group', id: 'acme' },
    });
    expect(event!.details).toEqual({
      team_id,
      ...ACTING_FOR,
      audience: AUDIENCE,
      jti: body.embed_token.jti,
      expires_at: body.embed_token.expires_at,
    });
    expect(JSON.stringify(event)).not.toContain(body.embed_token.token.split('.')[2]);
    const feed = await api.call('GET', '/api/v1/events?types=user_group.view_as');
    expect(feed.body).toMatchObject({
      events: [
        { id: event!.id, type: 'user_group.view_as', user_group: { team_id, provided_id: 'acme' } },
      ],
    });
    const hook = { url: 'https://receiver.example/', event_types: ['user_group.view_as'] };
    expect((await api.call('POST', '/api/v1/webhook-endpoints', hook)).status).toBe(201);
  });

  test('each of the two calls needs its own scope', async () => {
    const [issuer, viewer] = [
      await clientWith('embed-tokens:issue'),
      await clientWith('user-groups:view-as'),
    ];
    expect([(await send({}, issuer)).status, (await viewAs(viewer)).status]).toEqual([201, 201]);
    for (const [answer, scope] of [
      [await viewAs(issuer), 'user-groups:view-as'],
      [await send({}, viewer), 'embed-tokens:issue'],
    ] as const) {
      expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_scope']);
      expect(answer.body.detail).toContain(`"${scope}"`);
    }
    const { status, body } = await viewAs(
      await clientWith('admin', 'user-groups:read', 'user-groups:write'),
    );
    expect([status, body.detail]).toEqual([
      403,
      'This call needs an API token with the scope "embed-tokens:issue" or "user-groups:view-as".',
    ]);
    expect(await recorded()).toHaveLength(1);
  });

  test.each<[string, unknown, string, string]>([
    ['null', null, '/acting_for', 'type'],
    ['a list', [ACTING_FOR], '/acting_for', 'type'],
    ['a text', 'kim', '/acting_for', 'type'],
    ['no subject', { reason: 'r' }, '/acting_for/subject', 'required'],
    ['no reason', { subject: 's' }, '/acting_for/reason', 'required'],
    ['an empty reason', { subject: 's', reason: '' }, '/acting_for/reason', 'empty'],
    ['a reason of null', { subject: 's', reason: null }, '/acting_for/reason', 'type'],
    [
      'too long a reason',
      { subject: 's', reason: 'r'.repeat(256) },
      '/acting_for/reason',
      'too_long',
    ],
    [
      'too long a subject',
      { subject: 's'.repeat(256), reason: 'r' },
      '/acting_for/subject',
      'too_long',
    ],
    ['a line break', { subject: 's', reason: 'a\nb' }, '/acting_for/reason', 'control_character'],
    [
      'half a character',
      { subject: '\ud800', reason: 'r' },
      '/acting_for/subject',
      'lone_surrogate',
    ],
    ['another field', { ...ACTING_FOR, token: 't' }, '/acting_for/token', 'unknown'],
  ])('%s is refused, and the field is named', async (_name, acting_for, pointer, code) => {
    const answer = await send({ acting_for });
    expect([answer.status, errorsOf(answer)]).toEqual([422, [[pointer, code]]]);
    expect(await recorded()).toEqual([]);
  });

  test('__proto__ in it is a field like any other', async () => {
    const text = `{"audience":"a","acting_for":{"subject":"s","reason":"r","__proto__":{"a":1}}}`;
    const answer = await api.call('POST', '/api/v1/user-groups/acme/embed-tokens', text);
    expect([answer.status, errorsOf(answer)]).toEqual([
      422,
      [['/acting_for/__proto__', 'unknown']],
    ]);
  });

  test('it lives for fifteen minutes at most', async () => {
    for (const seconds of [901, 86_400]) {
      const answer = await send({ acting_for: ACTING_FOR, expires_in_seconds: seconds });
      expect([answer.status, errorsOf(answer)]).toEqual([
        422,
        [['/expires_in_seconds', 'not_acceptable']],
      ]);
    }
    const token = tokenOf(await send({ acting_for: ACTING_FOR, expires_in_seconds: 900 }));
    const { iat, exp } = decodeJwt(token);
    expect(exp! - iat!).toBe(900);
    expect((await introspect(token)).active).toBe(true);
    goTo(exp! * 1000);
    expect(await introspect(token)).toEqual({ active: false });
  });

  test('the longest texts make a token that is accepted', async () => {
    const id = '😀'.repeat(255);
    await own.put(id);
    const subject = '"'.repeat(255);
    for (const acting_for of [
      { subject: '😀'.repeat(255), reason: '😀'.repeat(255) },
      { subject, reason: '\\'.repeat(255) },
    ]) {
      const body = {
        audience: '漢'.repeat(85) + '😀'.repeat(170),
        origin: `https://${'a'.repeat(61)}.${'b'.repeat(61)}.${'c'.repeat(61)}.${'d'.repeat(60)}`,
        acting_for,
      };
      const answer = await send(body, api, undefined, encodeURIComponent(id));
      expect(await introspect(tokenOf(answer))).toMatchObject({
        active: true,
        act: { sub: acting_for.subject },
      });
    }
  });

  test('a group of another workspace is not found, in the words of one that is not there', async () => {
    const other = await TestWorkspace.create(service, `other ${count}`);
    const theirs = await viewAs(other.api);
    expect([theirs.status, theirs.body.code]).toEqual([404, 'user_group_not_found']);
    const absent = await send({ acting_for: ACTING_FOR }, other.api, undefined, 'absent');
    expect({ ...theirs.body, request_id: '' }).toEqual({ ...absent.body, request_id: '' });
    expect((await other.introspect(tokenOf(await viewAs()))).text).toBe('{"active":false}');
  });

  test('a suspended or incomplete group has none, and a suspension ends it', async () => {
    const token = tokenOf(await viewAs());
    await api.call('POST', '/api/v1/user-groups/acme/suspend');
    const suspended = await viewAs();
    expect([suspended.status, suspended.body.code]).toEqual([409, 'user_group_inactive']);
    expect(await introspect(token)).toEqual({ active: false });
    await api.call('POST', '/api/v1/user-groups/acme/resume');
    await own.set({ required_schemas: ['sales'] });
    const incomplete = await viewAs();
    expect([incomplete.status, incomplete.body.code]).toEqual([409, 'user_group_inactive']);
    expect(await recorded()).toHaveLength(1);
  });

  test('a workspace can forbid it, which is audited and ends the tokens on every replica within a second', async () => {
    const replica = await startTestService(service.database, env);
    const elsewhere = replica.clientOf(await service.issueToken(['tokens:introspect'], own.name));
    const [token, plain] = [tokenOf(await viewAs()), tokenOf(await send({}))];
    expect([await elsewhere.isActive(token), await api.isActive(token)]).toEqual([true, true]);
    const { status, text } = await own.set({ view_as: 'forbidden' });
    const forbiddenAt = performance.now();
    expect([status, text]).toEqual([200, expect.stringContaining('"view_as":"forbidden"')]);
    expect(await api.isActive(token)).toBe(false);
    const lastAskedAt = await lastAskedBefore(async () => !(await elsewhere.isActive(token)));
    expect(lastAskedAt - forbiddenAt).toBeLessThan(1000);
    expect([await elsewhere.isActive(plain), await api.isActive(plain)]).toEqual([true, true]);
    await replica.close();

    const refused = await viewAs();
    expect([refused.status, refused.body.code]).toEqual([403, 'view_as_forbidden']);
    expect((await send({})).status).toBe(201);
    expect(await recorded()).toHaveLength(1);
    const { body } = await api.call('GET', '/api/v1/audit-events?types=workspace.update');
    expect(body.audit_events.map(({ before, after }) => [before, after])).toEqual([
      [{ view_as: 'allowed' }, { view_as: 'forbidden' }],
    ]);
    await own.set({ view_as: 'allowed' });
    expect(registryBody(await api.call('GET', '/api/v1/workspace')).workspace.view_as).toBe(
      'allowed',
    );
    expect((await viewAs()).status).toBe(201);
    for (const [view_as, code] of [
      ['maybe', 'not_acceptable'],
      [null, 'type'],
    ]) {
      const answer = await own.set({ view_as });
      expect([answer.status, errorsOf(answer)]).toEqual([422, [['/view_as', code]]]);
    }
  });

  test('two at once are two tokens and two events', async () => {
    const answers = await Promise.all([viewAs(), viewAs()]);
    expect(answers.map(({ status }) => status)).toEqual([201, 201]);
    const ids = answers.map(({ body }) => body.embed_token.jti);
    expect(
      (await recorded()).map(({ details }) => (details as { jti: string }).jti).sort(),
    ).toEqual(ids.sort());
  });

  test('of calls with one Idempotency-Key one issues a token, and all get it', async () => {
    const key = { 'Idempotency-Key': 'view-as' };
    const answers = await Promise.all(Array.from({ length: 8 }, () => viewAs(api, key)));
    answers.push(await viewAs(api, key));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set([`201 ${answers[0]!.text}`]),
    );
    const events = await recorded();
    expect(events.map(({ details }) => (details as { jti: string }).jti)).toEqual([
      answers[0]!.body.embed_token.jti,
    ]);
    const { status, body } = await send(
      { acting_for: { ...ACTING_FOR, reason: 'another' } },
      api,
      key,
    );
    expect([status, body.code]).toEqual([409, 'idempotency_key_reused']);
  });

  test('without its event no token is issued, and the key stays unused', async () => {
    const key = { 'Idempotency-Key': 'unrecorded' };
    const allow = await forbidEvents(service);
    const refused = [await viewAs(), await viewAs(api, key)];
    await allow();
    for (const { status, body, text } of refused) {
      expect([status, body.code]).toEqual([503, 'audit_unavailable']);
      expect(text).not.toContain('eyJ');
    }
    expect((await viewAs(api, key)).status).toBe(201);
    expect(await recorded()).toHaveLength(1);
  });
});
