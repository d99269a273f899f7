import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  operator,
  type UserGroupEvent,
  UserGroupEvents,
  UserGroupServiceModule,
  type UserGroupOptions,
  UserGroups,
  type UserGroupSubscription,
} from '../../src/server/library/index.ts';
import { createLog, NestLog } from '../../src/platform/common/log.ts';
import { EventConsumerRepository } from '../../src/features/event/consumer/event-consumer.repository.ts';
import { Config } from '../../src/platform/config/config.ts';
import { statement } from '../../src/platform/database/statement.ts';
import { Statements } from '../../src/platform/database/statements.ts';
import { ChangeRetention } from '../../src/core/change-log/change-retention.ts';
import {
  changeDatabase,
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { openLog } from '../support/jest/leaks.ts';
import { ALL_BUT_THE_CLOCK } from '../support/time/fake-time.ts';
import { letServicesWait } from '../support/time/patience.ts';
import { until } from '../support/time/until.ts';

const LOG = Object.assign(new Config(), { logLevel: 'trace', logFormat: 'json' });
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
/** A lease that ends only when the test says so. */
const LONG_SECONDS = 3600;
const CHILD = join(import.meta.dirname, '..', 'support', 'events', 'event-consumer.mjs');
const caller = operator(1);

const findConsumer = statement<
  { name: string },
  { position: string; leaseOwner: string | null; leaseUntil: number | null }
>(
  'test.find-consumer',
  () => `SELECT position, lease_owner AS "leaseOwner", lease_until AS "leaseUntil"
    FROM event_consumer WHERE name = :name`,
);
const countEvents = statement<object, { count: number }>(
  'test.count-events',
  () => 'SELECT count(*) AS count FROM change_event',
);

const children = new Set<ChildProcess>();
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

onEachDatabase((kind) => {
  let database: TestDatabase;
  const running = new Set<INestApplicationContext>();

  const begin = async () => {
    database = await createTestDatabase(kind);
  };

  const end = async () => {
    await Promise.all([...running].map(stop));
    await database.drop();
  };

  beforeAll(letServicesWait);
  beforeEach(begin);
  afterEach(end);

  async function start(values: UserGroupOptions = {}): Promise<INestApplicationContext> {
    const app = await NestFactory.createApplicationContext(
      UserGroupServiceModule.forRoot({
        databaseUrl: database.env['DATABASE_URL'],
        dataDir: database.env['DATA_DIR'],
        tokenEncryptionKeys: database.env['TOKEN_ENCRYPTION_KEYS'],
        webhookDelivery: false,
        http: false,
        ...values,
      }),
      { logger: new NestLog(await createLog(LOG, openLog())), abortOnError: false },
    );
    running.add(app);
    return app;
  }

  async function stop(app: INestApplicationContext): Promise<void> {
    running.delete(app);
    await app.close();
  }

  const create = (app: INestApplicationContext, ids: string[]) =>
    Promise.all(ids.map((id) => app.get(UserGroups).put(caller, { user_group_id: id, name: 'G' })));
  const idsOf = (events: readonly UserGroupEvent[]) =>
    events.map(({ user_group: group }) => group!.provided_id);
  const names = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, index) => `${prefix}${index}`);
  const find = async (app: INestApplicationContext, name: string) =>
    (await app.get(Statements, { strict: false }).read(findConsumer, { name }))[0]!;

  /** A subscription for new groups that notes their ids in the order in which they are handled. */
  function noting(name: string, more: Partial<UserGroupSubscription> = {}) {
    const handled: string[] = [];
    const subscription: UserGroupSubscription = {
      name,
      types: ['user_group.create'],
      handle: (events) => void handled.push(...idsOf(events)),
      ...more,
    };
    return { handled, subscription };
  }

  test('what is committed from the first subscription on is handled once, in order, by its type', async () => {
    const app = await start();
    await create(app, ['before']);
    const { handled, subscription } = noting('billing');
    await app.get(UserGroupEvents).subscribe(subscription);
    await create(app, ['a']);
    await app.get(UserGroups).put(caller, { user_group_id: 'before', name: 'changed' });
    await create(app, ['b']);
    await until(() => handled.length >= 2);
    await create(app, ['c']);
    await until(() => handled.includes('c'));
    expect(handled).toEqual(['a', 'b', 'c']);
  });

  test('what is committed while nobody is subscribed is handled after a restart, and no more', async () => {
    const { handled, subscription } = noting('billing');
    let app = await start();
    await app.get(UserGroupEvents).subscribe(subscription);
    await create(app, ['a']);
    await until(() => handled.length === 1);
    await stop(app);
    app = await start();
    await create(app, ['b', 'c']);
    const end = await app.get(UserGroupEvents).subscribe(subscription);
    await until(() => handled.length >= 3);
    await end();
    const other = noting('other');
    await app.get(UserGroupEvents).subscribe(other.subscription);
    await create(app, ['d']);
    await until(() => other.handled.includes('d'));
    expect(handled.toSorted()).toEqual(['a', 'b', 'c']);
    await app.get(UserGroupEvents).subscribe(subscription);
    await until(() => handled.length >= 4);
    expect(handled.at(-1)).toBe('d');
  });

  test('two processes handle each event, never both at once, and one goes on when the other ends', async () => {
    const first = await start();
    const second = await start();
    const handledBy: string[] = [];
    const handled: string[] = [];
    let atOnce = 0;
    let most = 0;
    const subscriptionOf = (who: string): UserGroupSubscription => ({
      name: 'billing',
      types: ['user_group.create'],
      leaseSeconds: LONG_SECONDS,
      handle: async (events) => {
        most = Math.max(most, ++atOnce);
        await nextTurn();
        handled.push(...idsOf(events));
        handledBy.push(who);
        atOnce--;
      },
    });
    await first.get(UserGroupEvents).subscribe(subscriptionOf('first'));
    await second.get(UserGroupEvents).subscribe(subscriptionOf('second'));
    for (let turn = 0; turn < 10; turn++) {
      await Promise.all([
        create(first, names(`f${turn}-`, 10)),
        create(second, names(`s${turn}-`, 10)),
      ]);
    }
    await until(() => handled.length >= 200);
    expect([handled.length, new Set(handled).size, most]).toEqual([200, 200, 1]);
    const [holder] = handledBy;
    expect(new Set(handledBy).size).toBe(1);
    // The lease is given back long before it ends.
    await stop(holder === 'first' ? first : second);
    await create(holder === 'first' ? second : first, ['after']);
    await until(() => handled.includes('after'));
    expect(handledBy.at(-1)).not.toBe(holder);
  });

  test('events whose handler fails come again until it does not, and none is left out', async () => {
    const app = await start();
    const tried: { at: number; ids: string[] }[] = [];
    const { handled, subscription } = noting('billing');
    await app.get(UserGroupEvents).subscribe({
      ...subscription,
      handle: (events) => {
        tried.push({ at: performance.now(), ids: idsOf(events) });
        if (tried.length <= 2) return Promise.reject(new Error('the bill cannot be written'));
        handled.push(...idsOf(events));
        return undefined;
      },
    });
    await create(app, ['a']);
    await until(() => tried.length === 1);
    await create(app, ['b']);
    await until(() => handled.length === 2);
    expect(handled).toEqual(['a', 'b']);
    expect(tried.slice(0, 3).every(({ ids }) => ids[0] === 'a')).toBe(true);
    // A second after the first failure, two after the second.
    const pauses = tried.slice(1).map(({ at }, index) => at - tried[index]!.at);
    expect([pauses[0]! > 990, pauses[1]! > 1990]).toEqual([true, true]);
  });

  test('a slow handler keeps its lease, and another takes over when it is not renewed', async () => {
    const first = await start();
    const second = await start();
    // The clock stands still until the test moves it, and so do the timers that renew a lease.
    jest.useFakeTimers({
      doNotFake: ALL_BUT_THE_CLOCK.filter((name) => !name.endsWith('Interval')),
    });
    const looks = jest.spyOn(EventConsumerRepository.prototype, 'find');
    /** Waits until as many processes have looked for the lease twice more. */
    const looked = async (processes: number) => {
      looks.mockClear();
      await until(() => {
        const by = new Map<unknown, number>();
        for (const one of looks.mock.contexts) by.set(one, (by.get(one) ?? 0) + 1);
        return [...by.values()].filter((times) => times >= 2).length === processes;
      });
    };
    const LEASE_MS = 30_000;
    const signals: AbortSignal[] = [];
    const finish: (() => void)[] = [];
    const slow = noting('slow', { leaseSeconds: LEASE_MS / 1000 });
    await first.get(UserGroupEvents).subscribe({
      ...slow.subscription,
      handle: async (events, { signal }) => {
        signals.push(signal);
        await new Promise<void>((resolve) => finish.push(resolve));
        slow.handled.push(...idsOf(events));
      },
    });
    await create(first, ['a']);
    await until(() => finish.length === 1);
    const other = noting('slow', { leaseSeconds: LEASE_MS / 1000 });
    await second.get(UserGroupEvents).subscribe(other.subscription);
    // Until the other has looked after the end of the first lease.
    for (let passedMs = 0; passedMs <= LEASE_MS; passedMs += LEASE_MS / 3) {
      await jest.advanceTimersByTimeAsync(LEASE_MS / 3);
      await until(async () => (await find(first, 'slow')).leaseUntil === Date.now() + LEASE_MS);
    }
    await looked(1);
    finish[0]!();
    await until(() => slow.handled.length === 1);
    expect([other.handled, signals[0]!.aborted]).toEqual([[], false]);

    // Another process has taken over: the handler is told, and the position does not move.
    await create(first, ['b']);
    await until(() => finish.length === 2);
    const { position } = await find(first, 'slow');
    await changeDatabase(
      database,
      `UPDATE event_consumer SET lease_owner = 'another', lease_until = ${Date.now() + LEASE_MS}`,
    );
    await jest.advanceTimersByTimeAsync(LEASE_MS / 3);
    await until(() => signals[1]!.aborted);
    finish[1]!();
    await until(() => slow.handled.length === 2);
    await looked(2);
    expect(await find(first, 'slow')).toMatchObject({ position, leaseOwner: 'another' });
    expect([other.handled, slow.handled]).toEqual([[], ['a', 'b']]);
    // A lease that is longer than any was stored by a clock that was ahead.
    await changeDatabase(
      database,
      `UPDATE event_consumer SET lease_until = ${Date.now() + HOUR_MS}`,
    );
    await until(() => {
      finish[2]?.();
      return other.handled.length + slow.handled.length === 3;
    });
    expect([...other.handled, ...slow.handled.slice(2)]).toEqual(['b']);
    looks.mockRestore();
    jest.useRealTimers();
  });

  test('a process that is killed holds up its consumer until its lease is over, and nothing is lost', async () => {
    const app = await start();
    const lines: { pid: number; begun?: number; ids?: string[] }[] = [];
    const spawnConsumer = async () => {
      const child = spawn(process.execPath, [CHILD], {
        env: { ...database.env, LEASE_SECONDS: String(LONG_SECONDS) },
        stdio: ['pipe', 'pipe', 'inherit'],
      });
      children.add(child);
      createInterface(child.stdout).on('line', (line) => {
        lines.push(JSON.parse(line) as (typeof lines)[number]);
      });
      await until(() => lines.some(({ pid }) => pid === child.pid));
      return child;
    };
    const [first, second] = await Promise.all([spawnConsumer(), spawnConsumer()]);
    await create(app, names('a', 5));
    await until(() => lines.some(({ begun }) => begun !== undefined));
    const holder = lines.find(({ begun }) => begun !== undefined)!.pid;
    const [killed, left] = holder === first.pid ? [first, second] : [second, first];
    const exit = once(killed, 'exit');
    killed.kill('SIGKILL');
    await exit;
    await create(app, names('b', 5));
    left.stdin.write('finish\n');
    const endedAt = Date.now();
    await changeDatabase(database, `UPDATE event_consumer SET lease_until = ${endedAt - 1}`);
    const handled = () => lines.filter(({ pid, begun }) => pid === left.pid && begun !== undefined);
    const expected = [...names('a', 5), ...names('b', 5)];
    await until(() => new Set(handled().flatMap(({ ids }) => ids!)).size === 10);
    // It was killed while it handled them, and so all of them come again.
    expect(
      handled()
        .flatMap(({ ids }) => ids!)
        .toSorted(),
    ).toEqual(expected);
    expect(handled()[0]!.begun).toBeGreaterThanOrEqual(endedAt);
    left.stdin.end();
    await once(left, 'exit');
  });

  test('who comes back later than events are kept is told so, and gets what there is', async () => {
    const app = await start();
    const heard: string[] = [];
    const subscription: UserGroupSubscription = {
      name: 'billing',
      types: ['user_group.create'],
      handle: (events) => void heard.push(...idsOf(events)),
      onGap: () => {
        heard.push('lost');
        if (heard.length === 1) throw new Error('not now');
      },
    };
    let end = await app.get(UserGroupEvents).subscribe(subscription);
    await end();
    await create(app, ['a']);
    await setReached(app, 'billing', Date.now() - 31 * DAY_MS);
    end = await app.get(UserGroupEvents).subscribe(subscription);
    await until(() => heard.includes('a'));
    expect(heard).toEqual(['lost', 'lost', 'a']);
    await end();

    // A position of another database, as after a move.
    await changeDatabase(database, `UPDATE event_consumer SET position = '{"at":${Date.now()}}'`);
    await create(app, ['b']);
    await app.get(UserGroupEvents).subscribe(subscription);
    await until(() => heard.includes('b'));
    expect(heard.slice(3)).toEqual(['lost', 'a', 'b']);
  });

  test('what a consumer has not handled is kept for longer, up to a limit', async () => {
    const app = await start();
    const { handled, subscription } = noting('billing');
    const end = await app.get(UserGroupEvents).subscribe(subscription);
    await end();
    await create(app, ['a']);
    const reached = Date.now() - 8 * DAY_MS;
    await setReached(app, 'billing', reached - HOUR_MS);
    await changeDatabase(database, `UPDATE change_event SET occurred_at = ${reached}`);
    const sweep = () => app.get(ChangeRetention, { strict: false }).sweep();
    const count = async () =>
      (await app.get(Statements, { strict: false }).read(countEvents, {}))[0]!.count;
    expect([await sweep(), (await count()) > 0]).toEqual([0, true]);
    const endAgain = await app.get(UserGroupEvents).subscribe(subscription);
    await until(() => handled.length === 1);
    await endAgain();
    expect([(await sweep()) > 0, await count()]).toEqual([true, 0]);

    await create(app, ['b']);
    await setReached(app, 'billing', Date.now() - 31 * DAY_MS);
    await changeDatabase(database, `UPDATE change_event SET occurred_at = ${reached}`);
    expect([(await sweep()) > 0, await count()]).toEqual([true, 0]);
  });

  test('a subscription that cannot be is refused', async () => {
    const app = await start();
    const events = app.get(UserGroupEvents);
    const { subscription } = noting('billing');
    for (const wrong of [
      { name: '' },
      { name: 'a b' },
      { name: 'x'.repeat(101) },
      { types: ['nothing.*'] },
      { types: [] },
      { leaseSeconds: 0 },
    ]) {
      await expect(events.subscribe({ ...subscription, ...wrong })).rejects.toThrow(TypeError);
    }
    const end = await events.subscribe(subscription);
    await expect(events.subscribe(subscription)).rejects.toThrow('billing is subscribed already');
    await end();
    await events.subscribe(subscription);
  });

  /** As if the consumer had stood there since then. */
  async function setReached(app: INestApplicationContext, name: string, at: number) {
    const position = { ...(JSON.parse((await find(app, name)).position) as object), at };
    await changeDatabase(
      database,
      `UPDATE event_consumer SET position = '${JSON.stringify(position)}' WHERE name = '${name}'`,
    );
  }
});
