import { type Answer, ApiClient } from '../support/api-client.ts';
import { createTestDatabase, onEachDatabase, type TestDatabase } from '../support/databases.ts';
import { type RunningServer, runCli, startOwnServer, startServer } from '../support/processes.ts';
import { importGroups } from '../support/lines.ts';
import { freePort } from '../../scripts/lab/ports.mjs';
import { canStartRedis, OwnRedis, redisUrl } from '../support/redis.ts';
import { startTestService } from '../support/test-service.ts';

const SHARED = 'rate limits are shared through Redis';
const AWAY = 'Redis is away: rate limits are counted in this process';
const look = { user_group_id: 'g' };

// On a machine so busy that Redis has no time to answer, the service rightly takes it for away.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

const describeWithRedis = redisUrl ? describe : describe.skip;
const describeWithOutages = redisUrl && canStartRedis() ? describe : describe.skip;

describeWithRedis('with a Redis', () => {
  onEachDatabase((kind) => {
    let database: TestDatabase;
    let one: RunningServer;
    let other: RunningServer;

    beforeAll(async () => {
      database = await createTestDatabase(kind);
      const env = {
        ...database.env,
        REDIS_URL: redisUrl!,
        RATE_LIMIT_PER_MINUTE: '10',
        FAILED_AUTHENTICATIONS_PER_MINUTE: '1000',
      };
      [one, other] = await Promise.all([startServer(env), startServer(env)]);
    });

    beforeEach(() => untilShared(one, other));

    afterAll(async () => {
      expect(await Promise.all([one.stop(), other.stop()])).toEqual([0, 0]);
      await database.drop();
    });

    test('two processes share the limit of an API token', async () => {
      const { stdout } = await runCli(database.env, 'token', 'create', '--name', 't');
      const [atOne, atOther] = [one, other].map(
        ({ baseUrl }) => new ApiClient(baseUrl, stdout.trim()),
      ) as [ApiClient, ApiClient];
      for (let left = 9; left >= 0; left--) {
        const answer = await (left % 2 ? atOne : atOther).get(look);
        expect([answer.status, leftOf(answer)]).toEqual([404, left]);
        expect(answer.headers['ratelimit-policy']).toBe(
          '"api-token";q=10;w=60, "workspace";q=50;w=60',
        );
      }
      for (const api of [atOne, atOther]) {
        const limited = await api.get(look);
        expect([limited.status, limited.body.code, leftOf(limited)]).toEqual([
          429,
          'rate_limited',
          0,
        ]);
        expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
        expect(Number(limited.headers['retry-after'])).toBeLessThanOrEqual(60);
      }
    });

    test('they share the count of a token with that of its successor, and of the lines of its imports', async () => {
      const created = await runCli(database.env, 'token', 'create', '--name', 'r');
      const [, id] = /API token (\d+)/.exec(created.stderr) ?? [];
      const old = new ApiClient(one.baseUrl, created.stdout.trim());
      expect(leftOf(await old.get(look))).toBe(9);
      const imported = await importGroups(old, ...['a', 'b', 'c'].map(named));
      expect(imported.at(-1)!.summary).toMatchObject({ created: 3 });
      const rotated = await runCli(database.env, 'token', 'rotate', id!);
      const next = new ApiClient(other.baseUrl, rotated.stdout.trim());
      expect(leftOf(await next.get(look))).toBe(10 - 1 - 4 - 1);
    });

    const named = (user_group_id: string) => ({ user_group_id, name: 'N' });

    test('two processes share the count of failed authentications', async () => {
      const before = leftOf(await guess(one));
      expect(leftOf(await guess(other))).toBe(before - 1);
      expect(leftOf(await guess(one))).toBe(before - 2);
    });
  });

  test('another installation on the same Redis has limits of its own', async () => {
    const databases = await Promise.all([
      createTestDatabase('sqlite'),
      createTestDatabase('sqlite'),
    ]);
    const servers = await Promise.all(
      databases.map(({ env }) =>
        startServer({
          ...env,
          REDIS_URL: redisUrl!,
          RATE_LIMIT_PER_MINUTE: '2',
          FAILED_AUTHENTICATIONS_PER_MINUTE: '1000',
        }),
      ),
    );
    for (const server of servers) {
      await untilSaid(server, SHARED);
      const statuses = [];
      for (let i = 0; i < 3; i++) statuses.push((await server.api.get(look)).status);
      expect(statuses).toEqual([404, 404, 429]);
    }
    await Promise.all(servers.map((server) => server.stop()));
    await Promise.all(databases.map((database) => database.drop()));
  });
});

