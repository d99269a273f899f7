import { operator } from '../../src/common/caller.ts';
import { Transactor } from '../../src/database/transactor.ts';
import { WorkspaceSettingsService } from '../../src/registry/settings/workspace-settings.service.ts';
import { UserGroupRepository } from '../../src/user-group/group/user-group.repository.ts';
import { onEachDatabase, onPostgres } from '../support/databases.ts';
import { soon } from '../support/fake-time.ts';
import { withService } from '../support/test-service.ts';

const CALLS = 40;
const numbers = Array.from({ length: CALLS }, (_, number) => number);

onEachDatabase((kind) => {
  const service = withService(kind);

  test('writes that arrive together are refused one by one', async () => {
    const answers = await Promise.all(
      numbers.map((number) =>
        service.api.put({
          user_group_id: `mixed ${number}`,
          name: number % 4 ? `Name ${number}` : undefined,
        }),
      ),
    );
    for (const [number, { status, body }] of answers.entries()) {
      expect([number, status]).toEqual([number, number % 4 ? 200 : 422]);
      if (status === 200) expect(body.user_group.name).toBe(`Name ${number}`);
    }
    const { body } = await service.api.call('GET', '/api/v1/user-groups?limit=100');
    expect(body.user_groups).toHaveLength(CALLS - CALLS / 4);
  });

  test('rotations that arrive together are refused one by one, and each token differs', async () => {
    const groups = await Promise.all(numbers.map(() => service.api.create()));
    const unknown = (await service.api.create()).token;
    await service.api.rotate(unknown);
    const answers = await Promise.all(
      groups.map(({ token }, number) =>
        service.api.post({ current_token: number % 4 ? token : unknown }),
      ),
    );
    const tokens = new Set<string>();
    for (const [number, { status, body }] of answers.entries()) {
      expect([number, status]).toEqual([number, number % 4 ? 200 : 404]);
      if (status === 200) {
        expect(body.user_group.team_id).toBe(groups[number]!.teamId);
        tokens.add(body.user_group.token);
      }
    }
    expect(tokens.size).toBe(CALLS - CALLS / 4);
  });

  test('one token rotated by its value and by its group at once: each success issues a generation of its own', async () => {
    for (let round = 0; round < 10; round++) {
      const { id, token, path } = await service.api.create();
      const byGroup = () => service.api.call('POST', `${path}/tokens/rotate`, {});
      const byValue = () => service.api.post({ current_token: token });
      const [first, ...others] = await Promise.all([
        Promise.all([byGroup(), byGroup()]),
        byValue(),
        byValue(),
        byValue(),
      ]);
      // Whatever wins the race for the token, a group has always one that can be replaced.
      expect(first.map(({ status }) => status)).toEqual([200, 200]);
      const byValueStatuses = others.map(({ status }) => status).sort();
      expect([
        [200, 404, 404],
        [404, 404, 404],
      ]).toContainEqual(byValueStatuses);
      const rotated = [...first, ...others].filter(({ status }) => status === 200);
      const issued = rotated.map(({ body }) => body.user_group.token);
      expect(new Set(issued).size).toBe(issued.length);
      const { body } = await service.api.get({ user_group_id: id });
      expect(issued).toContain(body.user_group.token);
      const { body: list } = await service.api.call('GET', `${path}/tokens`);
      expect(list.tokens.map(({ generation }) => generation)).toEqual(
        Array.from({ length: issued.length + 1 }, (_, index) => issued.length + 1 - index),
      );
    }
  });
});

onPostgres('a group that another transaction holds', () => {
  const service = withService('postgres');

  test('keeps no other write of its wave waiting, and is written once it is free', async () => {
    const held = await service.api.create();
    const others = await Promise.all(numbers.map(() => service.api.create()));
    const userGroups = service.app.get(UserGroupRepository);
    let waiting: ReturnType<typeof service.api.put> | undefined;
    let isWritten = false;
    await service.app.get(Transactor).run(async (manager) => {
      await userGroups.lockId(manager, { workspaceId: 1, providedId: held.id });
      const writes = [held, ...others].map(({ id }) =>
        service.api.put({ user_group_id: id, name: 'Renamed' }),
      );
      waiting = writes.shift()!.then((answer) => {
        isWritten = true;
        return answer;
      });
      for (const { status } of await Promise.all(writes)) expect(status).toBe(200);
      expect(isWritten).toBe(false);
    });
    expect((await waiting!).body.user_group.name).toBe('Renamed');
  });

  test.each(['deletion', 'write'])(
    'is deleted and written without a deadlock where a quota is locked too, the %s first',
    async (first) => {
      const { id, path } = await service.api.create();
      const settings = service.app.get(WorkspaceSettingsService);
      await settings.setUserGroupQuota(operator(1), 1000);
      const calls = [
        () => service.api.call('DELETE', path),
        () => service.api.put({ user_group_id: id, name: 'Renamed' }),
      ];
      if (first === 'write') calls.reverse();
      const untilWaiting = async (count: number) => {
        const waiting = () =>
          service.query(`SELECT count(*) FROM pg_stat_activity
            WHERE datname = current_database() AND wait_event_type = 'Lock'
            HAVING count(*) = ${count}`);
        expect(await soon(waiting)).toHaveLength(1);
      };
      const userGroups = service.app.get(UserGroupRepository);
      const answers: ReturnType<typeof service.api.call>[] = [];
      await service.app.get(Transactor).run(async (manager) => {
        await userGroups.lockId(manager, { workspaceId: 1, providedId: id });
        for (const call of calls) {
          answers.push(call());
          await untilWaiting(answers.length);
        }
      });
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
      await settings.setUserGroupQuota(operator(1), null);
    },
  );
});
