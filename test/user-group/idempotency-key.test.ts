import { createHash } from 'node:crypto';
import type { Answer } from '../support/api/api-client.ts';
import { stopTimeLimits } from '../support/time/fake-time.ts';
import { withService } from '../support/test-service.ts';
import {
  IdempotencyKeyExpiry,
  IdempotencyKeys,
} from '../../src/core/idempotency/idempotency-keys.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';

onEachDatabase((kind) => {
  const service = withService(kind);

  const create = async () => {
    const { id, path, token, teamId } = await service.api.create();
    return { id, path: `${path}/tokens/rotate`, token, key: `key-${kind}-${teamId}` };
  };
  const post = (key: string, body: object) => service.api.post(body, { 'Idempotency-Key': key });
  const generations = async (id: string) => {
    const path = `/api/v1/user-groups/${encodeURIComponent(id)}/tokens`;
    return (await service.api.call('GET', path)).body.tokens.length;
  };

  test('the same call with the same key is done once and answered the same', async () => {
    const { id, token, key } = await create();
    const first = await post(key, { current_token: token });
    expect(first.status).toBe(200);
    for (let repeat = 0; repeat < 3; repeat++) {
      const again = await post(key, { current_token: token });
      expect([again.status, again.text]).toEqual([200, first.text]);
    }
    // The group may have been renamed since; the answer stays that of the call.
    await service.api.put({ user_group_id: id, name: 'renamed' });
    expect((await post(key, { current_token: token })).text).toBe(first.text);
    expect(await generations(id)).toBe(2);
  });

  test('it holds for a group that is named by its id as well', async () => {
    const { id, path, key } = await create();
    const call = () => service.api.call('POST', path, {}, { 'Idempotency-Key': key });
    const first = await call();
    expect([(await call()).text, await generations(id)]).toEqual([first.text, 2]);
  });

  test.each([
    ['by token', false],
    ['by group', true],
  ])('of many at once %s one is done, and all are answered the same', async (_how, byGroup) => {
    stopTimeLimits();
    for (let round = 0; round < 5; round++) {
      const { id, path, token, key } = await create();
      const answers = await Promise.all(
        Array.from({ length: 12 }, (): Promise<Answer> =>
          byGroup
            ? service.api.call('POST', path, {}, { 'Idempotency-Key': key })
            : post(key, { current_token: token }),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
      expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
      expect(await generations(id)).toBe(2);
    }
  });

  test('another body or path with the same key is refused', async () => {
    const { token, path, key } = await create();
    const other = await create();
    expect((await post(key, { current_token: token })).status).toBe(200);
    const attempts = [
      await post(key, { current_token: other.token }),
      await post(key, { current_token: token, grace_period_seconds: 60 }),
      await service.api.call('POST', path, {}, { 'Idempotency-Key': key }),
    ];
    for (const { status, body } of attempts) {
      expect([status, body.code]).toEqual([409, 'idempotency_key_reused']);
    }
    expect(await generations(other.id)).toBe(1);
  });

  test('a key that goes with its group while another call meets it asks for a repetition', async () => {
    const { token, key } = await create();
    const other = await create();
    expect((await post(key, { current_token: token })).status).toBe(200);
    // Read before the other call committed, and after its group was deleted.
    const find = jest.spyOn(service.app.get(IdempotencyKeys), 'find').mockResolvedValue(undefined);
    const { status, body } = await post(key, { current_token: other.token });
    find.mockRestore();
    expect([status, body.code]).toEqual([503, 'database_unavailable']);
    expect(await generations(other.id)).toBe(1);
    await service.api.rotate(other.token);
  });

  test('two calls at once with one key and two bodies: one is done, the other refused', async () => {
    for (let round = 0; round < 5; round++) {
      const [one, other] = [await create(), await create()];
      const answers = await Promise.all(
        [one, other].map(({ token }) => post(one.key, { current_token: token })),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 409]);
      expect((await generations(one.id)) + (await generations(other.id))).toBe(3);
    }
  });

  test('once its token has been replaced the key is spent', async () => {
    const { token, key } = await create();
    const first = await post(key, { current_token: token });
    await service.api.post({ current_token: first.body.user_group.token });
    const late = await post(key, { current_token: token });
    expect([late.status, late.body.code]).toEqual([409, 'idempotency_key_spent']);
  });

  test('a call that failed leaves its key free', async () => {
    const { token, key } = await create();
    expect((await post(key, { current_token: 'unknown' })).status).toBe(404);
    expect((await post(key, { current_token: 7 })).status).toBe(422);
    expect((await post(key, { current_token: token })).status).toBe(200);
  });

  test('each workspace has keys of its own', async () => {
    const { token, key } = await create();
    await post(key, { current_token: token });
    const scopes = [
      ...(['user-groups:read', 'user-groups:write'] as const),
      ...(['user-group-tokens:read', 'tokens:rotate'] as const),
    ];
    const other = service.clientOf(await service.issueToken(scopes, 'other keys'));
    const theirs = await other.get({ user_group_id: 'theirs', name: 'T' });
    const current_token = theirs.body.user_group.token;
    const answer = await other.post({ current_token }, { 'Idempotency-Key': key });
    expect(answer.status).toBe(200);
    const foreign = await other.post({ current_token: token }, { 'Idempotency-Key': `${key}x` });
    expect([foreign.status, foreign.body.code]).toEqual([404, 'token_not_found']);
  });

  test('each API token has keys of its own, so that none learns what another was answered', async () => {
    const { path, key } = await create();
    const call = (by = service.api) => by.call('POST', path, {}, { 'Idempotency-Key': key });
    const first = await call();
    const other = service.clientOf(await service.issueToken(['tokens:rotate']));
    const theirs = await call(other);
    expect(theirs.body.user_group.token).not.toBe(first.body.user_group.token);
    expect((await call()).body.code).toBe('idempotency_key_spent');
  });

  test('no token is stored for a key', async () => {
    const { token } = await create();
    const answer = await post(token, { current_token: token });
    const rows = await service.query<Record<string, unknown>>(
      'SELECT * FROM idempotency_key ORDER BY created_at DESC LIMIT 1',
    );
    expect(Object.keys(rows[0]!).sort()).toEqual([
      'api_token_id',
      'ciphertext',
      'created_at',
      'generation',
      'key_hash',
      'key_id',
      'name',
      'request_hash',
      'user_group_id',
      'workspace_id',
    ]);
    expect(rows[0]).toMatchObject({ api_token_id: null, ciphertext: null, key_id: null });
    expect(rows[0]!['key_hash']).toEqual(createHash('sha256').update(`1 ${token}`).digest());
    const text = JSON.stringify(rows, (_key, value: unknown) =>
      typeof value === 'object' && value !== null && 'data' in value
        ? Buffer.from(value.data as number[]).toString('latin1')
        : value,
    );
    for (const secret of [token, answer.body.user_group.token]) {
      expect(text).not.toContain(secret.slice(4));
    }
  });

  test('a key is forgotten after 24 hours', async () => {
    const { id, path, key } = await create();
    const call = () => service.api.call('POST', path, {}, { 'Idempotency-Key': key });
    const first = await call();
    const age = (ms: number) =>
      changeDatabase(
        service.database,
        `UPDATE idempotency_key SET created_at = created_at - ${ms}
         WHERE user_group_id = ${first.body.user_group.team_id}`,
      );
    await age(86_400_000 - 60_000);
    expect((await call()).text).toBe(first.text);
    await age(60_000);
    const second = await call();
    expect([second.status, await generations(id)]).toEqual([200, 3]);
    expect(second.body.user_group.token).not.toBe(first.body.user_group.token);
    expect((await call()).text).toBe(second.text);
    await age(86_400_001);
    expect(await service.app.get(IdempotencyKeyExpiry).sweep()).toBe(1);
  });

  test.each([
    ['empty', ''],
    ['too long', 'x'.repeat(256)],
    ['of two words', 'a b'],
    ['beyond ASCII', 'sch\u00fcssel'],
  ])('a key that is %s is refused, and nothing is rotated', async (_name, key) => {
    const { id, token } = await create();
    const { status, body } = await post(key, { current_token: token });
    expect([status, body.code, await generations(id)]).toEqual([400, 'idempotency_key_invalid', 1]);
  });
});
