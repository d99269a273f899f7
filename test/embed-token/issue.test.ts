import { decodeJwt, decodeProtectedHeader } from 'jose';
import { UserGroupSnapshots } from '../../src/core/user-group/snapshot/user-group-snapshots.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';

const AUDIENCE = 'https://dashboards.example.com';
const ORIGIN = 'https://app.example.com';

onEachDatabase((kind) => {
  const service = withService(kind);

  beforeAll(async () => {
    await service.api.get({
      user_group_id: 'acme',
      name: 'The name of Acme',
      mapping: { sales: 'the-warehouse' },
      properties: { region: 'the-region' },
    });
  });

  const pathOf = (id: string) => `/api/v1/user-groups/${encodeURIComponent(id)}/embed-tokens`;
  const issue = (body: unknown, id = 'acme') => service.api.call('POST', pathOf(id), body);

  test('a rotation between two reads of the database leaves no token that is dead from its beginning', async () => {
    const { id, token } = await service.api.create();
    const snapshots = service.app.get(UserGroupSnapshots);
    const find = snapshots.find.bind(snapshots);
    const finding = jest.spyOn(snapshots, 'find').mockImplementationOnce(async (...key) => {
      await service.api.rotate(token);
      return find(...key);
    });
    const { status, body } = await issue({ audience: AUDIENCE }, id);
    finding.mockRestore();
    expect(status).toBe(201);
    expect(decodeJwt(body.embed_token.token)['gen']).toBe(2);
    expect(await service.api.isActive(body.embed_token.token)).toBe(true);
  });

  test('an embed token says whose it is, for whom and until when, and nothing about the group', async () => {
    const issuedFrom = Math.floor(Date.now() / 1000);
    const { status, headers, body } = await issue({ audience: AUDIENCE, origin: ORIGIN });
    const issuedUntil = Date.now() / 1000;
    expect([status, headers['cache-control']]).toEqual([201, 'no-store']);
    expect(body).toEqual({
      success: 1,
      embed_token: {
        token: expect.stringMatching(/^[\w-]+\.[\w-]+\.[\w-]{86}$/),
        token_type: 'embed_token',
        expires_at: expect.any(String),
        expires_in: 600,
        kid: expect.stringMatching(/^[\w-]{43}$/),
        jti: expect.stringMatching(/^[\w-]{22}$/),
      },
    });
    const { token, kid, jti, expires_at } = body.embed_token;
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'ES256', typ: 'JWT', kid });
    const claims = decodeJwt(token);
    expect(claims).toEqual({
      iss: `urn:user-group-service:workspaces:${claims['workspace_id'] as string}`,
      sub: 'acme',
      aud: AUDIENCE,
      iat: expect.any(Number),
      exp: claims.iat! + 600,
      iat_ms: expect.any(Number),
      epoch: 0,
      jti,
      workspace_id: expect.stringMatching(/^ws_[0-9a-f]{32}$/),
      team_id: expect.any(Number),
      gen: 1,
      origin: ORIGIN,
    });
    expect(Date.parse(expires_at)).toBe(claims.exp! * 1000);
    expect(claims.iat).toBeGreaterThanOrEqual(issuedFrom);
    expect(claims.iat).toBeLessThanOrEqual(issuedUntil);
    expect(Math.floor((claims['iat_ms'] as number) / 1000)).toBe(claims.iat);
  });

  test('each is another, and lives as long as was asked for', async () => {
    const ids = new Set<string>();
    for (const expires_in_seconds of [1, 600, 86_400]) {
      const { body } = await issue({ audience: AUDIENCE, expires_in_seconds });
      const { iat, exp, jti } = decodeJwt(body.embed_token.token);
      expect(exp! - iat!).toBe(expires_in_seconds);
      expect(decodeJwt(body.embed_token.token)).not.toHaveProperty('origin');
      ids.add(jti!);
    }
    expect(ids.size).toBe(3);
  });

  test('issuing changes nothing, and the group’s own token is not in the answer', async () => {
    const rows = async () => {
      const found: object[] = await service.query(
        'SELECT * FROM user_group_token ORDER BY user_group_id',
      );
      // The last use of an earlier test is written a moment later.
      return found.map((row) => ({ ...row, last_introspected_at: undefined }));
    };
    const events = () => service.query('SELECT count(*) AS n FROM audit_event');
    const { token } = (await service.api.get({ user_group_id: 'acme' })).body.user_group;
    const before = [await rows(), await events()];
    const { text } = await issue({ audience: AUDIENCE });
    expect([await rows(), await events()]).toEqual(before);
    expect(text).not.toContain(token.slice(4));
  });

  test.each([
    ORIGIN,
    'https://app.example.com:8443',
    'https://xn--mnchen-3ya.example',
    'https://10.0.0.1',
    'https://[2001:db8::1]:8443',
    'http://localhost',
    'http://localhost:8080',
    'http://127.0.0.1:3000',
    'http://[::1]:3000',
  ])('the origin %s is one', async (origin) => {
    const { status, body } = await issue({ audience: AUDIENCE, origin });
    expect([status, decodeJwt(body.embed_token.token)['origin']]).toEqual([201, origin]);
  });

  test.each([
    'https://app.example.com/',
    'https://app.example.com/path',
    'https://app.example.com:443',
    'https://APP.example.com',
    'https://user@app.example.com',
    'https://münchen.example',
    'https://*.example.com',
    "https://a.example;script-src'unsafe-inline'",
    'https://a.example,https://b.example',
    'https://a.example https://b.example',
    'https://a.example\n',
    'http://app.example.com',
    'http://localhost.example.com',
    'ftp://app.example.com',
    'https://',
    'https://[::',
    'https://a.example:99999',
    'https://0x7f.1',
    'app.example.com',
    'null',
    '*',
    'javascript:alert(1)',
  ])('the origin %j is none', async (origin) => {
    const { status, body } = await issue({ audience: AUDIENCE, origin });
    expect([status, body.errors[0]]).toEqual([
      422,
      { pointer: '/origin', code: 'not_acceptable', detail: expect.any(String) },
    ]);
  });

  test.each<[string, unknown, string, string]>([
    ['no audience', {}, '/audience', 'required'],
    ['an empty audience', { audience: '' }, '/audience', 'empty'],
    ['a list of audiences', { audience: [AUDIENCE] }, '/audience', 'type'],
    ['too long an audience', { audience: 'a'.repeat(256) }, '/audience', 'too_long'],
    ['a control character', { audience: 'a\u0007' }, '/audience', 'control_character'],
    ['half a character', { audience: '\ud800' }, '/audience', 'lone_surrogate'],
    ['no life', { audience: 'a', expires_in_seconds: 0 }, '/expires_in_seconds', 'not_acceptable'],
    [
      'too long a life',
      { audience: 'a', expires_in_seconds: 86_401 },
      '/expires_in_seconds',
      'not_acceptable',
    ],
    [
      'half a second',
      { audience: 'a', expires_in_seconds: 0.5 },
      '/expires_in_seconds',
      'not_acceptable',
    ],
    ['a life as text', { audience: 'a', expires_in_seconds: '60' }, '/expires_in_seconds', 'type'],
    ['a life of null', { audience: 'a', expires_in_seconds: null }, '/expires_in_seconds', 'type'],
    ['an origin of null', { audience: 'a', origin: null }, '/origin', 'type'],
    ['too long an origin', { audience: 'a', origin: 'a'.repeat(256) }, '/origin', 'too_long'],
    ['a misspelt limit', { audience: 'a', expires_in: 60 }, '/expires_in', 'unknown'],
    ['a claim of its own', { audience: 'a', sub: 'globex' }, '/sub', 'unknown'],
    ['__proto__', '{"audience":"a","__proto__":{"origin":1}}', '/__proto__', 'unknown'],
  ])('%s is refused, and the field is named', async (_name, sent, pointer, code) => {
    const { status, body } = await issue(sent);
    expect([status, body.errors[0]!.pointer, body.errors[0]!.code]).toEqual([422, pointer, code]);
  });

  test('for a group that is not there, or of another workspace, there is none', async () => {
    const stranger = service.clientOf(
      await service.issueToken(
        ['user-groups:read', 'user-groups:write', 'user-group-tokens:read'],
        'strangers',
      ),
    );
    await stranger.get({ user_group_id: 'theirs', name: 'T' });
    for (const id of ['none', 'theirs', '\0', 'x'.repeat(300)]) {
      const { status, body } = await issue({ audience: AUDIENCE }, id);
      expect([id, status, body.code]).toEqual([id, 404, 'user_group_not_found']);
    }
  });

  test('for a suspended group there is none until it is resumed', async () => {
    await service.api.get({ user_group_id: 'paused', name: 'P' });
    const suspend = (at: string) =>
      changeDatabase(
        service.database,
        `UPDATE user_group SET suspended_at = ${at} WHERE provided_id = 'paused'`,
      );
    await suspend('1');
    const refused = await issue({ audience: AUDIENCE }, 'paused');
    expect([refused.status, refused.body.code]).toEqual([409, 'user_group_inactive']);
    await suspend('NULL');
    expect((await issue({ audience: AUDIENCE }, 'paused')).status).toBe(201);
  });

  test('for a group that lacks what its workspace requires there is none', async () => {
    await service.api.get({ user_group_id: 'lacking', name: 'L' });
    const require = (required_schemas: string[]) =>
      service.api.call('PATCH', '/api/v1/workspace', { required_schemas });
    await require(['sales']);
    const refused = await issue({ audience: AUDIENCE }, 'lacking');
    expect([refused.status, refused.body.code]).toEqual([409, 'user_group_inactive']);
    await require([]);
    expect((await issue({ audience: AUDIENCE }, 'lacking')).status).toBe(201);
  });

  test('it hangs on the token that is current when it is issued', async () => {
    const { body } = await service.api.get({ user_group_id: 'rotated', name: 'R' });
    await service.api.post({ current_token: body.user_group.token, grace_period_seconds: 60 });
    const issued = await issue({ audience: AUDIENCE }, 'rotated');
    expect(decodeJwt(issued.body.embed_token.token)).toMatchObject({ sub: 'rotated', gen: 2 });
  });
});
