import type { Answer } from '../support/api-client.ts';
import { createTestDatabase, onEachDatabase, type TestDatabase } from '../support/databases.ts';
import { runCli, type RunningServer, startServer } from '../support/processes.ts';

onEachDatabase((kind) => {
  let database: TestDatabase;
  let servers: RunningServer[];

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    servers = await Promise.all([startServer(database.env), startServer(database.env)]);
  });

  afterAll(async () => {
    for (const server of servers) expect(await server.stop()).toBe(0);
    await database.drop();
  });

  const api = (index: number) => servers[index % servers.length]!.api;

  test('200 parallel first GETs on two processes make one group with one token', async () => {
    for (let round = 0; round < 5; round++) {
      const answers = await Promise.all(
        Array.from({ length: 200 }, (_, index) =>
          answered(() => api(index).get({ user_group_id: `first ${round}`, name: 'F' })),
        ),
      );
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
      expect(answers.filter(({ body }) => body.new_user_group)).toHaveLength(1);
      expect(new Set(answers.map(({ body }) => body.user_group.token)).size).toBe(1);
    }
  });

  test('100 parallel rotations of one token on two processes have one winner', async () => {
    for (let round = 0; round < 5; round++) {
      const { body: before } = await api(0).get({ user_group_id: `rotated ${round}`, name: 'R' });
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, index) =>
          answered(() => api(index).post({ current_token: before.user_group.token })),
        ),
      );
      const winners = answers.filter(({ status }) => status === 200);
      expect([winners.length, answers.filter(({ status }) => status === 404).length]).toEqual([
        1, 99,
      ]);
      for (const index of [0, 1]) {
        const { body } = await api(index).get({ user_group_id: `rotated ${round}` });
        expect(body.user_group.token).toBe(winners[0]!.body.user_group.token);
      }
    }
  });

  test('a token that the command line revokes is refused by every process within a second', async () => {
    const created = await runCli(database.env, 'token', 'create', '--name', 'to revoke');
    const token = created.stdout.trim();
    const calls = () =>
      Promise.all(
        servers.map((server) =>
          server.api.get({ user_group_id: 'x' }, { Authorization: `Token ${token}` }),
        ),
      );
    expect((await calls()).map(({ status }) => status)).toEqual([404, 404]);
    const listed = await runCli(database.env, 'token', 'list');
    const id = /^(\d+) +to revoke/m.exec(listed.stdout)![1]!;
    await calls();
    await runCli(database.env, 'token', 'revoke', id);
    const revokedAt = performance.now();
    for (;;) {
      const statuses = (await calls()).map(({ status }) => status);
      if (statuses.every((status) => status === 401)) break;
      expect(performance.now() - revokedAt).toBeLessThan(1000);
    }
  });
});

/** Asks again, as a caller would, whom a disk that stands still has kept waiting for too long. */
async function answered(ask: () => Promise<Answer>): Promise<Answer> {
  const answer = await ask();
  return answer.status === 503 ? answered(ask) : answer;
}
