import type { Scope } from '../../src/platform/common/access/caller.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { passTime } from '../support/time/fake-time.ts';
import { lastAskedBefore } from '../support/time/until.ts';

onEachDatabase((kind) => {
  const service = withService(kind);

  const body = { user_group_id: 'g', name: 'G' };

  describe.each(['GET', 'PUT', 'POST'])('%s', (method) => {
    test.each([
      ['no header', undefined, 'credentials_missing'],
      ['another scheme', 'Bearer TOKEN', 'credentials_malformed'],
      ['Basic', 'Basic dXNlcjpwYXNz', 'credentials_malformed'],
      ['the bare token', 'TOKEN', 'credentials_malformed'],
      ['the scheme alone', 'Token', 'credentials_malformed'],
      ['two tokens', 'Token TOKEN TOKEN', 'credentials_malformed'],
      ['a user-group token', 'Token UGT', 'credentials_malformed'],
      ['an unknown token', 'Token uga_00000000000000000000000000000000000000', 'api_token_invalid'],
    ])('%s is refused', async (_name, header, code) => {
      const token = await service.issueToken(['user-groups:read']);
      const Authorization = header
        ?.replaceAll('TOKEN', token)
        .replace('UGT', `ugt_${token.slice(4)}`);
      const answer = await service
        .clientOf(undefined)
        .send({ method, body, headers: Authorization === undefined ? {} : { Authorization } });
      expect([answer.status, answer.body.code, answer.body.success]).toEqual([401, code, 0]);
      expect(answer.headers['www-authenticate']).toMatch(/^Token /);
      expect(answer.text).not.toContain(token.slice(4));
    });
  });

  test('the scheme is taken in any case', async () => {
    const token = await service.issueToken([
      'user-groups:read',
      'user-groups:write',
      'user-group-tokens:read',
    ]);
    for (const scheme of ['Token', 'token', 'TOKEN']) {
      const answer = await service
        .clientOf(undefined)
        .get(body, { Authorization: `${scheme} ${token}` });
      expect(answer.status).toBe(200);
    }
  });

  test('a credential anywhere but in the Authorization header is not seen', async () => {
    const token = await service.issueToken([
      'user-groups:read',
      'user-groups:write',
      'user-group-tokens:read',
    ]);
    const answer = await service.clientOf(undefined).send({
      method: 'GET',
      path: `/api/user?token=${token}&access_token=${token}`,
      body: { ...body, api_token: token },
      headers: {
        Cookie: `token=${token}`,
        'X-Api-Key': token,
        'Proxy-Authorization': `Token ${token}`,
      },
    });
    expect(answer.body.code).toBe('credentials_missing');
  });

  test('nobody without a token can make the service read a body', async () => {
    const answer = await service.clientOf(undefined).get('{"broken');
    expect(answer.body.code).toBe('credentials_missing');
  });

  test('a revoked token is refused within a second', async () => {
    const token = await service.issueToken([
      'user-groups:read',
      'user-groups:write',
      'user-group-tokens:read',
    ]);
    expect((await service.clientOf(token).get(body)).status).toBe(200);
    await service.revokeToken(token);
    const revokedAt = performance.now();
    const lastAskedAt = await lastAskedBefore(
      async () => (await service.clientOf(token).get(body)).status !== 200,
    );
    expect(lastAskedAt - revokedAt).toBeLessThan(1000);
    expect((await service.clientOf(token).get(body)).body.code).toBe('api_token_invalid');
  });

  test('an expired token is refused at once', async () => {
    const token = await service.issueToken(
      ['user-groups:read', 'user-groups:write', 'user-group-tokens:read'],
      'default',
      60_000,
    );
    expect((await service.clientOf(token).get(body)).status).toBe(200);
    passTime(60_000);
    expect((await service.clientOf(token).get(body)).body.code).toBe('api_token_invalid');
  });

  test.each<[string, Scope[], string, number]>([
    ['GET', ['user-groups:read', 'user-group-tokens:read'], 'user-groups:read', 200],
    [
      'GET',
      ['user-groups:write', 'user-group-tokens:read', 'tokens:rotate', 'admin'],
      'user-groups:read',
      403,
    ],
    ['GET', ['user-groups:read', 'user-groups:write', 'admin'], 'user-group-tokens:read', 403],
    ['PUT', ['user-groups:write', 'user-group-tokens:read'], 'user-groups:write', 200],
    [
      'PUT',
      ['user-groups:read', 'user-group-tokens:read', 'tokens:rotate', 'admin'],
      'user-groups:write',
      403,
    ],
    ['PUT', ['user-groups:read', 'user-groups:write', 'admin'], 'user-group-tokens:read', 403],
    ['POST', ['tokens:rotate'], 'tokens:rotate', 200],
    [
      'POST',
      ['user-groups:read', 'user-groups:write', 'user-group-tokens:read', 'admin'],
      'tokens:rotate',
      403,
    ],
  ])('%s with the scopes %j needs %s', async (method, scopes, needed, status) => {
    const { body: known } = await service.api.get(body);
    const client = service.clientOf(await service.issueToken(scopes));
    const answer = await client.send({
      method,
      body: { ...body, current_token: known.user_group.token },
    });
    expect(answer.status).toBe(status);
    if (status === 403) {
      expect(answer.body.code).toBe('insufficient_scope');
      expect(answer.body.detail).toContain(`"${needed}"`);
    }
  });

  test('a read-only token looks up, and is refused where the GET would write', async () => {
    await service.api.put({ user_group_id: 'ro', name: 'Before' });
    const client = service.clientOf(
      await service.issueToken(['user-groups:read', 'user-group-tokens:read']),
    );
    expect((await client.get({ user_group_id: 'ro', name: 'Before' })).status).toBe(200);
    for (const wanted of [
      { user_group_id: 'ro', name: 'After' },
      { user_group_id: 'ro', properties: { a: 1 } },
      { user_group_id: 'ro', mapping: { a: 1 } },
      { user_group_id: 'ro new', name: 'New' },
    ]) {
      const answer = await client.get(wanted);
      expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_scope']);
    }
    const { body: after } = await client.get({ user_group_id: 'ro' });
    expect(after.user_group.name).toBe('Before');
    expect((await client.get({ user_group_id: 'ro new' })).status).toBe(404);
  });

  test('the same id in two workspaces is two groups, and neither sees the other', async () => {
    const scopes: Scope[] = [
      'user-groups:read',
      'user-groups:write',
      'user-group-tokens:read',
      'tokens:rotate',
    ];
    const [one, two] = await Promise.all(
      ['tenant one', 'tenant two'].map(async (name) =>
        service.clientOf(await service.issueToken(scopes, name)),
      ),
    );
    const { body: first } = await one!.get({
      user_group_id: 'shared',
      name: 'One',
      properties: { secret: 1 },
    });
    expect((await two!.get({ user_group_id: 'shared' })).body.code).toBe('user_group_not_found');
    const { body: second } = await two!.get({ user_group_id: 'shared', name: 'Two' });
    expect(second.new_user_group).toBe(true);
    expect(second.user_group.token).not.toBe(first.user_group.token);
    await two!.put({ user_group_id: 'shared', name: 'Two changed', properties: { secret: 2 } });
    const stolen = await two!.post({ current_token: first.user_group.token });
    expect([stolen.status, stolen.body.code]).toEqual([404, 'token_not_found']);
    const { body: unchanged } = await one!.get({ user_group_id: 'shared' });
    expect(unchanged.user_group).toMatchObject({ name: 'One', token: first.user_group.token });
  });

  test('of an API token only the hash is kept', async () => {
    const token = await service.issueToken(['user-groups:read']);
    const rows = await service.query<{ last_four: string }>('SELECT * FROM api_token');
    expect(rows.map((row) => row.last_four)).toContain(token.slice(-4));
    expect(JSON.stringify(rows)).not.toContain(token.slice(4, -4));
  });
});
