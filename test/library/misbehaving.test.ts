import { Logger } from '@nestjs/common';
import { Statements } from '../../src/platform/database/statements.ts';
import {
  definePlugin,
  FromEnv,
  KeyProvider,
  type PluginDefinition,
  RateLimitStore,
  UserGroupChangeGuard,
  type UserGroupChangeRequest,
  type UserGroupChangeTransaction,
  UserGroupEvents,
  type UserGroupSubscription,
  UserGroupTokenFormat,
  type Metric,
} from '../../src/server/library/index.ts';
import { Metrics } from '../../src/platform/metrics/metrics.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { ALL_BUT_TIMEOUTS } from '../support/time/fake-time.ts';
import { withFrozenBuckets } from '../support/time/frozen-buckets.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

/** Things that the code of others may do. */
const ODD: [string, () => unknown][] = [
  [
    'throws an error',
    () => {
      throw new Error('odd luck');
    },
  ],
  [
    'throws a text',
    () => {
      // eslint-disable-next-line @typescript-eslint/only-throw-error -- as plugins can
      throw 'odd luck';
    },
  ],
  // eslint-disable-next-line @typescript-eslint/prefer-promise-reject-errors -- as plugins can
  ['rejects with nothing', () => Promise.reject()],
  ['returns null', () => null],
  ['returns a text', () => 'odd'],
  ['returns a list of null', () => [null]],
];
const NAMES = ODD.map(([name]) => name);

const GUARD_LIMIT_MS = 1500;
/** The faked time that has passed. */
let passedMs = 0;

/** Does what the name of a group says. */
class OddGuard extends UserGroupChangeGuard {
  static entered = 0;
  /** The faked time until which a call that hangs is waited for. */
  static hangsUntilMs = 0;
  static release: () => void = () => undefined;
  static late: Promise<unknown> = Promise.resolve();

  override async beforeChange(
    changes: readonly UserGroupChangeRequest[],
    { manager }: UserGroupChangeTransaction,
  ) {
    const names = changes.map(({ after }) => after?.name);
    if (names.includes('hangs')) {
      OddGuard.entered++;
      OddGuard.hangsUntilMs = passedMs + GUARD_LIMIT_MS;
      const released = new Promise<void>((resolve) => (OddGuard.release = resolve));
      // The guard goes on when nothing waits for it any more.
      OddGuard.late = released.then(() => manager.query('SELECT 1'));
      OddGuard.late.catch(() => undefined);
      await OddGuard.late;
    }
    const odd = ODD.find(([name]) => names.includes(name));
    return (odd ? odd[1]() : []) as [];
  }
}

class OddFormat extends UserGroupTokenFormat {
  static make: (() => unknown) | undefined;
  private made = 0;

  override generate(): string {
    return (
      OddFormat.make ? OddFormat.make() : `odd-token-number-${++this.made}-${Math.random()}`
    ) as string;
  }
}

class OddStore extends RateLimitStore {
  static count: () => unknown = () => Promise.resolve({ granted: 1, states: [] });

  override take() {
    return OddStore.count() as Promise<never>;
  }
}

const logged = jest.spyOn(Logger.prototype, 'error');

