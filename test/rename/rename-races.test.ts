import type { Answer, ApiClient } from '../support/api/api-client.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { type RunningServer, startServer } from '../support/process/processes.ts';
import { lastAskedBefore } from '../support/time/until.ts';

const ROUNDS = 12;
/** Calls of each kind in a round. */
const CALLS = 4;

const pathOf = (id: string) => `/api/v1/user-groups/${encodeURIComponent(id)}`;

// Two processes on one database: what one of them does at once takes turns in its own queues.
onEachDatabase((kind) => {
  let database: TestDatabase;
  let servers: RunningServer[];
  let count = 0;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    servers = await Promise.all([startServer(database.env), startServer(database.env)]);
  });

  afterAll(async () => {
    for (const server of servers) expect(await server.stop()).toBe(0);
    await database.drop();
  });

  const api = (index: number): ApiClient => servers[index % servers.length]!.api;
  const newId = () => `race ${++count}`;
  const rename = (index: number, id: string, to: string) =>
    answered(() => api(index).call('POST', `${pathOf(id)}/rename`, { provided_id: to }));
  const create = (index: number, id: string) =>
    answered(() => api(index).put({ user_group_id: id, name: `of ${index}` }));
  const found = async (index: number, id: string) => {
    const { status, body } = await answered(() => api(index).call('GET', pathOf(id)));
    return status === 200 ? body.user_group.team_id : body.renamed_to;
  };
  const times = <T>(work: (index: number) => T): T[] =>
    Array.from({ length: CALLS }, (_, n) => work(n));
  const codes = (answers: Answer[]) =>
    answers.map(({ status, body }) => (body.code as string | undefined) ?? status);

  test('of renames of several groups to one id exactly one is done', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [to, ids] = [newId(), times(() => newId())];
      const teams = await Promise.all(
        ids.map(async (id, n) => (await create(n, id)).body.user_group.team_id),
      );
      const answers = await Promise.all(ids.map((id, n) => rename(n, id, to)));
      const winner = answers.findIndex(({ status }) => status === 200);
      expect(codes(answers)).toEqual(
        answers.map((_, n) => (n === winner ? 200 : 'user_group_id_taken')),
      );
      for (const [n, id] of ids.entries()) {
        expect(await found(n, id)).toBe(n === winner ? to : teams[n]);
      }
      expect(await found(1, to)).toBe(teams[winner]);
    }
  });

  test('of renames of one group to several ids each is done on the state that it finds', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [id, targets] = [newId(), times(() => newId())];
      const team = (await create(0, id)).body.user_group.team_id;
      const answers = await Promise.all(targets.map((to, n) => rename(n, id, to)));
      const winner = answers.findIndex(({ status }) => status === 200);
      expect(codes(answers)).toEqual(
        answers.map((_, n) => (n === winner ? 200 : 'user_group_renamed')),
      );
      expect(await found(0, targets[winner]!)).toBe(team);
    }
  });

  test('of a rename and creations of the new id exactly one is done', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [id, to] = [newId(), newId()];
      const team = (await create(0, id)).body.user_group.team_id;
      const [renamed, ...created] = await Promise.all([
        rename(round, id, to),
        ...times((n) => create(n + round, to)),
      ]);
      expect(codes(created)).toEqual(times(() => 200));
      const teams = new Set(created.map(({ body }) => body.user_group.team_id));
      if (renamed.status === 200) {
        // They have written the group that got the id.
        expect([...teams]).toEqual([team]);
        expect(await found(1, id)).toBe(to);
      } else {
        expect(codes([renamed])).toEqual(['user_group_id_taken']);
        expect(teams.size).toBe(1);
        expect(await found(1, id)).toBe(team);
        expect(teams.has(team)).toBe(false);
      }
    }
  });

  test('writes by the old id come before a rename, or are refused: there is no twin', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [id, to] = [newId(), newId()];
      const team = (await create(0, id)).body.user_group.team_id;
      const [renamed, ...written] = await Promise.all([
        rename(round, id, to),
        ...times((n) => create(n + round, id)),
      ]);
      expect(renamed.status).toBe(200);
      for (const { status, body } of written) {
        if (status === 200) expect(body.user_group.team_id).toBe(team);
        else expect([status, body.code]).toEqual([409, 'user_group_renamed']);
      }
      expect(await found(0, id)).toBe(to);
      expect(await found(1, to)).toBe(team);
      expect(codes([await create(1, id)])).toEqual(['user_group_renamed']);
    }
  });

  test('a rotation comes before a rename, after it by the token, or is refused', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [id, to] = [newId(), newId()];
      const { team_id: team, token } = (await create(0, id)).body.user_group;
      const [renamed, byToken, ...byId] = await Promise.all([
        rename(round, id, to),
        answered(() => api(round + 1).post({ current_token: token })),
        ...times((n) => answered(() => api(n).call('POST', `${pathOf(id)}/tokens/rotate`, {}))),
      ]);
      expect(renamed.status).toBe(200);
      for (const { status, body } of byId) {
        if (status === 200) expect(body.user_group.team_id).toBe(team);
        else expect([status, body.code]).toEqual([409, 'user_group_renamed']);
      }
      expect([200, 404]).toContain(byToken.status);
      const { body } = await api(round).get({ user_group_id: to });
      expect(body.user_group.team_id).toBe(team);
      const issued = [byToken, ...byId, await create(0, to)].map(
        (answer) => (answer.body.user_group as { token: string } | undefined)?.token,
      );
      expect(issued).toContain(body.user_group.token);
    }
  });

  test('of a rename and a deletion exactly one is done', async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const [id, to] = [newId(), newId()];
      const team = (await create(0, id)).body.user_group.team_id;
      const [renamed, deleted] = await Promise.all([
        rename(round, id, to),
        answered(() => api(round + 1).call('DELETE', pathOf(id))),
      ]);
      if (renamed.status === 200) {
        expect(codes([deleted])).toEqual(['user_group_renamed']);
        expect(await found(0, to)).toBe(team);
      } else {
        expect([codes([renamed]), deleted.status]).toEqual([['user_group_not_found'], 200]);
        expect((await create(0, id)).status).toBe(200);
      }
    }
  });

  test('every process knows the new id within a second', async () => {
    const [id, to] = [newId(), newId()];
    const { token } = (await create(0, id)).body.user_group;
    for (const index of [0, 1]) {
      expect(await api(index).introspect(token)).toMatchObject({ active: true, sub: id });
    }
    expect((await rename(0, id, to)).status).toBe(200);
    const renamedAt = performance.now();
    for (const index of [0, 1]) expect(await found(index, id)).toBe(to);
    const subs = () => Promise.all([0, 1].map(async (n) => (await api(n).introspect(token)).sub));
    const lastAskedAt = await lastAskedBefore(async () =>
      (await subs()).every((sub) => sub === to),
    );
    expect(lastAskedAt - renamedAt).toBeLessThan(1000);
  });
});

/** Repeats a call that a busy database has refused, as its response says. */
async function answered(call: () => Promise<Answer>): Promise<Answer> {
  for (;;) {
    const answer = await call();
    if (answer.status !== 503) return answer;
  }
}
