import { decodeJwt } from 'jose';
import type { IssueEmbedTokenRequest } from '../../src/core/embed-token/dto/embed-token.dto.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { errorsOf } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';

const AUDIENCE = 'https://dashboards.example.com';
const ADA = { id: 'u-17', name: 'Ada Lovelace', email: 'ada@acme.example' };
const SALES = { type: 'dashboard', id: 'sales' };

onEachDatabase((kind) => {
  const service = withService(kind);

  beforeAll(async () => {
    await service.api.get({ user_group_id: 'acme', name: 'Acme' });
  });

  const issue = (body: unknown) =>
    service.api.call('POST', '/api/v1/user-groups/acme/embed-tokens', body);
  const issued = async (own: Partial<IssueEmbedTokenRequest>) => {
    const answer = await issue({ audience: AUDIENCE, ...own });
    expect([answer.status, answer.body.errors]).toEqual([201, undefined]);
    return answer.body.embed_token;
  };
  const introspect = async (token: string) =>
    (await service.api.introspect(token)) as unknown as Record<string, unknown>;

  test('the viewer and the resources are claims, and part of the introspection', async () => {
    const { token } = await issued({ user: ADA, resources: [SALES, { type: 'report', id: '7' }] });
    const viewer = {
      user_id: 'u-17',
      user_name: 'Ada Lovelace',
      email: 'ada@acme.example',
      resources: [SALES, { type: 'report', id: '7' }],
    };
    expect(decodeJwt(token)).toMatchObject(viewer);
    expect(await introspect(token)).toMatchObject({
      active: true,
      sub: 'acme',
      username: 'u-17',
      ...viewer,
    });
  });

  test('what was not sent is nowhere', async () => {
    const names = ['username', 'user_id', 'user_name', 'email', 'resources'];
    const { token } = await issued({});
    const [claims, seen] = [decodeJwt(token), await introspect(token)];
    for (const name of names) {
      expect(claims).not.toHaveProperty(name);
      expect(seen).not.toHaveProperty(name);
    }
    const named = await introspect((await issued({ user: { id: 'u' } })).token);
    expect(named).toMatchObject({ username: 'u', user_id: 'u' });
    for (const name of ['user_name', 'email', 'resources']) expect(named).not.toHaveProperty(name);
  });

  test('the answer says for how many seconds the token is valid', async () => {
    expect((await issued({})).expires_in).toBe(600);
    expect((await issued({ expires_in_seconds: 1 })).expires_in).toBe(1);
    const { status } = await service.api.put({ user_group_id: 'ending', name: 'E' });
    expect(status).toBe(200);
    const valid_until = new Date(Date.now() + 100_500).toISOString();
    await service.api.call(
      'PATCH',
      '/api/v1/user-groups/ending',
      { valid_until },
      { 'Content-Type': 'application/merge-patch+json' },
    );
    const { body } = await service.api.call('POST', '/api/v1/user-groups/ending/embed-tokens', {
      audience: AUDIENCE,
    });
    const { iat, exp } = decodeJwt(body.embed_token.token);
    expect(body.embed_token.expires_in).toBe(exp! - iat!);
    expect(body.embed_token.expires_in).toBeLessThan(600);
  });

  test.each<[string, NonNullable<IssueEmbedTokenRequest['user']>]>([
    ['every code point counts once', { id: '😀'.repeat(255), name: '😀'.repeat(255) }],
    ['right-to-left marks and joiners stay', { id: 'a\u200d\u200fb', name: 'עדה \u0301' }],
    ['no normalisation, no trim', { id: ' e\u0301 ', name: 'é', email: 'E\u0301@é.example' }],
    ['names of objects are texts', { id: '__proto__', name: 'constructor' }],
    ['markup is text', { id: '<b>', name: '"};alert(1)//', email: '<a>@b' }],
  ])('%s', async (_name, user) => {
    const { token } = await issued({ user });
    expect(await introspect(token)).toMatchObject({
      active: true,
      username: user.id,
      user_id: user.id,
      ...(user.name !== undefined && { user_name: user.name }),
      ...(user.email !== undefined && { email: user.email }),
    });
  });

  test('the longest of all texts make a token that is accepted', async () => {
    const longest = '😀'.repeat(255);
    const resources = Array.from({ length: 50 }, (_, n) => {
      return { type: 'dashboard', id: `${n}${'-'.repeat(50)}` };
    });
    await service.api.put({ user_group_id: longest, name: 'Long' });
    const { status, body } = await service.api.call(
      'POST',
      `/api/v1/user-groups/${encodeURIComponent(longest)}/embed-tokens`,
      {
        audience: longest,
        origin: `https://${'a'.repeat(61)}.${'b'.repeat(61)}.${'c'.repeat(61)}.${'d'.repeat(60)}`,
        user: { id: longest, name: longest, email: `${'😀'.repeat(253)}@b` },
        resources,
        acting_for: { subject: longest, reason: 'r' },
      },
    );
    expect([status, body.errors]).toEqual([201, undefined]);
    expect(JSON.stringify(resources).length).toBeGreaterThan(4000);
    expect(await introspect(body.embed_token.token)).toMatchObject({ active: true, resources });
  });

  test('somebody who views as the group sees what the viewer would, and stays named', async () => {
    const { token } = await issued({
      user: ADA,
      resources: [SALES],
      acting_for: { subject: 'kim@support.example.com', reason: 'Ticket 4711' },
    });
    expect(await introspect(token)).toMatchObject({
      act: { sub: 'kim@support.example.com' },
      user_id: 'u-17',
      resources: [SALES],
    });
  });

  test('nothing of the viewer is in the audit log, nor in any other table', async () => {
    const user = { id: 'user-secret-1', name: 'name-secret-2', email: 'mail-secret-3@b.example' };
    const resources = [{ type: 'dashboard', id: 'resource-secret-4' }];
    const { jti } = await issued({
      user,
      resources,
      acting_for: { subject: 'kim', reason: 'viewer' },
    });
    const events = await service.api.call('GET', '/api/v1/audit-events');
    expect(events.text).toContain(jti);
    expect(events.text).not.toContain('secret-');
    const rows = await service.query('SELECT * FROM audit_event');
    expect(JSON.stringify(rows)).toContain(jti);
    expect(JSON.stringify(rows)).not.toContain('secret-');
    const changes = await service.query('SELECT * FROM change_event');
    expect(JSON.stringify(changes)).not.toContain('secret-');
  });

  test('an Idempotency-Key is of one viewer', async () => {
    const body = { audience: AUDIENCE, acting_for: { subject: 'kim', reason: 'r' } };
    const send = (own: object) =>
      service.api.call(
        'POST',
        '/api/v1/user-groups/acme/embed-tokens',
        { ...body, ...own },
        { 'Idempotency-Key': 'of-one-viewer' },
      );
    const first = await send({ user: { id: 'a' } });
    expect(first.status).toBe(201);
    expect((await send({ user: { id: 'a' } })).body).toEqual(first.body);
    for (const own of [{}, { user: { id: 'b' } }, { user: { id: 'a' }, resources: [SALES] }]) {
      expect((await send(own)).status).toBe(409);
    }
  });

  test.each<[string, unknown, string, string]>([
    ['a user as text', { user: 'u' }, '/user', 'type'],
    ['no user', { user: null }, '/user', 'type'],
    ['a list of users', { user: [] }, '/user', 'type'],
    ['no id', { user: { name: 'a' } }, '/user/id', 'required'],
    ['an empty id', { user: { id: '' } }, '/user/id', 'empty'],
    ['an id of null', { user: { id: null } }, '/user/id', 'type'],
    ['a number as id', { user: { id: 7 } }, '/user/id', 'type'],
    ['256 code points', { user: { id: 'é'.repeat(256) } }, '/user/id', 'too_long'],
    ['a control character', { user: { id: 'a\u0085' } }, '/user/id', 'control_character'],
    [
      'a line feed in the name',
      { user: { id: 'a', name: 'b\n' } },
      '/user/name',
      'control_character',
    ],
    ['an empty name', { user: { id: 'a', name: '' } }, '/user/name', 'empty'],
    ['a name of null', { user: { id: 'a', name: null } }, '/user/name', 'type'],
    ['an address without @', { user: { id: 'a', email: 'ada' } }, '/user/email', 'not_acceptable'],
    ['two of them', { user: { id: 'a', email: 'a@b@c' } }, '/user/email', 'not_acceptable'],
    ['white space', { user: { id: 'a', email: 'a@b\u2003c' } }, '/user/email', 'not_acceptable'],
    ['nobody at home', { user: { id: 'a', email: '@b' } }, '/user/email', 'not_acceptable'],
    ['another field', { user: { id: 'a', admin: true } }, '/user/admin', 'unknown'],
    ['__proto__', '{"user":{"id":"a","__proto__":{"id":"b"}}}', '/user/__proto__', 'unknown'],
    ['half a character', { user: { id: '\ud83d' } }, '/user/id', 'lone_surrogate'],
    ['resources as object', { resources: {} }, '/resources', 'type'],
    ['resources of null', { resources: null }, '/resources', 'type'],
    ['no resource', { resources: [] }, '/resources', 'empty'],
    [
      '51 resources',
      { resources: Array.from({ length: 51 }, (_, n) => ({ type: 'd', id: `${n}` })) },
      '/resources',
      'too_many',
    ],
    [
      'more than 4 KiB',
      {
        resources: Array.from({ length: 20 }, (_, n) => ({
          type: 'd',
          id: `${n}${'é'.repeat(200)}`,
        })),
      },
      '/resources',
      'too_large',
    ],
    ['a resource as text', { resources: ['sales'] }, '/resources/0', 'type'],
    ['no type', { resources: [{ id: 'a' }] }, '/resources/0/type', 'required'],
    ['no id of it', { resources: [{ type: 'd' }] }, '/resources/0/id', 'required'],
    ['a number as its id', { resources: [{ type: 'd', id: 7 }] }, '/resources/0/id', 'type'],
    ['no word', { resources: [{ type: 'a b', id: '1' }] }, '/resources/0/type', 'resource_invalid'],
    [
      'a digit first',
      { resources: [{ type: '1a', id: '1' }] },
      '/resources/0/type',
      'resource_invalid',
    ],
    [
      '65 letters',
      { resources: [{ type: 'a'.repeat(65), id: '1' }] },
      '/resources/0/type',
      'resource_invalid',
    ],
    ['no ASCII', { resources: [{ type: 'dé', id: '1' }] }, '/resources/0/type', 'resource_invalid'],
    ['more of it', { resources: [{ ...SALES, rls: [] }] }, '/resources/0/rls', 'unknown'],
    [
      'the same twice',
      { resources: [SALES, { type: 'd', id: '1' }, SALES] },
      '/resources/2',
      'repeated',
    ],
  ])('%s is refused, and the place is named', async (_name, sent, pointer, code) => {
    const text = typeof sent === 'string' ? `{"audience":"a",${sent.slice(1)}` : undefined;
    const answer = await issue(text ?? { audience: 'a', ...(sent as object) });
    expect([answer.status, errorsOf(answer)]).toEqual([422, [[pointer, code]]]);
  });
});