onEachDatabase((kind) => {
  let service: TestService;
  let other: ReturnType<TestService['clientOf']>;
  let oddMetric: () => unknown = () => 7;

  const metricsOf = ({ app }: TestService) => app.get(Metrics).registry.metrics();
  const linesOf = (msg: string) =>
    logged.mock.calls
      .map(([line]) => line as Record<string, unknown>)
      .filter((line) => line['msg'] === msg);

  beforeAll(async () => {
    const metric = { type: 'gauge', help: 'Odd.' } as const;
    const plugin = definePlugin({
      name: 'odd',
      compatibility: '^0.1.0',
      ports: [
        { provide: UserGroupChangeGuard, useClass: OddGuard },
        { provide: UserGroupTokenFormat, useClass: OddFormat },
      ],
      metrics: () => [
        { ...metric, name: 'odd_one', read: () => oddMetric() as number },
        { ...metric, name: 'odd_two', label: 'kind', read: () => ({ a: 2 }) },
      ],
    });
    service = await startTestService(kind, {}, [plugin]);
    other = service.clientOf(
      await service.issueToken(
        ['user-groups:write', 'user-group-tokens:read', 'tokens:rotate'],
        'other',
      ),
    );
  });

  beforeEach(() => {
    logged.mockClear();
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  afterAll(() => service.close());

  test('a guard that does not return costs its own calls a 503 in time, and nobody else anything', async () => {
    const before = OddGuard.entered;
    jest.useFakeTimers({ doNotFake: [...ALL_BUT_TIMEOUTS] });
    const hanging = ['h1', 'h2', 'h3', 'h4', 'h5'].map((id) =>
      service.api.put({ user_group_id: id, name: 'hangs' }),
    );
    await until(() => OddGuard.entered > before);
    const ready = await service.api.send({ method: 'GET', path: '/health/ready' });
    expect(ready.status).toBe(200);
    const neighbour = other.put({ user_group_id: 'n', name: 'N' });
    // On PostgreSQL another workspace does not even wait.
    if (kind === 'postgres') expect((await neighbour).status).toBe(200);
    const answers = await advancing(Promise.all(hanging));
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      answers.map(() => [503, 'extension_unavailable']),
    );
    expect((await advancing(neighbour)).status).toBe(200);
    jest.useRealTimers();

    OddGuard.release();
    await expect(OddGuard.late).rejects.toThrow('revoked');
    // Nothing of it was stored, and its slot and its connection are free.
    const created = await service.api.get({ user_group_id: 'h1', name: 'H' });
    expect([created.status, created.body.new_user_group]).toEqual([200, true]);
    // The service writes what it has counted every few seconds.
    await until(() => (service.app.get(Statements).poolUsage()?.busy ?? 0) === 0);
    expect(linesOf('an extension call timed out')[0]).toMatchObject({
      extension: 'plugin odd',
      call: 'beforeChange',
    });
    expect(await metricsOf(service)).toMatch(
      /extension_call_duration_seconds_count\{extension="plugin odd",call="beforeChange",result="timed_out"\} [1-9]/,
    );
  });

  test.each(NAMES)('a guard that %s costs its own change a 500', async (name) => {
    const answers = await Promise.all(
      ['neighbour', name].map((one) =>
        service.api.put({ user_group_id: `${one} of ${name}`, name: one }),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 500]);
    expect(answers[1]!.text).not.toContain('odd');
    const [{ err }] = linesOf('internal_error') as [{ err: Error }];
    expect(err.message).toMatch(/^beforeChange of the plugin odd /);
  });

  test.each(ODD)('a token format that %s costs its own creation a 500', async (name, make) => {
    await service.api.put({ user_group_id: 'known', name: 'K' });
    OddFormat.make = make;
    const [created, updated] = await Promise.all([
      service.api.put({ user_group_id: `format ${name}`, name: 'F' }),
      service.api.put({ user_group_id: 'known', name: `K ${name}` }),
    ]);
    OddFormat.make = undefined;
    expect([created.status, updated.status]).toEqual([500, 200]);
    const [{ err }] = linesOf('internal_error') as [{ err: Error }];
    expect(err.message).toMatch(/^generate of the plugin odd /);
  });

  test.each([
    ...ODD,
    ['is no number', () => NaN] as const,
    ['is a promise', () => Promise.resolve(42)] as const,
  ])('a metric that %s is left out, and named in the log once', async (name, read) => {
    oddMetric = read;
    for (const times of [1, 2]) {
      const text = await metricsOf(service);
      expect(text).not.toMatch(/^odd_one /m);
      expect(text).toMatch(/^odd_two\{kind="a"\} 2$/m);
      // Calls are counted after they are exported.
      if (times === 1) continue;
      expect(text).toMatch(/extension="plugin odd",call="odd_one",result="failed"\} [1-9]/);
    }
    // It is the same metric, whatever it does.
    expect(linesOf('a metric cannot be read')).toHaveLength(name === NAMES[0] ? 1 : 0);
    oddMetric = () => 7;
    expect(await metricsOf(service)).toMatch(/^odd_one 7$/m);
  });

  test.each([...ODD, ['hangs', () => new Promise(() => undefined)] as const])(
    'an event handler that %s costs the other handlers nothing',
    async (name, odd) => {
      const events = service.app.get(UserGroupEvents);
      const heard: unknown[] = [];
      const handled: unknown[] = [];
      let attempts = 0;
      const end = [
        events.listen({ name: 'odd', onChange: () => odd() as Promise<void> }),
        events.listen({ name: 'sound', onChange: ({ id }) => void heard.push(id) }),
      ];
      const subscribe = (of: string, handle: UserGroupSubscription['handle'], limitSeconds = 1) =>
        events.subscribe({ name: `${of} ${name}`.replaceAll(' ', '-'), handle, limitSeconds });
      const unsubscribe = [
        await subscribe('odd', () => {
          attempts++;
          return odd() as Promise<void>;
        }),
        await subscribe('sound', (told) => void handled.push(...told.map(({ id }) => id))),
      ];
      const isReturning = name.startsWith('returns');
      await until(async () => {
        await service.api.create();
        return heard.length > 0 && handled.length > 0 && attempts > (isReturning ? 0 : 1);
      });
      for (const stop of end) stop();
      await Promise.all(unsubscribe.map((stop) => stop()));
      if (name === 'hangs') {
        expect(linesOf('an extension call timed out')[0]).toMatchObject({
          extension: 'consumer odd-hangs',
          call: 'handle',
        });
      } else if (!isReturning) {
        expect(linesOf('a listener failed')[0]).toMatchObject({ listener: 'odd' });
      }
    },
  );
});

