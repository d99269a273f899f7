import type { Answer } from '../../support/api/api-client.ts';
import { onEachDatabase } from '../../support/database/databases.ts';
import { startTestService, type TestService } from '../../support/test-service.ts';

const GROUPS = 40;

onEachDatabase((kind) => {
  let service: TestService;

  beforeAll(async () => {
    service = await startTestService(kind);
  });

  afterAll(() => service.close());

  const groupOf = (number: number) => ({
    user_group_id: `shared ${number}`,
    name: `Shared ${number}`,
    mapping: { sales: number },
  });

  test('each of many look-ups at once is answered with its own group, or that there is none', async () => {
    const numbers = Array.from({ length: GROUPS }, (_, number) => number);
    const created = await Promise.all(numbers.map((number) => service.api.get(groupOf(number))));
    const answers = await Promise.all(
      numbers.flatMap((number) => [
        service.api.get({ user_group_id: `shared ${number}` }),
        service.api.get(groupOf(number)),
        service.api.get({ user_group_id: `none ${number}` }),
      ]),
    );
    for (const number of numbers) {
      const [plain, whole, none] = answers.slice(number * 3, number * 3 + 3);
      const expected = { ...created[number]!.body, new_user_group: false };
      expect([plain!.body, whole!.body]).toEqual([expected, expected]);
      expect([none!.status, none!.body.code]).toEqual([404, 'user_group_not_found']);
    }
  });

  test('look-ups of two workspaces at once see the groups of their own', async () => {
    const other = service.clientOf(
      await service.issueToken(
        ['user-groups:read', 'user-groups:write', 'user-group-tokens:read'],
        'other',
      ),
    );
    const ids = Array.from({ length: GROUPS }, (_, number) => `both ${number}`);
    for (const id of ids) await service.api.get({ user_group_id: id, name: `here ${id}` });
    for (const id of ids.slice(1)) await other.get({ user_group_id: id, name: `there ${id}` });
    const [here, there] = await Promise.all(
      [service.api, other].map((api) =>
        Promise.all(ids.map((user_group_id) => api.get({ user_group_id }))),
      ),
    );
    const names = (answers: Answer[]) =>
      answers.map(({ status, body }) => (status === 200 ? body.user_group.name : status));
    expect(names(here!)).toEqual(ids.map((id) => `here ${id}`));
    expect(names(there!)).toEqual([404, ...ids.slice(1).map((id) => `there ${id}`)]);
  });

  test('a write that was answered is seen by every look-up that comes after it', async () => {
    const id = 'mine';
    await service.api.get({ user_group_id: id, name: 'round -1' });
    const endless = { isOver: false };
    const others = Array.from({ length: 12 }, async () => {
      while (!endless.isOver) await service.api.get({ user_group_id: id });
    });
    try {
      for (let round = 0; round < 60; round++) {
        const name = `round ${round}`;
        await service.api.put({ user_group_id: id, name });
        const { body } = await service.api.get({ user_group_id: id });
        expect(body.user_group.name).toBe(name);
      }
    } finally {
      endless.isOver = true;
      await Promise.all(others);
    }
  });
});