describeWithOutages('when Redis goes away', () => {
  const LIMIT = 200;
  let database: TestDatabase;
  let redis: OwnRedis;
  let one: RunningServer;
  let other: RunningServer;

  beforeEach(async () => {
    database = await createTestDatabase('sqlite');
    redis = await OwnRedis.start();
    const env = {
      ...database.env,
      REDIS_URL: redis.url,
      RATE_LIMIT_PER_MINUTE: String(LIMIT),
      FAILED_AUTHENTICATIONS_PER_MINUTE: '100000',
    };
    [one, other] = await Promise.all([startOwnServer(env), startOwnServer(env)]);
    await one.api.put({ ...look, name: 'G' });
    await Promise.all([untilSaid(one, SHARED), untilSaid(other, SHARED)]);
  });

  afterEach(async () => {
    await Promise.all([one.stop('SIGKILL'), other.stop('SIGKILL')]);
    await redis.kill();
    await database.drop();
  });

  const outages: [string, () => Promise<void>, () => Promise<void>][] = [
    ['is killed', () => redis.kill(), () => redis.start()],
    [
      'stops answering',
      () => {
        redis.pause();
        return Promise.resolve();
      },
      () => {
        redis.resume();
        return Promise.resolve();
      },
    ],
  ];

  test.each(outages)(
    'when it %s, calls go on and are limited in each process, until it is back',
    async (_how, takeAway, bringBack) => {
      await one.api.get(look);
      const calls = [callWhileAway(), callWhileAway()];
      await takeAway();
      await Promise.all(calls);

      // A wait for each of them would be more than 20 seconds.
      const started = performance.now();
      const statuses: number[] = [];
      for (let i = 0; i < LIMIT + 10; i++) statuses.push((await one.api.get(look)).status);
      expect(performance.now() - started).toBeLessThan(10_000);
      expect(statuses.indexOf(429)).toBeGreaterThan(LIMIT / 2);
      expect(new Set(statuses)).toEqual(new Set([200, 429]));
      expect((await other.api.get(look)).status).toBe(200);
      expect(timesSaid(one, AWAY)).toBe(1);

      await bringBack();
      await Promise.all([untilSaid(one, SHARED, 2), untilSaid(other, SHARED, 2)]);
      const left = leftOf(await guess(one));
      expect(leftOf(await guess(other))).toBe(left - 1);
      expect(leftOf(await guess(one))).toBe(left - 2);
      expect(timesSaid(one, AWAY)).toBe(1);
    },
  );

  /** Calls that are under way when Redis goes are answered like the others. */
  async function callWhileAway(): Promise<void> {
    for (let i = 0; i < 20; i++) {
      const started = performance.now();
      expect((await other.api.get(look)).status).toBe(200);
      expect(performance.now() - started).toBeLessThan(3000);
    }
  }

  test('a connection that is lost between calls is no outage', async () => {
    await redis.kill();
    await redis.start();
    const left = leftOf(await one.api.get(look));
    expect(left).toBeGreaterThan(0);
    await untilShared(one, other);
    expect([timesSaid(one, AWAY), timesSaid(one, SHARED)]).toEqual([0, 1]);
  });

  test('SIGTERM ends the process with 0, whether Redis answers or not', async () => {
    expect(await one.stop()).toBe(0);
    redis.pause();
    await guess(other);
    await guess(other);
    expect(await other.stop()).toBe(0);
  });
});

describeWithOutages('a Redis of its own', () => {
  test('is connected to at the first call that is counted, once, and let go at the end', async () => {
    const redis = await OwnRedis.start();
    try {
      const env = { REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '1000' };
      const service = await startTestService('sqlite', env);
      expect(await redis.countClients()).toBe(0);
      await Promise.all(Array.from({ length: 20 }, () => service.api.get(look)));
      await until(async () => (await redis.countClients()) === 1);
      await service.close();
      await until(async () => (await redis.countClients()) === 0);
    } finally {
      await redis.kill();
    }
  });
});

describe('without the Redis that REDIS_URL names', () => {
  let env: Record<string, string>;
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase('sqlite');
    const redis = `redis://:a-secret-word@127.0.0.1:${await freePort()}`;
    env = { ...database.env, REDIS_URL: redis, RATE_LIMIT_PER_MINUTE: '5' };
  });

  afterAll(() => database.drop());

  test('the service starts, counts by itself, says so once without the password, and ends', async () => {
    const server = await startServer(env);
    expect(server.output()).not.toContain('Redis');
    const statuses = [];
    for (let i = 0; i < 6; i++) statuses.push((await server.api.get(look)).status);
    expect(statuses).toEqual([404, 404, 404, 404, 404, 429]);
    await untilSaid(server, AWAY);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    await server.api.get(look);
    expect(await server.stop()).toBe(0);
    expect(timesSaid(server, AWAY)).toBe(1);
    expect(server.output()).toMatch(/"level":"warn".*Redis is away.*ECONNREFUSED/);
    expect(server.output()).not.toContain('a-secret-word');
  });

  test('the command line does not ask for it', async () => {
    const { code, stderr, stdout } = await runCli(env, 'workspace', 'list');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('default');
  });
});

/** Failed authentications have a bucket of their own, so that asking does not use up what is tested. */
function guess(server: RunningServer): Promise<Answer> {
  return server.api.get(look, { Authorization: 'Token uga_wrong' });
}

function leftOf({ headers }: Answer): number {
  return Number(/;r=(\d+);/.exec(String(headers['ratelimit']))?.[1]);
}

function timesSaid(server: RunningServer, sentence: string): number {
  return server.output().split(sentence).length - 1;
}

/** The first calls of a connection are counted in the process, while it is opened. */
async function untilShared(one: RunningServer, other: RunningServer): Promise<void> {
  await until(async () => leftOf(await guess(one)) - 1 === leftOf(await guess(other)));
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
}

async function untilSaid(server: RunningServer, sentence: string, times = 1): Promise<void> {
  while (timesSaid(server, sentence) < times) {
    await guess(server);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
