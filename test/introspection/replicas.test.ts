import {
  administer,
  createTestDatabase,
  type DatabaseKind,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { importGroups } from '../support/api/lines.ts';
import { runSql } from '../support/keys.ts';
import { type RunningServer, startServer } from '../support/process/processes.ts';
import { lastAskedBefore, until, untilAfter } from '../support/time/until.ts';

const IS_MEASURED = process.env['LONG_TESTS'] !== undefined;

const LISTENERS = `application_name = 'user-group-service listen' AND datname = current_database()`;

/** Replicas share a PostgreSQL. The embedded database may have a second process. */
const PROCESSES: Record<DatabaseKind, number> = { postgres: 3, sqlite: 2 };

onEachDatabase((kind) => {
  let database: TestDatabase;
  let servers: RunningServer[];

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    servers = await Promise.all(
      Array.from({ length: PROCESSES[kind] }, () => startServer(database.env)),
    );
  });

  afterAll(async () => {
    for (const server of servers) expect(await server.stop()).toBe(0);
    await database.drop();
  });

  const writer = () => servers[0]!.api;
  const create = () => writer().create({ name: 'before', mapping: { a: 'b' } });

  const ofGroup = (method: string, id: string, rest = '') =>
    writer().call(method, `/api/v1/user-groups/${encodeURIComponent(id)}${rest}`);

  /** Milliseconds after the change until the last question to any process that got an old response; each is asked all the time. */
  async function timeUntil(
    token: string,
    expected: object,
    change: () => Promise<unknown>,
  ): Promise<number> {
    const asked = servers.map(() => 0);
    const polling = servers.map(({ api }, index) =>
      lastAskedBefore(async () => {
        const found = await api.introspect(token);
        asked[index]!++;
        return isLike(found, expected);
      }),
    );
    await until(() => asked.every((count) => count > 5));
    await change();
    const changedAt = performance.now();
    return Math.max(...(await Promise.all(polling))) - changedAt;
  }

  const changes: [string, object, (id: string, token: string) => Promise<unknown>][] = [
    ['a rotation', { active: false }, (_id, token) => writer().rotate(token)],
    [
      'other properties',
      { properties: { a: 1 } },
      (id) => writer().put({ user_group_id: id, properties: { a: 1 } }),
    ],
    [
      'another mapping',
      { mapping: { a: 'c' } },
      (id) => writer().put({ user_group_id: id, mapping: { a: 'c' } }),
    ],
    ['a suspension', { active: false }, (id) => ofGroup('POST', id, '/suspend')],
    ['a deletion', { active: false }, (id) => ofGroup('DELETE', id)],
    [
      'what an import changes',
      { name: 'imported' },
      (id) => importGroups(writer(), { user_group_id: id, name: 'imported' }),
    ],
    ['another name', { name: 'after' }, (id) => writer().put({ user_group_id: id, name: 'after' })],
  ];

  test.each(changes)('%s is seen by every process within a second', async (_name, seen, change) => {
    const times = [1, 2, 3].map(async () => {
      const { id, token } = await create();
      return timeUntil(token, seen, () => change(id, token));
    });
    for (const time of await Promise.all(times)) expect(time).toBeLessThan(1000);
  });

  test('what the workspace requires is seen by every process within a second', async () => {
    const { token } = await create();
    const require = (required_schemas: string[]) =>
      writer().call('PATCH', '/api/v1/workspace', { required_schemas });
    const [inactive, active] = [{ active: false }, { active: true }];
    expect(await timeUntil(token, inactive, () => require(['x']))).toBeLessThan(1000);
    expect(await timeUntil(token, active, () => require([]))).toBeLessThan(1000);
  });

  test('the end of an overlap is seen by every process within a second', async () => {
    const { id, token } = await create();
    await writer().rotate(token, 3600);
    const revoke = () => ofGroup('POST', id, '/tokens/1/revoke');
    expect(await timeUntil(token, { active: false }, revoke)).toBeLessThan(1000);
  });

  test('a token is active in every process as soon as it is issued', async () => {
    let { token } = await create();
    for (let round = 0; round < 20; round++) {
      token = await writer().rotate(token);
      const answers = await Promise.all(servers.map((server) => server.api.introspect(token)));
      expect(answers.map(({ active }) => active)).toEqual(servers.map(() => true));
    }
  });

  test('a process that is killed as soon as it has answered leaves no old answer behind', async () => {
    const { token } = await create();
    const doomed = await startServer(database.env);
    const rotateThere = async () => {
      const { status } = await doomed.api.post({ current_token: token });
      doomed.process.kill('SIGKILL');
      expect(status).toBe(200);
    };
    expect(await timeUntil(token, { active: false }, rotateThere)).toBeLessThan(1000);
  });

  if (kind === 'postgres') {
    const listeners = async () =>
      (
        await runSql<{ pid: number }>(
          database,
          `SELECT pid FROM pg_stat_activity WHERE ${LISTENERS}`,
        )
      ).length;
    const untilAllListen = () => until(async () => (await listeners()) === servers.length);

    test(`with the channel every process knows ${IS_MEASURED ? 'long before the second is over' : 'within a second'}`, async () => {
      const times: number[] = [];
      for (let round = 0; round < 5; round++) {
        const { token } = await create();
        await Promise.all(servers.map((server) => server.api.introspect(token)));
        await untilAllListen();
        times.push(await timeUntil(token, { active: false }, () => writer().rotate(token)));
      }
      expect(times.sort((a, b) => a - b)[2]).toBeLessThan(IS_MEASURED ? 250 : 1000);
    });

    test('while the channel is cut again and again a rotation is seen within a second, and then it is mended', async () => {
      const endless = { isOver: false };
      const cutting = (async () => {
        while (!endless.isOver) {
          await runSql(
            database,
            `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${LISTENERS}`,
          );
          // Another listener may be back between two of these.
          await untilAfter();
        }
      })();
      for (let round = 0; round < 5; round++) {
        const { token } = await create();
        expect(
          await timeUntil(token, { active: false }, () => writer().rotate(token)),
        ).toBeLessThan(1000);
      }
      endless.isOver = true;
      await cutting;
      await untilAllListen();
    });

    test('a message that is none breaks nothing', async () => {
      const { token } = await create();
      for (const payload of [
        '',
        'x',
        '{}',
        '[[1',
        '{"from":"x","changes":[["a"]]}',
        'é'.repeat(3000),
      ]) {
        await administer(`NOTIFY user_group_changes, '${payload}'`, database.env['DATABASE_URL']);
      }
      for (const server of servers) expect((await server.api.introspect(token)).active).toBe(true);
      expect(servers.map((server) => server.process.exitCode)).toEqual(servers.map(() => null));
    });
  }
});

function isLike(found: object, expected: object): boolean {
  return (
    expect.objectContaining(expected) as { asymmetricMatch: (found: object) => boolean }
  ).asymmetricMatch(found);
}
