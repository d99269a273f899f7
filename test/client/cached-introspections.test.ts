import { ApiError, CachedIntrospector } from '../../clients/typescript/index.ts';
import shared from '../../clients/python/tests/cached_introspections.json' with { type: 'json' };
import { Ear, settled } from '../support/events/ear.ts';
import { active, FakeEvents, type FakeStream } from '../support/events/fake-events.ts';
import { until } from '../support/time/until.ts';

// The Python client runs the same cases in clients/python/tests/test_cached_introspector.py, where the names of steps are
// explained by what they do. All clocks and timers stand still, but for what a case passes.

const BEAT_MS = 250;

type Step = string | Record<string, unknown>;

interface Case {
  name: string;
  streams?: Step[][];
  options?: { max_entries?: number; stale_ms?: number };
  steps: Step[];
}

interface Question {
  schema?: string;
  repeated?: number;
  is?: object;
  asked: number;
  error?: { status: number | null; code?: string; retry_after?: number };
}

const cases = shared.cases as unknown as Case[];

let service: FakeEvents;
let introspector: CachedIntrospector;
let errors: unknown[];
let fields: Record<string, unknown> | undefined;
let ear: Ear;

beforeEach(async () => {
  jest.useFakeTimers({
    doNotFake: ['hrtime', 'nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'],
    // A whole second, from which `exp_in` counts.
    now: 1_900_000_000_000,
  });
  service = new FakeEvents();
  errors = [];
  fields = undefined;
  ear = new Ear();
  await service.listen();
});

afterEach(() => {
  jest.restoreAllMocks();
  introspector.close();
  service.close();
  jest.useRealTimers();
});

test.each(cases)('$name', async ({ streams = [['open', 'stay']], options = {}, steps }) => {
  service.onStream = (stream, index) => {
    for (const action of streams[Math.min(index, streams.length - 1)]!) act(stream, action);
  };
  service.answer = ({ token }) => meaningOf(token);
  introspector = new CachedIntrospector({
    baseUrl: service.baseUrl,
    apiToken: 'none',
    fetch: ear.fetch,
    onStreamError: (error) => errors.push(error),
    ...(options.max_entries && { maxEntries: options.max_entries }),
    ...(options.stale_ms && { staleIfUnavailableMs: options.stale_ms }),
  });
  for (const step of steps) {
    const [name, value] = typeof step === 'string' ? [step, undefined] : Object.entries(step)[0]!;
    await STEPS[name]!(value as never, step as Record<string, unknown>);
  }
});

/** The response for a token: the group that its number names is active, unless the case says otherwise. */
function meaningOf(token: string): object {
  if (fields?.['active'] === false) return fields;
  const { exp_in: expIn, ...others } = fields ?? {};
  const exp = expIn === undefined ? {} : { exp: Math.floor(Date.now() / 1000) + (expIn as number) };
  return active(token, { ...(/\d/.test(token) ? {} : { team_id: 9 }), ...others, ...exp });
}

/** Lets a stream do one thing. */
function act(stream: FakeStream, action: Step): void {
  const [name, value] =
    typeof action === 'string' ? [action, undefined] : Object.entries(action)[0]!;
  const {
    at,
    age_ms: ageMs = 0,
    ahead_ms: aheadMs = 0,
    id,
  } = Object(value) as Record<string, number>;
  const actions: Record<string, () => void> = {
    open: () => {
      stream.open();
    },
    delay: () => {
      jest.advanceTimersByTime(value as number);
    },
    current: () => {
      if (at !== undefined) stream.send('current', { at, time: new Date().toISOString() });
      else stream.current({ ageMs, time: Date.now() + aheadMs }, id as string | undefined);
    },
    stay: () => {
      stream.stayCurrent(value as string | undefined);
    },
    silent: () => {
      stream.fallSilent();
    },
    change: () => {
      stream.change(...(value as [string, number?, string?]));
    },
    end: () => {
      stream.send('end', { reason: value });
    },
    refuse: () => {
      stream.refuse(value as number);
    },
    write: () => {
      stream.write(value as string);
    },
    cut: () => {
      stream.cut();
    },
  };
  actions[name]!();
}

