import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';

onEachDatabase((kind) => {
  const service = withService(kind);

  async function tokenOf(id: string): Promise<string> {
    const { body } = await service.api.get({ user_group_id: id, name: id });
    return body.user_group.token;
  }

  test('gives the group a new token and answers exactly its four fields', async () => {
    const { body: before } = await service.api.get({
      user_group_id: 'r',
      name: 'R',
      properties: { a: 1 },
    });
    const answer = await service.api.post({ current_token: before.user_group.token });
    expect(answer.status).toBe(200);
    expect(answer.body).toEqual({
      success: 1,
      user_group: {
        team_id: before.user_group.team_id,
        token: expect.stringMatching(/^ugt_[0-9A-Za-z]{38}$/),
        name: 'R',
        provided_id: 'r',
      },
    });
    expect(answer.body.user_group.token).not.toBe(before.user_group.token);
  });

  test('a lost answer is recovered by GET', async () => {
    const token = await tokenOf('lost');
    const { body } = await service.api.post({ current_token: token });
    expect(await tokenOf('lost')).toBe(body.user_group.token);
  });

  test('rotating retires the old token', async () => {
    const token = await tokenOf('retired');
    await service.api.post({ current_token: token });
    const again = await service.api.post({ current_token: token });
    expect([again.status, again.body.code]).toEqual([404, 'token_not_found']);
  });

  test('what is kept of a retired token cannot give it back', async () => {
    const token = await tokenOf('erased');
    await service.api.post({ current_token: token });
    const rows = await service.query<{ ciphertext: unknown; key_id: unknown }>(
      `SELECT t.ciphertext, t.key_id FROM user_group_token t JOIN user_group g ON g.id = t.user_group_id
       WHERE g.provided_id = 'erased' AND t.retired_at IS NOT NULL`,
    );
    expect(rows).toEqual([{ ciphertext: null, key_id: null }]);
  });

  test('unknown, malformed, foreign and replaced tokens get the same words', async () => {
    const replaced = await tokenOf('same words');
    await service.api.post({ current_token: replaced });
    const foreignApi = service.clientOf(
      await service.issueToken(
        ['user-groups:read', 'user-groups:write', 'user-group-tokens:read'],
        'foreign',
      ),
    );
    const { body: foreign } = await foreignApi.get({ user_group_id: 'f', name: 'F' });
    const refusals = await Promise.all(
      ['ugt_unknown', '', 'not a token', replaced, foreign.user_group.token].map(
        (current_token: string) => service.api.post({ current_token }),
      ),
    );
    const [first, ...others] = refusals.map(({ body }) => ({ ...body, request_id: '' }));
    expect(first).toMatchObject({ status: 404, code: 'token_not_found', success: 0 });
    for (const other of others) expect(other).toEqual(first);
  });

  test.each([
    [{}, 'required'],
    [{ current_token: null }, 'type'],
    [{ current_token: 7 }, 'type'],
    [{ current_token: ['ugt_x'] }, 'type'],
  ])('%j is refused as %s', async (body, code) => {
    const answer = await service.api.post(body);
    expect(answer.status).toBe(422);
    expect(answer.body.errors).toEqual([
      expect.objectContaining({ pointer: '/current_token', code }),
    ]);
  });
});
