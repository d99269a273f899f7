import { UserGroupSnapshots } from '../../src/core/user-group/snapshot/user-group-snapshots.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { passTime } from '../support/time/fake-time.ts';
import { withService } from '../support/test-service.ts';
import { lastAskedBefore, until } from '../support/time/until.ts';

/** Each such call is a question to the database, of which many are open while something changes. */
const UNREMEMBERED = { 'Cache-Control': 'no-cache' };

onEachDatabase((kind) => {
  const service = withService(kind);

  const counts = () => ({ ...service.app.get(UserGroupSnapshots).counts });
  const suspend = (teamId: number, at: string) =>
    changeDatabase(
      service.database,
      `UPDATE user_group SET suspended_at = ${at} WHERE id = ${teamId}`,
    );

  test('a token that has been introspected is answered without asking the database', async () => {
    const { token } = await service.api.create({ properties: { region: 'EMEA' } });
    const first = await service.api.introspect(token);
    // While the machine holds up the process, its lease is lost.
    await until(async () => {
      const before = counts();
      const again = await Promise.all(
        Array.from({ length: 50 }, () => service.api.introspect(token)),
      );
      for (const answer of again) expect(answer).toEqual(first);
      const { hit, miss } = counts();
      return hit - before.hit === again.length && miss === before.miss;
    });
  });

  test('after a rotation was answered the old token is inactive, however much is asked meanwhile', async () => {
    let { token } = await service.api.create();
    const endless = { isOver: false };
    const tokens = [token];
    const asking = Array.from({ length: 12 }, async () => {
      while (!endless.isOver) await service.api.introspect(tokens.at(-1)!, UNREMEMBERED);
    });
    for (let round = 0; round < 60; round++) {
      const next = await service.api.rotate(token);
      tokens.push(next);
      const old = await Promise.all([
        service.api.introspect(token),
        service.api.introspect(token),
        service.api.introspect(token),
      ]);
      expect(old).toEqual([{ active: false }, { active: false }, { active: false }]);
      expect((await service.api.introspect(next)).active).toBe(true);
      token = next;
    }
    endless.isOver = true;
    await Promise.all(asking);
  });

  test('after a write was answered its values are what is introspected', async () => {
    const { id, token } = await service.api.create();
    const endless = { isOver: false };
    const asking = Array.from({ length: 12 }, async () => {
      while (!endless.isOver) await service.api.introspect(token, UNREMEMBERED);
    });
    for (let round = 0; round < 40; round++) {
      const wanted = { name: `name ${round}`, properties: { round }, mapping: { sales: round } };
      await service.api.put({ user_group_id: id, ...wanted });
      expect(await service.api.introspect(token)).toMatchObject(wanted);
    }
    endless.isOver = true;
    await Promise.all(asking);
  });

  test('the end of an overlap is judged at each answer', async () => {
    const { token } = await service.api.create();
    await service.api.rotate(token, 3600);
    expect((await service.api.introspect(token)).active).toBe(true);
    passTime(3_600_000);
    expect(await service.api.introspect(token)).toEqual({ active: false });
  });

  test('an overlap that is revoked ends at once', async () => {
    const { id, token } = await service.api.create();
    const next = await service.api.rotate(token, 3600);
    expect((await service.api.introspect(token)).active).toBe(true);
    const path = `/api/v1/user-groups/${encodeURIComponent(id)}/tokens/1/revoke`;
    expect((await service.api.call('POST', path)).status).toBe(200);
    expect([
      await service.api.introspect(token),
      (await service.api.introspect(next)).active,
    ]).toEqual([{ active: false }, true]);
  });

  test('what nobody announces is seen within a second', async () => {
    const { token, teamId } = await service.api.create();
    expect((await service.api.introspect(token)).active).toBe(true);
    for (const [at, isActive] of [
      ['1', false],
      ['NULL', true],
    ] as const) {
      await suspend(teamId, at);
      const changedAt = performance.now();
      const lastAskedAt = await lastAskedBefore(
        async () => (await service.api.introspect(token)).active === isActive,
      );
      expect(lastAskedAt - changedAt).toBeLessThan(1000);
    }
  });

  if (kind === 'sqlite') {
    test('the first question after another process has committed knows it', async () => {
      const { token, teamId } = await service.api.create();
      expect((await service.api.introspect(token)).active).toBe(true);
      await suspend(teamId, '1');
      expect((await service.api.introspect(token)).active).toBe(false);
    });
  }

  test.each(['no-cache', 'no-store', 'max-age=0', 'foo, NO-CACHE'])(
    'Cache-Control: %s queries the database, and what it says is what is cached',
    async (control) => {
      const { token, teamId } = await service.api.create();
      const introspectFresh = () => service.api.introspect(token, { 'Cache-Control': control });
      expect((await service.api.introspect(token)).active).toBe(true);
      await suspend(teamId, '1');
      expect([await introspectFresh(), await service.api.introspect(token)]).toEqual([
        { active: false },
        { active: false },
      ]);
      await suspend(teamId, 'NULL');
      expect([
        (await introspectFresh()).active,
        (await service.api.introspect(token)).active,
      ]).toEqual([true, true]);
    },
  );

  test('a group that is deleted and made again with its token is found again', async () => {
    const { token, teamId } = await service.api.create();
    expect((await service.api.introspect(token)).active).toBe(true);
    await changeDatabase(
      service.database,
      `INSERT INTO user_group (id, workspace_id, provided_id, name, properties, created_at, updated_at)
         SELECT id + 100000, workspace_id, provided_id || '!', name, properties, created_at, updated_at
         FROM user_group WHERE id = ${teamId};
       UPDATE user_group_token SET user_group_id = ${teamId + 100_000} WHERE user_group_id = ${teamId};
       DELETE FROM user_group WHERE id = ${teamId}`,
    );
    const again = await service.api.introspect(token, { 'Cache-Control': 'no-cache' });
    expect([again.active, (again as unknown as { team_id: number }).team_id]).toEqual([
      true,
      teamId + 100_000,
    ]);
  });

  test('a token is nobody’s in another workspace, also while it is remembered', async () => {
    const { token } = await service.api.create();
    const stranger = service.clientOf(await service.issueToken(['tokens:introspect'], 'strangers'));
    for (let round = 0; round < 3; round++) {
      const [own, foreign] = await Promise.all([
        service.api.introspect(token),
        stranger.call('POST', '/api/v1/introspect', { token }),
      ]);
      expect([own.active, foreign.text]).toEqual([true, '{"active":false}']);
    }
  });
});