describe('while a store of rate limits', () => {
  withFrozenBuckets();

  test.each([
    ODD[1]!,
    ODD[3]!,
    ['hangs', () => new Promise(() => undefined)] as const,
    ['leaves out a bucket', () => Promise.resolve({ granted: 1, states: [] })] as const,
  ])('%s, calls are counted in the process', async (_name, count) => {
    OddStore.count = count;
    const ports = [{ provide: RateLimitStore, useClass: OddStore }];
    const limited = await startTestService('sqlite', { RATE_LIMIT_PER_MINUTE: '3' }, [
      definePlugin({ name: 'odd', compatibility: '^0.1.0', ports }),
    ]);
    const path = '/api/v1/audit-events?limit=1';
    const statuses: number[] = [];
    for (let calls = 0; calls < 4; calls++) {
      statuses.push((await limited.api.send({ method: 'GET', path })).status);
    }
    await limited.close();
    expect(statuses).toEqual([200, 200, 200, 429]);
  });
});

describe('what cannot be used ends the start with a line that names it', () => {
  const refused = (more: Partial<PluginDefinition>, env: Record<string, string> = {}) =>
    expect(
      startTestService('sqlite', env, [
        definePlugin({ name: 'odd', compatibility: '^0.1.0', ...more }),
      ]),
    ).rejects;

  test.each(ODD)('a key provider that %s', async (_name, keys) => {
    const ports = [{ provide: KeyProvider, useValue: { keys } }];
    await refused({ ports }).toThrow(/^keys of the plugin odd /);
  });

  test('a key provider that does not return', async () => {
    jest.useFakeTimers({ doNotFake: [...ALL_BUT_TIMEOUTS] });
    let isAsked = false;
    const keys = () => {
      isAsked = true;
      return new Promise(() => undefined);
    };
    const starting = startTestService('sqlite', {}, [
      definePlugin({
        name: 'odd',
        compatibility: '^0.1.0',
        ports: [{ provide: KeyProvider, useValue: { keys } }],
      }),
    ]);
    const refusal = expect(starting).rejects.toThrow(
      'keys of the plugin odd has not returned within 30 s.',
    );
    await until(() => isAsked);
    await jest.advanceTimersByTimeAsync(30_000);
    await refusal;
    jest.useRealTimers();
  });

  test.each(ODD.filter(([name]) => !name.startsWith('returns')))(
    'a reader of a setting that %s',
    async (_name, read) => {
      class Settings {
        @FromEnv('ODD_NUMBER', { about: 'Odd.', read })
        odd = 1;
      }
      await refused({ settings: Settings }, { ODD_NUMBER: '3' }).toThrow(/^ODD_NUMBER /);
    },
  );

  test('settings that cannot be made', async () => {
    class Settings {
      odd = ODD[0]![1]();
    }
    await refused({ settings: Settings }).toThrow(
      'The settings of the plugin odd cannot be used: odd luck.',
    );
  });

  test.each(ODD.filter(([name]) => !name.startsWith('returns')))(
    'a check of settings that %s',
    async (_name, requireConsistent) => {
      class Settings {
        requireConsistent = requireConsistent;
      }
      await refused({ settings: Settings }).toThrow(
        /^(The settings of the plugin odd cannot be used: odd luck|requireConsistent of the plugin odd must return at once)/,
      );
    },
  );

  test.each([
    [() => null, 'metrics of the plugin odd must return a list of metrics.'],
    [ODD[1]![1], 'metrics of the plugin odd has failed: odd luck.'],
    [
      () => [{ type: 'gauge', name: 'event_streams', help: 'Odd.', read: () => 1 }],
      /^The plugin odd cannot have the metric event_streams: the feature events exports it already/,
    ],
    [
      () => [{ type: 'histogram', name: 'odd', help: 'Odd.', buckets: [1], start: ODD[1]![1] }],
      'the metric odd of the plugin odd cannot be exported: odd luck.',
    ],
    [() => [null], /^metrics of the plugin odd /],
  ])('metrics %#', async (metrics, message) => {
    await refused({ metrics: metrics as () => Metric[] }).toThrow(message);
  });
});

/**
 * Lets the faked time pass until the promise is settled: fast while a guard hangs, and otherwise slowly, because the
 * database needs real time. Even so, every wait of the service but its limits ends before `until` gives up.
 */
async function advancing<T>(promise: Promise<T>): Promise<T> {
  let isSettled = false;
  const note = () => (isSettled = true);
  promise.then(note, note);
  await until(async () => {
    const stepMs = passedMs < OddGuard.hangsUntilMs ? 250 : 50;
    if (!isSettled) await jest.advanceTimersByTimeAsync(stepMs);
    passedMs += stepMs;
    return isSettled;
  });
  return promise;
}