const STEPS: Record<string, (value: never, step: Record<string, unknown>) => unknown> = {
  follow: () => until(() => introspector.isCurrent),
  read: () => read(),
  close: () => {
    introspector.close();
  },
  closed: () => until(() => service.stream.isClosed),
  back: async () => {
    await until(() => errors.length > 0);
    const before = service.streams.length;
    jest.advanceTimersByTime(500);
    await until(() => service.streams.length > before);
  },
  streams: async (count: number) => {
    await until(() => service.streams.length >= count);
    expect(service.streams).toHaveLength(count);
    await read();
  },
  stream: async (action: Step) => {
    act(service.stream, action);
    if (action !== 'cut') await read();
  },
  answer: (answer: Record<string, unknown> | null) => {
    fields = answer ?? undefined;
  },
  raw: (raw: FakeEvents['raw'] | null) => {
    service.raw = raw ?? undefined;
  },
  pass: async (ms: number) => {
    for (let left = ms; left > 0; left -= BEAT_MS) {
      jest.advanceTimersByTime(Math.min(left, BEAT_MS));
      await read();
    }
  },
  jump: (ms: number) => {
    jest.advanceTimersByTime(ms);
  },
  leap: ([clock, ms]: [string, number]) => {
    leap(clock, ms);
  },
  current: (isCurrent: boolean) => {
    expect(introspector.isCurrent).toBe(isCurrent);
  },
  counts: ([remembered, asked]: [number, number]) => {
    expect(introspector.counts).toEqual({ remembered, asked });
  },
  schemas: (schemas: (string | null)[]) => {
    expect(service.asked.map(({ schema_id: schema }) => schema ?? null)).toEqual(schemas);
  },
  last_event_ids: (ids: (string | null)[]) => {
    expect(service.streams.map(({ lastEventId }) => lastEventId ?? null)).toEqual(ids);
  },
  errors: (count: number) => {
    expect(errors).toHaveLength(count);
  },
  lost: async (count: number) => {
    await until(() => errors.length >= count);
    await settled();
  },
  told: (text: string) => {
    expect(String(errors[0])).toContain(text);
  },
  ask: async (token: string, step) => {
    const { schema, repeated = 1, is = {}, asked, error } = step as unknown as Question;
    const before = service.asked.length;
    const call = introspector.introspect(token.repeat(repeated), schema);
    if (error) {
      const { status, code, retry_after: retryAfter } = error;
      const thrown: unknown = await call.catch((caught: unknown) => caught);
      expect(thrown).toBeInstanceOf(ApiError);
      expect(thrown).toMatchObject({
        status: status ?? undefined,
        ...(code !== undefined && { code }),
        ...(retryAfter !== undefined && { retryAfter }),
      });
    } else {
      expect(await call).toMatchObject(is);
    }
    expect(service.asked.length - before).toBe(asked);
  },
  away: (status: number) => {
    service.onStream = (stream) => {
      stream.refuse(503);
    };
    service.raw = { status, text: '{}' };
    service.stream.fallSilent();
    service.stream.cut();
    jest.advanceTimersByTime(750);
    expect(introspector.isCurrent).toBe(false);
  },
  together: async (tokens: string[], { asked }) => {
    const before = service.asked.length;
    const answers = await Promise.all(tokens.map((token) => introspector.introspect(token)));
    expect(answers).toHaveLength(tokens.length);
    expect(service.asked.length - before).toBe(asked);
  },
  late: async (token: string) => {
    service.answer = () => new Promise<object>(() => undefined);
    const late = introspector.introspect(token).catch((error: unknown) => error);
    await until(() => service.asked.length === 1);
    jest.advanceTimersByTime(1000);
    expect(await late).toMatchObject({ name: 'ApiError', cause: { name: 'TimeoutError' } });
    service.answer = ({ token: asked }) => meaningOf(asked);
  },
  while_asked: (action: Record<string, [string, number]>) => {
    service.answer = async ({ token }) => {
      service.answer = ({ token: later }) => meaningOf(later);
      if (action['leap']) leap(...action['leap']);
      else act(service.stream, action);
      await read();
      return meaningOf(token);
    };
  },
  pauses: async (pauses: number[]) => {
    for (const [losses, ms] of pauses.entries()) {
      await until(() => errors.length === losses + 1);
      jest.advanceTimersByTime(ms / 2 - 1);
      await settled();
      expect(service.streams).toHaveLength(losses + 1);
      jest.advanceTimersByTime(ms / 2 + 1);
      await until(() => service.streams.length === losses + 2);
    }
  },
};

/** Moves one clock, which goes on from there. */
function leap(name: string, ms: number): void {
  const clock: { now: () => number } = name === 'wall' ? Date : performance;
  const now = clock.now.bind(clock);
  jest.spyOn(clock, 'now').mockImplementation(() => now() + ms);
}

/** Until what the service has written has been read. */
const read = () => ear.hasHeard(service.stream);
