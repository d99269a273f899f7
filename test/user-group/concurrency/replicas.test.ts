import { randomBytes } from 'node:crypto';
import type { Answer } from '../../support/api/api-client.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../../support/database/databases.ts';
import { noteForeignToken } from '../../support/jest/leaks.ts';
import { importGroups } from '../../support/api/lines.ts';
import { runCli, type RunningServer, startServer } from '../../support/process/processes.ts';
import { lastAskedBefore } from '../../support/time/until.ts';

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

  test('of 40 parallel PUTs of one group on two processes each is a version of it', async () => {
    for (let round = 0; round < 3; round++) {
      const { id, path } = await api(0).create();
      const names = Array.from({ length: 40 }, (_, index) => `name ${index}`);
      const written = await Promise.all(
        names.map((name, index) => answered(() => api(index).put({ user_group_id: id, name }))),
      );
      expect(new Set(written.map(({ status }) => status))).toEqual(new Set([200]));
      const { versions } = (await api(1).call('GET', `${path}/versions?limit=200`))
        .body as unknown as { versions: { version: number; name: string }[] };
      expect(versions.map(({ version }) => version)).toEqual(
        versions.map((_, n, { length }) => length - n),
      );
      // A write whose outcome was unknown is repeated, and may be there twice.
      expect(new Set(versions.map(({ name }) => name))).toEqual(new Set([id, ...names]));
      const shown = await api(0).get({ user_group_id: id });
      expect(shown.body.user_group.name).toBe(versions[0]!.name);
    }
  });

  test.each([
    ['by token', false],
    ['by group', true],
  ])(
    'of 20 calls on two processes with one key %s one is done, and all are answered the same',
    async (how, byGroup) => {
      for (let round = 0; round < 5; round++) {
        const { path, token } = await api(0).create();
        const headers = { 'Idempotency-Key': `${kind} ${how} ${round}`.replaceAll(' ', '-') };
        const answers = await Promise.all(
          Array.from({ length: 20 }, (_, index) =>
            answered(() =>
              byGroup
                ? api(index).call('POST', `${path}/tokens/rotate`, {}, headers)
                : api(index).post({ current_token: token }, headers),
            ),
          ),
        );
        expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).toEqual(
          new Set([`200 ${answers[0]!.text}`]),
        );
        expect((await api(1).call('GET', `${path}/tokens`)).body.tokens).toHaveLength(2);
      }
    },
  );

  test('of two calls on two processes with one key and two tokens one is done, the other refused', async () => {
    for (let round = 0; round < 10; round++) {
      const groups = await Promise.all([api(0).create(), api(1).create()]);
      const headers = { 'Idempotency-Key': `${kind}-two-${round}` };
      const answers = await Promise.all(
        groups.map(({ token }, index) =>
          answered(() => api(index).post({ current_token: token }, headers)),
        ),
      );
      expect(answers.map(({ status, body }) => [status, body.code]).sort()).toEqual([
        [200, undefined],
        [409, 'idempotency_key_reused'],
      ]);
      const lists = await Promise.all(
        groups.map(({ path }) => api(0).call('GET', `${path}/tokens`)),
      );
      expect(lists.map(({ body }) => body.tokens.length).sort()).toEqual([1, 2]);
    }
  });

  test('of two imports on two processes that give one token to two groups one line is refused, and no failure is logged', async () => {
    for (let round = 0; round < 10; round++) {
      const token = `legacy-${randomBytes(19).toString('hex')}`;
      noteForeignToken(token);
      const lines = await Promise.all(
        servers.map((_, index) => {
          const groups = Array.from({ length: 20 }, (_line, n) => ({
            user_group_id: `imported ${round} ${index} ${n}`,
            name: 'I',
            ...(n === 9 && { token }),
          }));
          return importGroups(api(index), ...groups);
        }),
      );
      const refused = lines.flat().filter(({ success }) => success === 0);
      expect(refused.map(({ line, code }) => [line, code])).toEqual([[10, 'token_not_usable']]);
      expect(
        lines.map((all) => all.filter(({ result }) => result === 'created').length).sort(),
      ).toEqual([19, 20]);
    }
    for (const { output } of servers) expect(output()).not.toContain('a shared write has failed');
  });

  test('of the creators on two processes as many succeed as the quota has room for, also beside deletions', async () => {
    expect((await runCli(database.env, 'workspace', 'create', 'limited')).code).toBe(0);
    const created = await runCli(
      database.env,
      'token',
      'create',
      '--name',
      'quota',
      '--workspace',
      'limited',
    );
    const own = servers.map(({ apiOf }) => apiOf(created.stdout.trim()));
    const on = (index: number) => own[index % own.length]!;
    const QUOTA = 40;
    expect(
      (
        await runCli(
          database.env,
          'workspace',
          'update',
          'limited',
          '--user-group-quota',
          String(QUOTA),
        )
      ).code,
    ).toBe(0);
    const counts = async () => {
      const { stdout } = await runCli(database.env, 'workspace', 'list');
      return Number(/^\d+ +limited .* (\d+) *$/m.exec(stdout)![1]);
    };
    const create = (index: number, id: string) =>
      answered(() => on(index).put({ user_group_id: id, name: 'Q' }));
    const ids = async () =>
      (await on(0).call('GET', '/api/v1/user-groups?limit=200')).body.user_groups.map(
        ({ provided_id }) => provided_id,
      );

    const first = await Promise.all(
      Array.from({ length: 3 * QUOTA }, (_, index) => create(index, `first ${index}`)),
    );
    const statuses = first.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(QUOTA);
    expect(statuses.filter((status) => status === 409)).toHaveLength(2 * QUOTA);
    expect([(await ids()).length, await counts()]).toEqual([QUOTA, QUOTA]);

    const removed = (await ids()).slice(0, QUOTA / 2);
    const untilCreated = async (index: number): Promise<number> => {
      const { status } = await create(index, `later ${index}`);
      expect([200, 409]).toContain(status);
      return status === 200 ? status : untilCreated(index);
    };
    const later = await Promise.all([
      ...removed.map((_, index) => untilCreated(index)),
      ...removed.map(async (id, index) => {
        const path = `/api/v1/user-groups/${encodeURIComponent(id)}`;
        return (await answered(() => on(index).call('DELETE', path))).status;
      }),
    ]);
    expect(later).toEqual(Array(QUOTA).fill(200));
    expect([(await ids()).length, await counts()]).toEqual([QUOTA, QUOTA]);
    expect((await create(0, 'beyond')).status).toBe(409);
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
    const lastAskedAt = await lastAskedBefore(async () =>
      (await calls()).every(({ status }) => status === 401),
    );
    expect(lastAskedAt - revokedAt).toBeLessThan(1000);
  });
});

/** Asks again, as a caller would, whom a disk that stands still has kept waiting for too long. */
async function answered(ask: () => Promise<Answer>): Promise<Answer> {
  const answer = await ask();
  return answer.status === 503 ? answered(ask) : answer;
}
