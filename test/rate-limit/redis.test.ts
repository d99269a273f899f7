import { randomUUID } from 'node:crypto';
import { TokenBuckets } from '../../src/common/concurrency/token-buckets.ts';
import { loadConfig } from '../../src/config/load-config.ts';
import { Redis } from '../../src/rate-limit/redis.ts';
import { StandardRateLimitStore } from '../../src/rate-limit/standard-rate-limit-store.ts';
import { type Answer, ApiClient } from '../support/api-client.ts';
import { createTestDatabase, onEachDatabase, type TestDatabase } from '../support/databases.ts';
import { type RunningServer, runCli, startOwnServer, startServer } from '../support/processes.ts';
import { importGroups } from '../support/lines.ts';
import { freePort } from '../system/lab/ports.mjs';
import { canStartRedis, expiryOf, OwnRedis, passTimeInRedis, redisUrl } from '../support/redis.ts';
import { startTestService } from '../support/test-service.ts';
import { until } from '../support/until.ts';

const SHARED = 'rate limits are shared through Redis';
const AWAY = 'Redis is down: rate limits are counted in this process';
const look = { user_group_id: 'g' };
/** A bucket of ten gets one guess back every six seconds. */
const GUESSES = { AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE: '10', TRUST_PROXY: '1' };

// On a machine so busy that Redis has no time to answer, the service rightly takes it for away.
jest.retryTimes(2, { logErrorsBeforeRetry: true });

const describeWithRedis = redisUrl ? describe : describe.skip;
const describeWithOutages = redisUrl && canStartRedis() ? describe : describe.skip;

describeWithRedis('buckets in a Redis', () => {
  const config = loadConfig({ REDIS_URL: redisUrl });
  let connections: Redis[];
  let one: StandardRateLimitStore;
  let other: StandardRateLimitStore;
  let key: string;

  beforeAll(async () => {
    connections = [await Redis.of(config), await Redis.of(config)];
    [one, other] = connections.map((redis) => new StandardRateLimitStore(config, redis)) as [typeof one, typeof one];
    await until(async () => {
      const probe = { key: randomUUID(), perMinute: 3, reserve: 0 };
      return (await one.take([probe], 1)).granted + (await other.take([probe], 3)).granted === 3;
    });
    // From here on only Redis counts.
    jest.spyOn(TokenBuckets.prototype, 'take').mockImplementation(() => {
      throw new Error('counted in the process');
    });
  });

  beforeEach(() => {
    key = randomUUID();
  });

  afterAll(() => {
    jest.restoreAllMocks();
    for (const redis of connections) redis.onApplicationShutdown();
  });

  const pass = (ms: number) => passTimeInRedis(redisUrl!, `user-group-service:*${key}*`, ms);

  test('take nothing after the clock of Redis was set back', async () => {
    const bucket = { key, perMinute: 4, reserve: 0 };
    await one.take([bucket], 1);
    await pass(-3_600_000);
    expect((await other.take([bucket], 1)).granted).toBe(1);
  });

  test('give a burst, and refill continuously for all processes', async () => {
    const bucket = { key, perMinute: 4, reserve: 0 };
    expect(await one.take([bucket], 3)).toMatchObject({ granted: 3, states: [{ remaining: 1, retryMs: 0 }] });
    expect(await other.take([bucket], 3)).toMatchObject({ granted: 1, states: [{ remaining: 0 }] });
    const refused = await one.take([bucket], 1);
    expect(refused).toMatchObject({ granted: 0, states: [{ remaining: 0 }] });
    const { resetMs, retryMs } = refused.states[0]!;
    expect(resetMs - retryMs).toBeCloseTo(45_000);
    expect(await expiryOf(redisUrl!, `user-group-service:*${key}`)).toBeLessThanOrEqual(60_000);
    await pass(retryMs);
    expect([(await other.take([bucket], 4)).granted, (await one.take([bucket], 1)).granted]).toEqual([1, 0]);
    await pass(45_000);
    expect([(await one.take([bucket], 2)).granted, (await other.take([bucket], 9)).granted]).toEqual([2, 1]);
    await pass(3_600_000);
    expect((await other.take([bucket], 9)).granted).toBe(4);
  });

  test('give alike or not at all, and keep a reserve', async () => {
    const small = { key: `${key} small`, perMinute: 2, reserve: 0 };
    const large = { key: `${key} large`, perMinute: 5, reserve: 2 };
    expect(await one.take([small, large], 9)).toMatchObject({
      granted: 2,
      states: [{ remaining: 0 }, { remaining: 3 }],
    });
    const refused = await other.take([small, large], 1);
    expect(refused).toMatchObject({ granted: 0, states: [{ remaining: 0 }, { remaining: 3, retryMs: 0 }] });
    expect((await other.take([large], 9)).granted).toBe(1);
    expect((await one.take([{ ...large, reserve: 0 }], 9)).granted).toBe(2);
  });

  test('are exact for large limits', async () => {
    const bucket = { key, perMinute: 100_000_000, reserve: 0 };
    await one.take([bucket], 100_000_000);
    await pass(30_000);
    const { granted, states } = await one.take([bucket], 49_000_000);
    expect([granted, states[0]!.remaining]).toEqual([49_000_000, expect.any(Number)]);
    const [{ remaining, resetMs }] = states as [(typeof states)[0]];
    expect(remaining / 1e6 + (resetMs * 100) / 60_000).toBeCloseTo(100, 5);
  });
});

