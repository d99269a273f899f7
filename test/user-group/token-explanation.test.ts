import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { importGroups } from '../support/api/lines.ts';
import { withService } from '../support/test-service.ts';
import { passTime } from '../support/time/fake-time.ts';

onEachDatabase((kind) => {
  const service = withService(kind);

  const create = async () => {
    const group = await service.api.create();
    return { ...group, path: `${group.path}/tokens` };
  };
  const list = async (path: string, query = '') =>
    (await service.api.call('GET', `${path}${query}`)).body.tokens;
  const reasons = async (path: string) =>
    (await list(path)).map(({ refused_because }) => refused_because);

  test('each token says why it is refused, by what it was replaced and who ended it', async () => {
    const { path, token } = await create();
    const second = await service.api.rotate(token);
    const third = await service.api.rotate(second, 1);
    passTime(1050);
    const fourth = await service.api.rotate(third, 3600);
    await service.api.call('POST', `${path}/3/revoke`);
    const fifth = await service.api.rotate(fourth, 3600);
    await service.api.rotate(fifth, 3600);
    expect(
      (await list(path)).map((view) => [view.generation, view.state, view.refused_because]),
    ).toEqual([
      [6, 'current', null],
      [5, 'overlap', null],
      // Its overlap was not over: the next rotation ended it.
      [4, 'replaced', 'superseded'],
      [3, 'revoked', 'revoked'],
      [2, 'replaced', 'overlap_expired'],
      [1, 'replaced', 'superseded'],
    ]);
    const [current, , , revoked, , first] = await list(path);
    expect(current).toMatchObject({ superseded_by: null, revoked_at: null, revoked_by: null });
    expect(revoked).toMatchObject({
      superseded_by: { generation: 4, at: revoked!.retired_at, api_token_id: 1 },
      revoked_at: expect.any(String),
      revoked_by: 1,
    });
    expect(first).toMatchObject({
      superseded_by: { generation: 2, at: first!.retired_at, api_token_id: 1 },
      revoked_at: null,
      revoked_by: null,
    });
  });

  test('an overlap is refused as expired while it is still the latest', async () => {
    const { path, token } = await create();
    await service.api.rotate(token, 60);
    expect(await reasons(path)).toEqual([null, null]);
    passTime(60_050);
    expect(await reasons(path)).toEqual([null, 'overlap_expired']);
  });

  test('a suspended group refuses what would be accepted; what has ended keeps its reason', async () => {
    const { path, token, teamId } = await create();
    const second = await service.api.rotate(token);
    await service.api.rotate(second, 3600);
    const suspend = (at: string) =>
      changeDatabase(
        service.database,
        `UPDATE user_group SET suspended_at = ${at} WHERE id = ${teamId}`,
      );
    await suspend('1');
    expect(await reasons(path)).toEqual(['group_suspended', 'group_suspended', 'superseded']);
    await suspend('NULL');
    expect(await reasons(path)).toEqual([null, null, 'superseded']);
  });

  test('a group that lacks what its workspace requires refuses what would be accepted', async () => {
    const { path, token } = await create();
    await service.api.rotate(token);
    const require = (required_schemas: string[]) =>
      service.api.call('PATCH', '/api/v1/workspace', { required_schemas });
    await require(['sales']);
    expect(await reasons(path)).toEqual(['group_incomplete', 'superseded']);
    await require([]);
    expect(await reasons(path)).toEqual([null, 'superseded']);
  });

  test('an imported token is found by its last four characters, whatever they are', async () => {
    const token = `bm90LW9uZS1vZi1vdXJz${kind}%'=`;
    await importGroups(service.api, { user_group_id: 'imported', name: 'I', token });
    const lastFour = encodeURIComponent(token.slice(-4));
    const path = '/api/v1/user-groups/imported/tokens';
    const { body } = await service.api.call('GET', `${path}?last_four=${lastFour}`);
    expect(body.tokens.map((one) => one.last_four)).toEqual([token.slice(-4)]);
  });

  test('what the operator has done names no API token', async () => {
    const { path, token, teamId } = await create();
    await service.api.rotate(token, 3600);
    await changeDatabase(
      service.database,
      `UPDATE user_group_token SET retired_by = NULL, revoked_at = 1, valid_until = 1
       WHERE user_group_id = ${teamId} AND generation = 1`,
    );
    expect((await list(path))[1]).toMatchObject({
      refused_because: 'revoked',
      superseded_by: { generation: 2, api_token_id: null },
      revoked_by: null,
    });
  });

  test('a token can be found by its generation and by its last four characters', async () => {
    const { path, token } = await create();
    const tokens = [token];
    for (let round = 0; round < 4; round++) tokens.push(await service.api.rotate(tokens.at(-1)!));
    const generations = async (query: string) =>
      (await list(path, query)).map(({ generation }) => generation);
    expect(await generations('?generation=2')).toEqual([2]);
    expect(await generations('?generation=99')).toEqual([]);
    for (const [index, issued] of tokens.entries()) {
      expect(await generations(`?last_four=${issued.slice(-4)}`)).toContain(index + 1);
      expect(await generations(`?generation=${index + 1}&last_four=${issued.slice(-4)}`)).toEqual([
        index + 1,
      ]);
    }
    const other = tokens[0]!.endsWith('0000') ? '1111' : '0000';
    expect(await generations(`?generation=1&last_four=${other}`)).toEqual([]);
  });

  test.each([
    'generation=0',
    'generation=-1',
    'generation=1.5',
    'generation=9999999999',
    'generation=',
    'generation=1&generation=2',
    'last_four=abc',
    'last_four=abcde',
    'last_four=',
    'last_four=%00%00%00%00',
    'last_four=a%20b%27',
    'last_four=%F0%9F%98%80abc',
    'token=abcd',
  ])('the filter %s is refused', async (query) => {
    const { path } = await create();
    const { status, body } = await service.api.call('GET', `${path}?${query}`);
    expect([status, body.code]).toEqual([422, 'validation_failed']);
  });

  test('a whole token as a filter is refused and not repeated', async () => {
    const { path, token } = await create();
    const answer = await service.api.call('GET', `${path}?last_four=${token}`);
    expect(answer.status).toBe(422);
    expect(answer.text).not.toContain(token.slice(4));
  });

  test("another workspace's tokens are not there", async () => {
    const { path } = await create();
    const stranger = service.clientOf(await service.issueToken(['user-groups:read'], 'strangers'));
    const { status, body } = await stranger.call('GET', `${path}?generation=1`);
    expect([status, body.code]).toEqual([404, 'user_group_not_found']);
  });
});
