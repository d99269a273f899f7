import { RevokedEmbedTokenExpiry } from '../../src/core/embed-token/embed-token.revoker.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { importGroups } from '../support/api/lines.ts';
import { startTestService, withService } from '../support/test-service.ts';

const UNKNOWN = `ugt_${'0'.repeat(38)}`;
const FORM = { 'Content-Type': 'application/x-www-form-urlencoded' };
const ALL = [
  'admin',
  'audit:read',
  'embed-tokens:issue',
  'tokens:introspect',
  'tokens:rotate',
] as const;
const WRITE = ['user-groups:read', 'user-groups:write', 'user-group-tokens:read'] as const;

const revoke = (api: ApiClient, token: string) => api.call('POST', '/api/v1/revoke', { token });

async function embed(api: ApiClient, path: string): Promise<string> {
  return (await api.call('POST', `${path}/embed-tokens`, { audience: 'renderer' })).body.embed_token
    .token;
}

onEachDatabase((kind) => {
  const service = withService(kind);
  const clientIn = async (workspace: string) =>
    service.clientOf(await service.issueToken([...ALL, ...WRITE], workspace));

  async function eventsOf(id: string): Promise<string[]> {
    const path = `/api/v1/audit-events?object_id=${encodeURIComponent(id)}`;
    const { audit_events: events } = (await service.api.call('GET', path)).body;
    return events.map(({ action }) => action);
  }

  test('a current token is replaced without an overlap, and the new one is not returned', async () => {
    const { id, token } = await service.api.create();
    const answer = await revoke(service.api, token);
    expect([answer.status, answer.body]).toEqual([200, { success: 1 }]);
    expect(await service.api.isActive(token)).toBe(false);
    const { body } = await service.api.get({ user_group_id: id });
    expect(body.user_group.token).not.toBe(token);
    expect(await service.api.isActive(body.user_group.token)).toBe(true);
    expect(await eventsOf(id)).toEqual(
      expect.arrayContaining(['user_group_token.rotate', 'user_group.create']),
    );
  });

  test('the overlap of a replaced token ends, and its successor stays', async () => {
    const { id, token } = await service.api.create();
    const next = await service.api.rotate(token, 3600);
    await revoke(service.api, token);
    expect([await service.api.isActive(token), await service.api.isActive(next)]).toEqual([
      false,
      true,
    ]);
    expect(await eventsOf(id)).toContain('user_group_token.revoke');
  });

  test('an embed token ends by itself, until it expires', async () => {
    const { id, token, path } = await service.api.create();
    const [first, second] = [await embed(service.api, path), await embed(service.api, path)];
    expect(await service.api.isActive(first)).toBe(true);
    const both = [await revoke(service.api, first), await revoke(service.api, first)];
    expect(both.map(({ status }) => status)).toEqual([200, 200]);
    const active = [first, second, token].map((one) => service.api.isActive(one));
    expect(await Promise.all(active)).toEqual([false, true, true]);
    expect((await eventsOf(id)).filter((action) => action === 'embed_token.revoke')).toHaveLength(
      1,
    );
    await changeDatabase(service.database, 'UPDATE revoked_embed_token SET expires_at = 1');
    expect(await service.app.get(RevokedEmbedTokenExpiry).sweep()).toBeGreaterThan(0);
  });

  test('an API token ends, except for the last administrator', async () => {
    const own = await startTestService(kind);
    const reader = await own.issueToken(['user-groups:read']);
    const rotator = own.clientOf(await own.issueToken(['tokens:rotate']));
    expect((await revoke(rotator, reader)).status).toBe(200);
    expect((await own.clientOf(reader).get({ user_group_id: 'x' })).status).toBe(401);
    const last = await revoke(rotator, own.bootstrapToken);
    expect([last.status, last.body.code]).toEqual([409, 'last_admin_token']);
    const self = await own.issueToken(['tokens:rotate']);
    expect((await revoke(own.clientOf(self), self)).status).toBe(200);
    expect((await revoke(own.clientOf(self), self)).status).toBe(401);
    await own.close();
  });

  test('tokens of another workspace, and texts that are none, get the same response and stay', async () => {
    const [mine, theirs] = [await clientIn('own'), await clientIn('other')];
    const { token, path } = await theirs.create();
    const embedded = await embed(theirs, path);
    const apiToken = await service.issueToken(['user-groups:read'], 'other');
    const answers = [];
    for (const text of [token, embedded, apiToken, UNKNOWN, 'x', '', 'a.b.c']) {
      answers.push(await revoke(mine, text));
    }
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
      new Set(['200 {"success":1}']),
    );
    expect([await theirs.isActive(token), await theirs.isActive(embedded)]).toEqual([true, true]);
    expect((await service.clientOf(apiToken).call('GET', '/api/v1/user-groups/x')).status).toBe(
      404,
    );
  });

  test.each([
    ['a line feed', (token: string) => `${token}\n`],
    ['blanks and line ends', (token: string) => ` \t${token}\r\n`],
    ['a byte order mark', (token: string) => `\ufeff${token}`],
    ['a no-break space', (token: string) => `${token}\u00a0`],
    ['quotes', (token: string) => `"${token}"`],
    ['a name', (token: string) => `ugt=${token}`],
  ])('a token with %s around it ends', async (_name, around) => {
    const { token, path } = await service.api.create();
    const embedded = await embed(service.api, path);
    expect((await revoke(service.api, around(embedded))).status).toBe(200);
    expect(await service.api.isActive(embedded)).toBe(false);
    const sent = String(new URLSearchParams({ token: around(token) }));
    expect((await service.api.call('POST', '/api/v1/revoke', sent, FORM)).status).toBe(200);
    expect(await service.api.isActive(token)).toBe(false);
    const apiToken = await service.issueToken(['user-groups:read']);
    expect((await revoke(service.api, around(apiToken))).status).toBe(200);
    expect((await service.clientOf(apiToken).get({ user_group_id: 'x' })).status).toBe(401);
  });

  test('a token of another system ends with a line feed, too', async () => {
    const token = 'that-of-another-system-0123456789';
    await importGroups(service.api, { user_group_id: 'foreign', name: 'F', token });
    expect((await revoke(service.api, `${token}\n`)).status).toBe(200);
    expect(await service.api.isActive(token)).toBe(false);
  });

  test.each([
    ['a scheme', (token: string) => `Token ${token}`],
    ['two lines', (token: string) => `${token}\n${token}`],
    ['a zero-width space', (token: string) => `\u200b${token}`],
  ])('a token with %s is refused, and never a success', async (_name, around) => {
    const { token } = await service.api.create();
    const { status, body } = await revoke(service.api, around(token));
    expect([status, body.errors[0]]).toEqual([
      422,
      expect.objectContaining({ pointer: '/token', code: 'not_acceptable' }),
    ]);
    expect(body.errors[0]!.detail).not.toContain(token);
  });

  test('an OAuth client sends a form, with its API token as the secret and a hint', async () => {
    const { token } = await service.api.create();
    const secret = await service.issueToken(['tokens:rotate']);
    const fields = {
      token,
      token_type_hint: 'refresh_token',
      client_id: 'renderer',
      client_secret: secret,
    };
    const anybody = service.clientOf(undefined);
    const answer = await anybody.call(
      'POST',
      '/api/v1/revoke',
      String(new URLSearchParams(fields)),
      FORM,
    );
    expect(answer.status).toBe(200);
    expect(await service.api.isActive(token)).toBe(false);
    const missing = await service.api.call('POST', '/api/v1/revoke', {});
    expect([missing.status, missing.body.errors[0]!.pointer]).toEqual([422, '/token']);
  });

  test('100 revocations of one token at once replace it once', async () => {
    const { token, path } = await service.api.create();
    const answers = await Promise.all(
      Array.from({ length: 100 }, () => revoke(service.api, token)),
    );
    expect(answers.filter(({ status }) => status !== 200 && status !== 429)).toEqual([]);
    expect((await service.api.call('GET', `${path}/tokens`)).body.tokens).toHaveLength(2);
  });
});