describeWithRedis('with a Redis', () => {
  onEachDatabase((kind) => {
    let database: TestDatabase;
    let one: RunningServer;
    let other: RunningServer;

    beforeAll(async () => {
      database = await createTestDatabase(kind);
      const env = { ...database.env, REDIS_URL: redisUrl!, RATE_LIMIT_PER_MINUTE: '10', ...GUESSES };
      [one, other] = await Promise.all([startServer(env), startServer(env)]);
    });

    beforeEach(() => untilShared(one, other));

    afterAll(async () => {
      expect(await Promise.all([one.stop(), other.stop()])).toEqual([0, 0]);
      await database.drop();
    });

    test('two processes share the limit of an API token', async () => {
      const { stdout } = await runCli(database.env, 'token', 'create', '--name', 't');
      const [atOne, atOther] = [one, other].map(({ baseUrl }) => new ApiClient(baseUrl, stdout.trim())) as [
        ApiClient,
        ApiClient,
      ];
      for (let left = 9; left >= 0; left--) {
        const answer = await (left % 2 ? atOne : atOther).get(look);
        expect([answer.status, leftOf(answer)]).toEqual([404, left]);
        expect(answer.headers['ratelimit-policy']).toBe('"api-token";q=10;w=60, "workspace";q=50;w=60');
      }
      for (const api of [atOne, atOther]) {
        const limited = await api.get(look);
        expect([limited.status, limited.body.code, leftOf(limited)]).toEqual([429, 'rate_limited', 0]);
        expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
        expect(Number(limited.headers['retry-after'])).toBeLessThanOrEqual(6);
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
      await expectShared(one, other);
    });
  });

  test('another installation on the same Redis has limits of its own', async () => {
    const databases = await Promise.all([createTestDatabase('sqlite'), createTestDatabase('sqlite')]);
    const servers = await Promise.all(
      databases.map(({ env }) => startServer({ ...env, REDIS_URL: redisUrl!, RATE_LIMIT_PER_MINUTE: '2', ...GUESSES })),
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
    const env = { ...database.env, REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: String(LIMIT), ...GUESSES };
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
      while (!statuses.includes(429) && statuses.length < 3 * LIMIT) statuses.push((await one.api.get(look)).status);
      const tookMs = performance.now() - started;
      expect(tookMs).toBeLessThan(10_000);
      expect(new Set(statuses)).toEqual(new Set([200, 429]));
      // A bucket of this process alone, and what it has gained meanwhile.
      expect(statuses.length).toBeGreaterThan(LIMIT / 2);
      expect(statuses.length - 1).toBeLessThanOrEqual(LIMIT * (1 + tookMs / 60_000) + 1);
      expect((await other.api.get(look)).status).toBe(200);
      expect(timesSaid(one, AWAY)).toBe(1);

      await bringBack();
      await Promise.all([untilSaid(one, SHARED, 2), untilSaid(other, SHARED, 2)]);
      await expectShared(one, other);
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
    expect(server.output()).toMatch(/"level":"warn".*Redis is down.*ECONNREFUSED/);
    expect(server.output()).not.toContain('a-secret-word');
  });

  test('the command line does not ask for it', async () => {
    const { code, stderr, stdout } = await runCli(env, 'workspace', 'list');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('default');
  });
});

/** Failed authentications of each address have a bucket of their own, so that asking does not use up what is tested. */
function guess(server: RunningServer, from = freshAddress()): Promise<Answer> {
  return server.api.get(look, { Authorization: 'Token uga_wrong', 'X-Forwarded-For': from });
}

/** Others may have used addresses of an earlier run in the same Redis. */
function freshAddress(): string {
  return `2001:db8:${randomUUID().slice(0, 4)}:${randomUUID().slice(0, 4)}::1`;
}

async function countsInTurn(one: RunningServer, other: RunningServer): Promise<number[]> {
  const from = freshAddress();
  return [leftOf(await guess(one, from)), leftOf(await guess(other, from)), leftOf(await guess(one, from))];
}

async function expectShared(one: RunningServer, other: RunningServer): Promise<void> {
  expect(await countsInTurn(one, other)).toEqual([9, 8, 7]);
}

function leftOf({ headers }: Answer): number {
  return Number(/;r=(\d+);/.exec(String(headers['ratelimit']))?.[1]);
}

function timesSaid(server: RunningServer, sentence: string): number {
  return server.output().split(sentence).length - 1;
}

/** The first calls of a connection are counted in the process, while it is opened. */
async function untilShared(one: RunningServer, other: RunningServer): Promise<void> {
  await until(async () => (await countsInTurn(one, other)).join() === '9,8,7');
}

async function untilSaid(server: RunningServer, sentence: string, times = 1): Promise<void> {
  while (timesSaid(server, sentence) < times) {
    await guess(server);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
