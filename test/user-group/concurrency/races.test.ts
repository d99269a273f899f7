import { onEachDatabase } from '../../support/database/databases.ts';
import { withService } from '../../support/test-service.ts';
import { stopTimeLimits } from '../../support/time/fake-time.ts';

beforeEach(() => stopTimeLimits());

onEachDatabase((kind) => {
  const service = withService(kind);

  test('200 parallel first GETs of one id make one group with one token', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, () => service.api.get({ user_group_id: 'first', name: 'First' })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(200).fill(200));
    expect(answers.filter(({ body }) => body.new_user_group)).toHaveLength(1);
    expect(new Set(answers.map(({ body }) => body.user_group.token)).size).toBe(1);
    expect(new Set(answers.map(({ body }) => body.user_group.team_id)).size).toBe(1);
  });

  test('100 parallel rotations of one token have one winner', async () => {
    const { body: before } = await service.api.get({ user_group_id: 'rotated', name: 'R' });
    const answers = await Promise.all(
      Array.from({ length: 100 }, () =>
        service.api.post({ current_token: before.user_group.token }),
      ),
    );
    const winners = answers.filter(({ status }) => status === 200);
    const losers = answers.filter(({ status }) => status === 404);
    expect([winners.length, losers.length]).toEqual([1, 99]);
    const { body: after } = await service.api.get({ user_group_id: 'rotated' });
    expect(after.user_group.token).toBe(winners[0]!.body.user_group.token);
  });

  test('100 parallel callers of different kinds never see an error or a half change', async () => {
    const ids = Array.from({ length: 10 }, (_, index) => `mixed ${index}`);
    for (const id of ids) {
      await service.api.put({ user_group_id: id, name: '0', properties: { v: '0' } });
    }
    const calls = Array.from({ length: 100 }, async (_, caller) => {
      const id = ids[caller % ids.length]!;
      const version = String(caller);
      if (caller % 3 === 0) {
        return service.api.put({ user_group_id: id, name: version, properties: { v: version } });
      }
      if (caller % 3 === 1) return service.api.get({ user_group_id: id });
      const { body } = await service.api.get({ user_group_id: id });
      const answer = await service.api.post({ current_token: body.user_group.token });
      // It may lose against another rotation of the same group; nothing else may fail.
      return answer.body.code === 'token_not_found' ? undefined : answer;
    });
    const answers = (await Promise.all(calls)).filter((answer) => answer !== undefined);
    expect(answers.filter(({ status }) => status !== 200)).toEqual([]);
    const rows = await service.query<{ name: string; properties: string }>(
      `SELECT name, properties FROM user_group WHERE provided_id LIKE 'mixed %'`,
    );
    for (const { name, properties } of rows) expect(JSON.parse(properties)).toEqual({ v: name });
    const current = await service.query(
      'SELECT user_group_id FROM user_group_token WHERE retired_at IS NULL GROUP BY user_group_id HAVING count(*) <> 1',
    );
    expect(current).toEqual([]);
  });
});
