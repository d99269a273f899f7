import type { EntityManager } from 'typeorm';
import { operator, scopes } from '../../../src/platform/common/access/caller.ts';
import { Transactor } from '../../../src/platform/database/transactor.ts';
import { WorkspaceSettingsService } from '../../../src/features/registry/settings/workspace-settings.service.ts';
import type { Answer } from '../../support/api/api-client.ts';
import { onEachDatabase, onPostgres } from '../../support/database/databases.ts';
import { stopTimeLimits } from '../../support/time/fake-time.ts';
import { withService } from '../../support/test-service.ts';
import { soon } from '../../support/time/until.ts';

const CALLS = 40;
const numbers = Array.from({ length: CALLS }, (_, number) => number);

onEachDatabase((kind) => {
  const service = withService(kind);

  beforeEach(stopTimeLimits);

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

  test('a write that is refused for any reason leaves the others of its wave as they would be without it', async () => {
    const writers = service.clientOf(
      await service.issueToken(
        ['user-groups:read', 'user-groups:write', 'user-group-tokens:read'],
        'refusals',
      ),
    );
    const owner = service.clientOf(await service.issueToken([...scopes], 'refusals'));
    const unreadable = await owner.create();
    const required = {
      variables: [{ name: 'region', type: 'string', required: true }],
      mapping_policy: 'registered',
    };
    expect((await owner.call('PATCH', '/api/v1/workspace', required)).status).toBe(200);
    const group = (id: string) => ({ user_group_id: id, name: id, properties: { region: 'EU' } });
    const refused: (() => Promise<Answer>)[] = [
      () => writers.put({ ...group('lacks a property'), properties: {} }),
      () => writers.put({ ...group('names an unknown schema'), mapping: { unknown: 'x' } }),
      () =>
        writers.call(
          'PUT',
          unreadable.path,
          { name: 'x', properties: { region: 'EU' } },
          { 'If-Match': '"0"' },
        ),
      () => writers.call('DELETE', '/api/v1/user-groups/absent'),
      () => writers.call('POST', `${unreadable.path}/tokens/rotate`, {}),
      () => service.clientOf('uga_unknown').put(group('of a stranger')),
    ];
    for (let round = 0; round < 3; round++) {
      const answers = await Promise.all(
        numbers.map((number) =>
          number % 4
            ? writers.put(group(`kept ${round} ${number}`))
            : refused[(number / 4) % refused.length]!(),
        ),
      );
      expect(answers.map(({ status }) => status)).toEqual(
        numbers.map((number) =>
          number % 4 ? 200 : [422, 422, 412, 404, 403, 401][(number / 4) % refused.length],
        ),
      );
    }
    const { body } = await owner.call('GET', '/api/v1/user-groups?limit=200');
    expect(body.user_groups).toHaveLength(3 * (CALLS - CALLS / 4) + 1);
    const audit = await owner.call('GET', '/api/v1/audit-events?limit=200&types=user_group.create');
    expect(audit.body.audit_events).toHaveLength(3 * (CALLS - CALLS / 4) + 1);
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
      // A group always has a token that can be replaced, whichever call wins the race for the token.
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

const hold = (manager: EntityManager, id: string) =>
  manager.query('SELECT id FROM user_group WHERE provided_id = $1 FOR NO KEY UPDATE', [id]);

onPostgres('a group that another transaction holds', () => {
  const service = withService('postgres');

  beforeEach(stopTimeLimits);

  test('keeps no other write of its wave waiting, and is written once it is free', async () => {
    const held = await service.api.create();
    const others = await Promise.all(numbers.map(() => service.api.create()));
    let waiting: ReturnType<typeof service.api.put> | undefined;
    let isWritten = false;
    await service.app.get(Transactor).run(async (manager) => {
      await hold(manager, held.id);
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

  const untilWaiting = async () => {
    const waiting = () =>
      service.query(`SELECT count(*) FROM pg_stat_activity
        WHERE datname = current_database() AND wait_event_type = 'Lock' HAVING count(*) = 1`);
    expect(await soon(waiting)).toHaveLength(1);
  };

  test('keeps no other waiting where a quota is locked too, while its deletion waits', async () => {
    const { id, path } = await service.api.create();
    const settings = service.app.get(WorkspaceSettingsService);
    await settings.setUserGroupQuota(operator(1), 1000);
    let deletion: ReturnType<typeof service.api.call> | undefined;
    await service.app.get(Transactor).run(async (manager) => {
      // A write that is about to be counted has these, and the row of its workspace next.
      await manager.query(
        `SELECT t.generation FROM user_group_token t JOIN user_group g ON g.id = t.user_group_id
         WHERE g.provided_id = $1 FOR UPDATE OF t`,
        [id],
      );
      deletion = service.api.call('DELETE', path);
      await untilWaiting();
      await manager.query('SELECT id FROM workspace WHERE id = 1 FOR NO KEY UPDATE NOWAIT');
    });
    expect((await deletion!).status).toBe(200);
    await settings.setUserGroupQuota(operator(1), null);
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
      const answers: ReturnType<typeof service.api.call>[] = [];
      await service.app.get(Transactor).run(async (manager) => {
        await hold(manager, id);
        for (const call of calls) {
          answers.push(call());
          await untilWaiting();
        }
      });
      expect((await Promise.all(answers)).map(({ status }) => status)).toEqual([200, 200]);
      await settings.setUserGroupQuota(operator(1), null);
    },
  );
});
