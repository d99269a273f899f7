import { Logger } from '@nestjs/common';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { scopes } from '../../src/platform/common/access/caller.ts';
import { TokenBuckets } from '../../src/platform/common/concurrency/token-buckets.ts';
import { loadConfig } from '../../src/platform/config/load-config.ts';
import { Redis } from '../../src/core/rate-limit/redis.ts';
import { StandardRateLimitStore } from '../../src/core/rate-limit/standard-rate-limit-store.ts';
import type { Answer } from '../support/api/api-client.ts';
import {
  createTestDatabase,
  type DatabaseKind,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { withFrozenBuckets } from '../support/time/frozen-buckets.ts';
import { importGroups } from '../support/api/lines.ts';
import { replaceField } from '../support/time/patience.ts';
import { runCli, startOwnServer, startServer } from '../support/process/processes.ts';
import {
  canStartRedis,
  expiryOf,
  OwnRedis,
  passTimeInRedis,
  redisUrl,
} from '../support/servers/redis.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';
import { freePort } from '../system/lab/ports.mjs';

const SHARED = 'rate limits are shared through Redis';
const AWAY = 'Redis is down: rate limits are counted in this process';
const look = { user_group_id: 'g' };
/** A bucket of ten gets one guess back every six seconds. */
const GUESSES = { AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE: '10', TRUST_PROXY: '1' };

/** On a busy machine Redis may not answer for a while: it is then away for the service, and not for a test. */
const PATIENT_LIMIT_MS = 100_000;
/** Long enough for a Redis that is there, and one call waits for it when Redis stops. */
const OUTAGE_LIMIT_MS = 2000;

const describeWithRedis = redisUrl ? describe : describe.skip;
const describeWithOutages = redisUrl && canStartRedis() ? describe : describe.skip;

describeWithRedis('buckets in a Redis', () => {
  const config = loadConfig({ REDIS_URL: redisUrl });
  let connections: Redis[];
  let one: StandardRateLimitStore;
  let other: StandardRateLimitStore;
  let key: string;

  beforeAll(async () => {
    Logger.overrideLogger(false);
    connections = [await Redis.of(config), await Redis.of(config)];
    for (const redis of connections) replaceField(redis, { responseLimitMs: PATIENT_LIMIT_MS });
    [one, other] = connections.map((redis) => new StandardRateLimitStore(config, redis)) as [
      typeof one,
      typeof one,
    ];
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
    expect(await one.take([bucket], 3)).toMatchObject({
      granted: 3,
      states: [{ remaining: 1, retryMs: 0 }],
    });
    expect(await other.take([bucket], 3)).toMatchObject({ granted: 1, states: [{ remaining: 0 }] });
    const refused = await one.take([bucket], 1);
    expect(refused).toMatchObject({ granted: 0, states: [{ remaining: 0 }] });
    const { resetMs, retryMs } = refused.states[0]!;
    expect(resetMs - retryMs).toBeCloseTo(45_000);
    expect(await expiryOf(redisUrl!, `user-group-service:*${key}`)).toBeLessThanOrEqual(60_000);
    await pass(retryMs);
    expect([
      (await other.take([bucket], 4)).granted,
      (await one.take([bucket], 1)).granted,
    ]).toEqual([1, 0]);
    await pass(45_000);
    expect([
      (await one.take([bucket], 2)).granted,
      (await other.take([bucket], 9)).granted,
    ]).toEqual([2, 1]);
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
    expect(refused).toMatchObject({
      granted: 0,
      states: [{ remaining: 0 }, { remaining: 3, retryMs: 0 }],
    });
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
    let one: TestService;
    let other: TestService;

    beforeAll(async () => {
      database = await createTestDatabase(kind);
      [one, other] = await startTwo(database, {
        REDIS_URL: redisUrl!,
        RATE_LIMIT_PER_MINUTE: '10',
      });
    });

    beforeEach(() => untilShared(one, other));

    afterAll(async () => {
      await Promise.all([one.close(), other.close()]);
      await database.drop();
    });

    test('two services share the limit of an API token', async () => {
      const token = await one.issueToken([...scopes]);
      for (let left = 9; left >= 0; left--) {
        const answer = await (left % 2 ? one : other).clientOf(token).get(look);
        expect([answer.status, leftOf(answer)]).toEqual([404, left]);
        expect(answer.headers['ratelimit-policy']).toBe(
          '"api-token";q=10;w=60, "workspace";q=50;w=60',
        );
      }
      for (const service of [one, other]) {
        const limited = await service.clientOf(token).get(look);
        expect([limited.status, limited.body.code, leftOf(limited)]).toEqual([
          429,
          'rate_limited',
          0,
        ]);
        expect(Number(limited.headers['retry-after'])).toBeGreaterThan(0);
        expect(Number(limited.headers['retry-after'])).toBeLessThanOrEqual(6);
      }
    });

    test('they share the count of a token with that of its successor, and of the lines of its imports', async () => {
      const created = await runCli(database.env, 'token', 'create', '--name', 'r');
      const [, id] = /API token (\d+)/.exec(created.stderr) ?? [];
      const old = one.clientOf(created.stdout.trim());
      expect(leftOf(await old.get(look))).toBe(9);
      const imported = await importGroups(old, ...['a', 'b', 'c'].map(named));
      expect(imported.at(-1)!.summary).toMatchObject({ created: 3 });
      const { body } = await one.api.call('POST', `/api/v1/api-tokens/${id}/rotate`, {});
      const next = other.clientOf(body.api_token.token);
      expect(leftOf(await next.get(look))).toBe(10 - 1 - 4 - 1);
    });

    const named = (user_group_id: string) => ({ user_group_id, name: 'N' });

    test('two services share the count of failed authentications', async () => {
      await untilShared(one, other);
    });
  });

  test('another installation on the same Redis has limits of its own', async () => {
    for (let installation = 0; installation < 2; installation++) {
      const service = await startPatient('sqlite', {
        REDIS_URL: redisUrl!,
        RATE_LIMIT_PER_MINUTE: '2',
      });
      const messages = messagesOf(service.app.get(Redis));
      await until(() => isAsked(service, messages, SHARED));
      const statuses = [];
      for (let i = 0; i < 3; i++) statuses.push((await service.api.get(look)).status);
      expect(statuses).toEqual([404, 404, 429]);
      await service.close();
    }
  });
});

describeWithOutages('when Redis goes away', () => {
  const LIMIT = 200;
  let database: TestDatabase;
  let redis: OwnRedis;
  let one: TestService;
  let other: TestService;
  let messages: string[];
  let messagesOfOther: string[];

  withFrozenBuckets();

  beforeEach(async () => {
    database = await createTestDatabase('sqlite');
    redis = await OwnRedis.start();
    [one, other] = await startTwo(database, {
      REDIS_URL: redis.url,
      RATE_LIMIT_PER_MINUTE: String(LIMIT),
    });
    [messages, messagesOfOther] = [
      messagesOf(one.app.get(Redis)),
      messagesOf(other.app.get(Redis)),
    ];
    await one.api.put({ ...look, name: 'G' });
    await until(() => isAsked(one, messages, SHARED));
    await until(() => isAsked(other, messagesOfOther, SHARED));
  });

  afterEach(async () => {
    await Promise.all([one.close(), other.close()]);
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
      limitAnswers(one, OUTAGE_LIMIT_MS);
      limitAnswers(other, OUTAGE_LIMIT_MS);
      const calls = [callWhileAway(), callWhileAway()];
      await takeAway();
      await Promise.all(calls);

      const statuses: number[] = [];
      while (!statuses.includes(429)) statuses.push((await one.api.get(look)).status);
      expect(new Set(statuses)).toEqual(new Set([200, 429]));
      // A bucket of this service alone.
      expect(statuses.length).toBeGreaterThan(LIMIT / 2);
      expect(statuses.length).toBeLessThanOrEqual(LIMIT + 1);
      expect((await other.api.get(look)).status).toBe(200);
      expect(messages).toEqual([SHARED, AWAY]);

      await bringBack();
      for (const service of [one, other]) limitAnswers(service, PATIENT_LIMIT_MS);
      await until(() => isAsked(one, messages, SHARED, 2));
      await until(() => isAsked(other, messagesOfOther, SHARED, 2));
      await expectShared(one, other);
      expect(messages).toEqual([SHARED, AWAY, SHARED]);
    },
  );

  /** Calls that are under way when Redis goes are answered like the others. */
  async function callWhileAway(): Promise<void> {
    for (let i = 0; i < 20; i++) expect((await other.api.get(look)).status).toBe(200);
  }

  test('a connection that is lost between calls is no outage', async () => {
    await redis.kill();
    await redis.start();
    expect(leftOf(await one.api.get(look))).toBeGreaterThan(0);
    await untilShared(one, other);
    expect(messages).toEqual([SHARED]);
  });
});

describeWithOutages('a process whose limits are in Redis', () => {
  test('ends with 0 at SIGTERM, whether Redis answers or not', async () => {
    const database = await createTestDatabase('sqlite');
    const redis = await OwnRedis.start();
    const env = { ...database.env, REDIS_URL: redis.url, RATE_LIMIT_PER_MINUTE: '10' };
    const servers = await Promise.all([startOwnServer(env), startOwnServer(env)]);
    for (const { api, output } of servers) {
      await until(async () => {
        await api.get(look);
        return output().includes(SHARED);
      });
    }
    const [one, other] = servers;
    expect(await one.stop()).toBe(0);
    redis.pause();
    await other.api.get(look);
    await other.api.get(look);
    expect(await other.stop()).toBe(0);
    await redis.kill();
    await database.drop();
  });
});

describe('a Redis that accepts connections', () => {
  const faults: [string, (socket: Socket) => void][] = [
    ['says nothing', (socket) => socket.resume()],
    ['ends them', (socket) => socket.destroy()],
  ];

  test.each(faults)(
    'and %s is down: no call waits for it, and this is logged once',
    async (_what, misbehave) => {
      let connections = 0;
      const server = createServer((socket) => {
        connections += 1;
        misbehave(socket);
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const redis = await Redis.of(loadConfig({ REDIS_URL: `redis://127.0.0.1:${port}` }));
      const messages = messagesOf(redis);
      const expectRefusal = async () => {
        let refusal: unknown;
        redis
          .eval('return 1', { keys: [], arguments: [] })
          .catch((error: unknown) => (refusal = error));
        await turnsUntil(() => refusal !== undefined);
        expect(refusal).toMatchObject({ message: 'Redis is not connected' });
      };
      // Only the test makes time pass: a call that waits would never end.
      jest.useFakeTimers({
        doNotFake: ['nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'],
      });
      try {
        for (let attempt = 1; attempt <= 3; attempt++) {
          await expectRefusal();
          await turnsUntil(() => connections >= attempt);
          await expectRefusal();
          // The limit of connecting, and then the pause before the next attempt.
          await jest.advanceTimersByTimeAsync(2000);
          await turnsUntil(() => messages.length > 0);
          await jest.advanceTimersByTimeAsync(1000);
        }
        expect([connections, messages]).toEqual([3, [AWAY]]);
      } finally {
        jest.useRealTimers();
        redis.onApplicationShutdown();
        server.close();
      }
    },
  );
});

describeWithOutages('a Redis of its own', () => {
  test('is connected to at the first call that is counted, once, and let go at the end', async () => {
    const redis = await OwnRedis.start();
    try {
      const service = await startPatient('sqlite', {
        REDIS_URL: redis.url,
        RATE_LIMIT_PER_MINUTE: '1000',
      });
      expect(await redis.countClients()).toBe(0);
      await until(async () => {
        await Promise.all(Array.from({ length: 20 }, () => service.api.get(look)));
        return (await redis.countClients()) === 1;
      });
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

  test('the service starts, counts by itself, says so without the password, and ends', async () => {
    const server = await startServer(env);
    expect(server.output()).not.toContain('Redis');
    const statuses = [];
    for (let i = 0; i < 6; i++) statuses.push((await server.api.get(look)).status);
    expect(statuses).toEqual([404, 404, 404, 404, 404, 429]);
    await until(() => server.output().includes(AWAY));
    expect(await server.stop()).toBe(0);
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
function guess({ api }: TestService, from = freshAddress()): Promise<Answer> {
  return api.get(look, { Authorization: 'Token uga_wrong', 'X-Forwarded-For': from });
}

/** Others may have used addresses of an earlier run in the same Redis. */
function freshAddress(): string {
  return `2001:db8:${randomUUID().slice(0, 4)}:${randomUUID().slice(0, 4)}::1`;
}

async function countsInTurn(one: TestService, other: TestService): Promise<number[]> {
  const from = freshAddress();
  return [
    leftOf(await guess(one, from)),
    leftOf(await guess(other, from)),
    leftOf(await guess(one, from)),
  ];
}

async function expectShared(one: TestService, other: TestService): Promise<void> {
  expect(await countsInTurn(one, other)).toEqual([9, 8, 7]);
}

function leftOf({ headers }: Answer): number {
  return Number(/;r=(\d+);/.exec(String(headers['ratelimit']))?.[1]);
}

/** The first calls of a connection are counted in the process, while it is opened. */
async function untilShared(one: TestService, other: TestService): Promise<void> {
  await until(async () => (await countsInTurn(one, other)).join() === '9,8,7');
}

async function startTwo(
  database: TestDatabase,
  env: Record<string, string>,
): Promise<[TestService, TestService]> {
  // The second one has nothing to migrate.
  return [await startPatient(database, env), await startPatient(database, env)];
}

async function startPatient(
  place: DatabaseKind | TestDatabase,
  env: Record<string, string>,
): Promise<TestService> {
  const service = await startTestService(place, { ...env, ...GUESSES });
  limitAnswers(service, PATIENT_LIMIT_MS);
  return service;
}

function limitAnswers({ app }: TestService, responseLimitMs: number): void {
  replaceField(app.get(Redis), { responseLimitMs });
}

/** The messages that a Redis logs from now on. */
function messagesOf(redis: Redis): string[] {
  const messages: string[] = [];
  const note = ({ msg }: { msg: string }) => messages.push(msg);
  replaceField(redis, { logger: { log: note, warn: note } });
  return messages;
}

/** Waits without a clock. @throws if it does not become so */
async function turnsUntil(isSo: () => boolean): Promise<void> {
  for (let turns = 0; !isSo(); turns++) {
    if (turns > 100_000) throw new Error(String(isSo));
    await new Promise(setImmediate);
  }
}

/** Makes a call whose count reaches for Redis. @returns whether it has logged its last message this often by then */
async function isAsked(
  service: TestService,
  messages: string[],
  message: string,
  times = 1,
): Promise<boolean> {
  await guess(service);
  return messages.filter((logged) => logged === message).length >= times;
}
