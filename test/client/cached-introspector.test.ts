import { setImmediate } from 'node:timers/promises';
import {
  CachedIntrospector,
  type CachedIntrospectorOptions,
} from '../../clients/typescript/index.ts';
import { active, FakeEvents, type FakeStream } from '../support/events/fake-events.ts';
import { until } from '../support/time/until.ts';

// A fake service does, on command, things that the real one does seldom or never. All clocks and timers stand still,
// but for what a test passes, so that nothing depends on how long the machine takes.
// cached-introspector-processes.test.ts follows the real one.

const BEAT_MS = 250;

let service: FakeEvents;
let introspector: CachedIntrospector;
let errors: unknown[];

beforeEach(begin);
afterEach(end);

async function begin(): Promise<void> {
  jest.useFakeTimers({
    doNotFake: ['hrtime', 'nextTick', 'queueMicrotask', 'setImmediate', 'clearImmediate'],
  });
  service = new FakeEvents();
  errors = [];
  await service.listen();
}

function end(): void {
  jest.restoreAllMocks();
  introspector.close();
  service.close();
  jest.useRealTimers();
}

function connect(options: Partial<CachedIntrospectorOptions> = {}): void {
  introspector = new CachedIntrospector({
    baseUrl: service.baseUrl,
    apiToken: 'none',
    fetch: countingFetch,
    onStreamError: (error) => errors.push(error),
    ...options,
  });
}

async function connectAndFollow(options: Partial<CachedIntrospectorOptions> = {}): Promise<void> {
  connect(options);
  await until(() => introspector.isCurrent);
}

/** The number of requests that reach the service for this token now. */
async function asked(token: string, schemaId?: string): Promise<number> {
  const before = service.asked.length;
  await introspector.introspect(token, schemaId);
  return service.asked.length - before;
}

/** The bytes of the event stream that the introspector has read. */
let heard = 0;

/** Counts what is read of an event stream. */
const countingFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, init);
  if (!response.body || !response.headers.get('content-type')?.startsWith('text/event-stream')) {
    return response;
  }
  heard = 0;
  const counter = new TransformStream<Uint8Array, Uint8Array>({
    transform: (chunk, controller) => {
      heard += chunk.length;
      controller.enqueue(chunk);
    },
  });
  return new Response(response.body.pipeThrough(counter), response);
};

/** Until what the service has written has been read. */
async function read(): Promise<void> {
  await until(() => heard === service.stream.written || service.stream.isClosed);
  for (let turn = 1; turn <= 5; turn++) await setImmediate();
}

/** Lets the longest pause after a first loss pass, once it is known. */
async function comeBack(): Promise<void> {
  await until(() => errors.length === 1);
  jest.advanceTimersByTime(500);
  await until(() => service.streams.length > 1);
}

/** Lets time pass, a beat of the stream at a time. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= BEAT_MS) {
    jest.advanceTimersByTime(Math.min(left, BEAT_MS));
    for (let turn = 1; turn <= 5; turn++) await setImmediate();
    await read();
  }
}

describe('an answer', () => {
  test('is asked for once, then comes from memory', async () => {
    await connectAndFollow();
    const first = await introspector.introspect('t1');
    expect(first).toMatchObject({ active: true, team_id: 1 });
    expect(await introspector.introspect('t1')).toBe(first);
    expect(introspector.counts).toEqual({ remembered: 1, asked: 1 });
  });

  test('is asked for each time until the stream has told everything', async () => {
    service.onStream = (stream) => {
      stream.open();
    };
    connect();
    await until(() => service.streams.length === 1);
    await read();
    expect([await asked('t1'), await asked('t1')]).toEqual([1, 1]);
    service.stream.stayCurrent();
    await until(() => introspector.isCurrent);
    // The memory keeps no result of an earlier request either.
    expect([await asked('t1'), await asked('t1')]).toEqual([1, 0]);
  });

  test('is asked for past the caches of the service, or it could be a second old when it is kept', async () => {
    await connectAndFollow();
    await introspector.introspect('t1');
    expect(service.headers).toMatchObject({
      authorization: 'Token none',
      'cache-control': 'no-cache',
    });
  });

  test('that is no is kept for less than a second, whatever the stream tells', async () => {
    service.answer = () => ({ active: false });
    await connectAndFollow();
    expect([await asked('t1'), await asked('t1')]).toEqual([1, 0]);
    await pass(749);
    expect(await asked('t1')).toBe(0);
    service.answer = ({ token }) => active(token);
    await pass(1);
    expect((await introspector.introspect('t1')).active).toBe(true);
    expect(await asked('t1')).toBe(0);
  });

  test('that is no takes the place of no other, and is shared by those who wait for it', async () => {
    service.answer = ({ token }) =>
      token.startsWith('made-up') ? { active: false } : active(token);
    await connectAndFollow({ maxEntries: 2 });
    for (const token of ['t1', 't2', 'made-up-1', 'made-up-2', 'made-up-3']) {
      await introspector.introspect(token);
    }
    expect([
      await asked('t1'),
      await asked('t2'),
      await asked('made-up-3'),
      await asked('made-up-1'),
    ]).toEqual([0, 0, 0, 1]);
    const before = service.asked.length;
    await Promise.all(Array.from({ length: 50 }, () => introspector.introspect('made-up-4')));
    expect(service.asked.length - before).toBe(1);
  });

  test('that is no, of a text that is too long for a token, takes no memory', async () => {
    service.answer = () => ({ active: false });
    await connectAndFollow();
    const long = 'x'.repeat(10_000);
    expect([await asked(long), await asked(long)]).toEqual([1, 1]);
  });

  test('that is no ends what was known before', async () => {
    service.onStream = (stream) => {
      stream.open();
      stream.current();
    };
    await connectAndFollow({ staleIfUnavailableMs: 60_000 });
    await introspector.introspect('t1');
    jest.advanceTimersByTime(750);
    expect(introspector.isCurrent).toBe(false);
    service.answer = () => ({ active: false });
    await introspector.introspect('t1');
    service.raw = { status: 503, text: '{}' };
    await expect(introspector.introspect('t1')).rejects.toMatchObject({ status: 503 });
  });

  test('that is too many calls is the one for all, until its Retry-After is over', async () => {
    await connectAndFollow();
    await introspector.introspect('t1');
    service.raw = {
      status: 429,
      text: '{"code":"rate_limited","detail":"Too many."}',
      headers: { 'Retry-After': '1' },
    };
    const refused = { status: 429, code: 'rate_limited', retryAfter: 1 };
    await expect(introspector.introspect('t2')).rejects.toMatchObject(refused);
    service.raw = undefined;
    const before = service.asked.length;
    await expect(introspector.introspect('t3')).rejects.toMatchObject(refused);
    expect([service.asked.length - before, await asked('t1')]).toEqual([0, 0]);
    await pass(1000);
    expect((await introspector.introspect('t3')).active).toBe(true);
  });

  test('is that for the schema which was asked for', async () => {
    await connectAndFollow();
    const all = [
      await asked('t1'),
      await asked('t1', 's'),
      await asked('t1', ''),
      await asked('s'),
    ];
    expect(all).toEqual([1, 1, 1, 1]);
    expect(service.asked.map(({ schema_id }) => schema_id)).toEqual([
      undefined,
      's',
      '',
      undefined,
    ]);
    expect([await asked('t1'), await asked('t1', 's'), await asked('t1', '')]).toEqual([0, 0, 0]);
  });

  test('cannot be changed by a caller that gets it', async () => {
    service.answer = ({ token }) => active(token, { properties: { regions: ['EMEA'] } });
    await connectAndFollow();
    const { properties } = await introspector.introspect('t1');
    expect(() => (properties!['regions'] as string[]).push('APAC')).toThrow(TypeError);
  });

  test('is waited for by all who want it at once, and not by those who want another', async () => {
    await connectAndFollow();
    const tokens = ['t1', 't1', 't2', 't1'];
    const answers = await Promise.all(tokens.map((token) => introspector.introspect(token)));
    expect(answers.map(({ sub }) => sub)).toEqual(tokens);
    expect(service.asked.map(({ token }) => token)).toEqual(['t1', 't2']);
  });

  test('that has not been used goes first when there are too many, and the new one never', async () => {
    await connectAndFollow({ maxEntries: 2 });
    for (const token of ['t1', 't2', 't1', 't3']) await introspector.introspect(token);
    expect([await asked('t1'), await asked('t3'), await asked('t4')]).toEqual([0, 0, 1]);
    expect([await asked('t4'), await asked('t3'), await asked('t1')]).toEqual([0, 0, 1]);
  });

  test('is not kept beyond its end by the clock of the service', async () => {
    const aheadMs = 3_600_000;
    service.onStream = (stream) => {
      stream.open();
      stream.current({ time: Date.now() + aheadMs });
    };
    const exp = Math.ceil((Date.now() + aheadMs) / 1000) + 1;
    service.answer = ({ token }) => active(token, token === 't1' ? { exp } : { exp: exp - 3 });
    await connectAndFollow();
    expect([await asked('t1'), await asked('t1')]).toEqual([1, 0]);
    expect([await asked('t2'), await asked('t2')]).toEqual([1, 1]);
    for (let left = exp * 1000 - Date.now() - aheadMs; left > 0; left -= 50) {
      service.stream.current({ time: Date.now() + aheadMs });
      await read();
      expect(await asked('t1')).toBe(0);
      jest.advanceTimersByTime(50);
    }
    expect(introspector.isCurrent).toBe(true);
    expect(await asked('t1')).toBe(1);
  });

  test('that comes too late is none', async () => {
    await connectAndFollow();
    service.answer = () => new Promise<object>(() => undefined);
    const late = introspector.introspect('t1').catch((error: unknown) => error);
    await until(() => service.asked.length === 1);
    jest.advanceTimersByTime(1000);
    expect(await late).toMatchObject({ name: 'ApiError', cause: { name: 'TimeoutError' } });
  });

  test('that came while this process stood still is none', async () => {
    await connectAndFollow();
    const now = Date.now.bind(Date);
    service.answer = ({ token }) => {
      jest.spyOn(Date, 'now').mockImplementation(() => now() + 5000);
      return active(token);
    };
    await expect(introspector.introspect('t1')).rejects.toThrow('longer than a second');
  });

  test.each([
    ['an error of the service', 503, '{"code":"database_unavailable"}', '503 database_unavailable'],
    ['an error of something else', 502, '<html>', '502'],
    ['no JSON', 200, 'active', '200'],
    ['null', 200, 'null', '200'],
    ['a list', 200, '[]', '200'],
    ['without "active"', 200, '{"team_id":1}', '200'],
    ['of a text for "active"', 200, '{"active":"false","team_id":1}', '200'],
    ['of a number for "active"', 200, '{"active":1,"team_id":1}', '200'],
    ['a way elsewhere', 302, '', '302'],
  ])('is not %s', async (_name, status, text, message) => {
    service.raw = { status, text };
    connect();
    await expect(introspector.introspect('t1')).rejects.toThrow(message);
    expect(service.asked).toHaveLength(1);
  });

  test.each(['{"active":true,"sub":"hidden","ma', ' [{"sub":"hidden"', '"hidden'])(
    'and is not shown if it is JSON: %s',
    async (text) => {
      service.raw = { status: 200, text };
      connect();
      const error: unknown = await introspector.introspect('t1').catch((thrown: unknown) => thrown);
      expect(String(error)).toMatch(/ \d+ characters of JSON$/);
    },
  );
});

test('a response whose "active" is no boolean is not kept', async () => {
  await connectAndFollow();
  service.raw = { status: 200, text: '{"active":"false","team_id":1}' };
  await expect(introspector.introspect('t1')).rejects.toThrow('200');
  service.raw = undefined;
  expect((await introspector.introspect('t1')).active).toBe(true);
});

describe('a change', () => {
  test('of a group makes all answers about it forgotten, and no others', async () => {
    await connectAndFollow();
    for (const token of ['a1', 'b1', 'a2']) await introspector.introspect(token);
    service.stream.change('user_group_token.rotate', 1);
    await read();
    expect([await asked('a1'), await asked('b1'), await asked('a2')]).toEqual([1, 1, 0]);
  });

  test.each(['workspace.update', 'data_source.update', 'schema.delete', 'any.thing'])(
    'of what all groups depend on makes everything forgotten: %s',
    async (type) => {
      await connectAndFollow();
      await introspector.introspect('t1');
      service.stream.change(type);
      await read();
      expect(await asked('t1')).toBe(1);
    },
  );

  test.each<[string, [string, number?], boolean]>([
    ['of the group', ['user_group.suspend', 1], false],
    ['of everything', ['workspace.update'], false],
    ['of another group', ['user_group.suspend', 2], true],
  ])(
    '%s between a question and its answer decides whether it is kept',
    async (_name, change, isKept) => {
      await connectAndFollow();
      service.answer = async ({ token }) => {
        service.stream.change(...change);
        await read();
        return active(token);
      };
      await introspector.introspect('t1');
      expect(await asked('t1')).toBe(isKept ? 0 : 1);
    },
  );

  test('between a question and its answer is heard by those who waited for it', async () => {
    await connectAndFollow();
    let answered = 0;
    service.answer = async ({ token }) => {
      const number = ++answered;
      service.stream.change('user_group.update', 1);
      await read();
      return active(token, { name: String(number) });
    };
    const [first, second] = await Promise.all([
      introspector.introspect('t1'),
      introspector.introspect('t1'),
    ]);
    expect([first.name, second.name]).toEqual(['1', '2']);
  });

  test('of an API token makes it ask until the service has looked at its own', async () => {
    await connectAndFollow();
    await introspector.introspect('t1');
    service.stream.change('api_token.revoke');
    await read();
    expect(introspector.isCurrent).toBe(false);
    expect([await asked('t1'), await asked('t1')]).toEqual([1, 1]);
    // The longest that the service takes to notice: a second, and a quarter until it looks.
    await pass(1250);
    expect(introspector.isCurrent).toBe(false);
    await pass(250);
    expect(introspector.isCurrent).toBe(true);
    expect(await asked('t1')).toBe(0);
  });

  test('that cannot be read makes everything forgotten, and is not skipped', async () => {
    service.onStream = (stream, index) => {
      stream.open();
      if (index === 0) stream.current({}, 'an-id');
      else stream.stayCurrent();
    };
    await connectAndFollow();
    await introspector.introspect('t1');
    service.stream.write('id: later\nevent: change\ndata: {"type":\n\n');
    await comeBack();
    await until(() => introspector.isCurrent);
    expect(service.stream.lastEventId).toBeUndefined();
    expect(await asked('t1')).toBe(1);
  });
});

describe('the lease', () => {
  test('ends by itself when nothing more is told', async () => {
    await connectAndFollow();
    await introspector.introspect('t1');
    service.stream.fallSilent();
    jest.advanceTimersByTime(749);
    expect(introspector.isCurrent).toBe(true);
    jest.advanceTimersByTime(1);
    expect(introspector.isCurrent).toBe(false);
    expect([await asked('t1'), await asked('t1')]).toEqual([1, 1]);
    // The introspector believes the next event again, because it missed nothing.
    service.stream.stayCurrent();
    await until(() => introspector.isCurrent);
    expect(await asked('t1')).toBe(0);
  });

  test('begins at the moment that is told, not when it arrives', async () => {
    service.onStream = (stream) => {
      stream.open();
      stream.current({ ageMs: 500 });
    };
    await connectAndFollow();
    jest.advanceTimersByTime(249);
    expect(introspector.isCurrent).toBe(true);
    jest.advanceTimersByTime(1);
    expect(introspector.isCurrent).toBe(false);
    service.stream.current({ ageMs: 800 });
    await read();
    expect(introspector.isCurrent).toBe(false);
  });

  test('does not begin later than the call: an opening that was on its way for long counts as before', async () => {
    service.onStream = (stream) => {
      // The time in this event was true when the call arrived.
      jest.advanceTimersByTime(900);
      stream.open();
      stream.send('current', { at: 0, time: new Date().toISOString() });
    };
    connect();
    await until(() => service.streams.length === 1);
    await read();
    expect(introspector.isCurrent).toBe(false);
  });

  test.each<[string, () => { now: () => number }, number]>([
    ['the clock of the wall', () => Date, 1000],
    ['the monotonic clock', () => performance, 1000],
    ['a clock that was set back', () => Date, -1000],
  ])('is over by %s alone', async (_name, clock, ms) => {
    await connectAndFollow();
    expect([await asked('t1'), await asked('t1')]).toEqual([1, 0]);
    leap(clock(), ms);
    expect(introspector.isCurrent).toBe(false);
    expect(await asked('t1')).toBe(1);
  });

  test('comes back by a new stream when the old one has given none for long, whatever it says', async () => {
    await connectAndFollow();
    leap(Date, 60_000);
    expect(introspector.isCurrent).toBe(false);
    await pass(3000);
    await comeBack();
    await until(() => introspector.isCurrent);
    const [first, second, ...others] = service.streams as [FakeStream, FakeStream];
    expect(others).toEqual([]);
    expect(second.openedAt - first.openedAt).toBe(3500);
    expect(first.isClosed).toBe(true);
    expect(errors).toHaveLength(1);
  });
});

describe('the stream', () => {
  const resumable = (stream: FakeStream) => {
    stream.open();
    stream.stayCurrent(`id-${service.streams.length}`);
  };

  test('that is cut goes on where it ended, and nothing is forgotten but what was missed', async () => {
    service.onStream = (stream, index) => {
      stream.open();
      if (index === 1) stream.change('user_group.delete', 1, 'missed');
      stream.stayCurrent(`id-${index}`);
    };
    await connectAndFollow();
    for (const token of ['t1', 't2']) await introspector.introspect(token);
    service.stream.cut();
    await comeBack();
    await until(() => introspector.isCurrent);
    expect(service.stream.lastEventId).toBe('id-0');
    await read();
    expect([await asked('t1'), await asked('t2')]).toEqual([1, 0]);
    expect(errors).toHaveLength(1);
  });

  test('that is cut before it had an id is another, and everything is forgotten', async () => {
    await connectAndFollow();
    await introspector.introspect('t1');
    service.stream.cut();
    await comeBack();
    expect(service.stream.lastEventId).toBeUndefined();
    await until(() => introspector.isCurrent);
    await read();
    expect(await asked('t1')).toBe(1);
  });

  test('gives no lease on what was missed before it has told it', async () => {
    service.onStream = (stream, index) => {
      stream.open();
      if (index === 0) stream.stayCurrent('first');
    };
    await connectAndFollow();
    await introspector.introspect('t1');
    service.stream.cut();
    await comeBack();
    await pass(800);
    expect(introspector.isCurrent).toBe(false);
    expect(await asked('t1')).toBe(1);
    service.stream.change('user_group.update', 1);
    service.stream.stayCurrent();
    await until(() => introspector.isCurrent);
    expect(await asked('t1')).toBe(1);
  });

  test('that cannot go on where it ended begins again at once', async () => {
    service.onStream = (stream) => {
      if (stream.lastEventId) stream.refuse(410);
      else resumable(stream);
    };
    await connectAndFollow();
    await introspector.introspect('t1');
    service.stream.cut();
    await comeBack();
    await until(() => service.streams.length === 3);
    expect(service.streams.map(({ lastEventId }) => lastEventId)).toEqual([
      undefined,
      'id-1',
      undefined,
    ]);
    expect(service.streams[2]!.openedAt).toBe(service.streams[1]!.openedAt);
    await until(() => introspector.isCurrent);
    expect(await asked('t1')).toBe(1);
  });

  test.each(['renew', 'shutting_down'])(
    'that ends to %s is followed by the next at once',
    async (reason) => {
      service.onStream = resumable;
      await connectAndFollow();
      await introspector.introspect('t1');
      service.stream.send('end', { reason });
      // No time passes.
      await until(() => service.streams.length === 2);
      expect(introspector.isCurrent).toBe(true);
      expect(await asked('t1')).toBe(0);
      expect(errors).toEqual([]);
    },
  );

  test('that ends before it told anything is followed by others less and less often', async () => {
    service.onStream = (stream) => {
      stream.open();
      stream.send('end', { reason: 'renew' });
    };
    connect();
    // At most this lies between them, and at least half of it.
    for (const [losses, pauseMs] of [500, 1000, 2000, 4000, 8000, 10_000, 10_000].entries()) {
      await until(() => errors.length === losses + 1);
      jest.advanceTimersByTime(pauseMs / 2 - 1);
      for (let turn = 1; turn <= 5; turn++) await setImmediate();
      expect(service.streams).toHaveLength(losses + 1);
      jest.advanceTimersByTime(pauseMs / 2 + 1);
      await until(() => service.streams.length === losses + 2);
    }
  });

  test.each([
    ['of an API token that was revoked', 'unauthorized'],
    ['that has missed something', 'lost'],
  ])('%s ends the lease with it, and makes everything forgotten', async (_name, reason) => {
    service.onStream = resumable;
    await connectAndFollow();
    await introspector.introspect('t1');
    service.stream.send('end', { reason });
    await read();
    expect(introspector.isCurrent).toBe(false);
    expect(await asked('t1')).toBe(1);
    await comeBack();
    await until(() => introspector.isCurrent);
    expect(service.stream.lastEventId).toBeUndefined();
    expect(await asked('t1')).toBe(1);
  });

  test('that told nothing for long makes everything forgotten, although it goes on', async () => {
    await connectAndFollow();
    await introspector.introspect('t1');
    service.stream.fallSilent();
    leap(Date, 6000);
    leap(performance, 6000);
    expect(introspector.isCurrent).toBe(false);
    service.stream.stayCurrent();
    await until(() => introspector.isCurrent);
    expect(service.streams).toHaveLength(1);
    expect(await asked('t1')).toBe(1);
  });

  test('that is no event stream is none', async () => {
    service.onStream = (stream) => {
      stream.refuse(200);
    };
    connect();
    await until(() => errors.length === 1);
    expect(String(errors[0])).toContain('returned 200');
    expect([await asked('t1'), await asked('t1')]).toEqual([1, 1]);
  });

  test('ends with the introspector, which forgets everything', async () => {
    await connectAndFollow();
    await introspector.introspect('t1');
    introspector.close();
    expect([await asked('t1'), await asked('t1')]).toEqual([1, 1]);
    await until(() => service.stream.isClosed);
    jest.advanceTimersByTime(60_000);
    for (let turn = 1; turn <= 5; turn++) await setImmediate();
    expect(service.streams).toHaveLength(1);
    expect(errors).toEqual([]);
  });
});

/** Moves one clock, which goes on from there. */
function leap(clock: { now: () => number }, ms: number): void {
  const now = clock.now.bind(clock);
  jest.spyOn(clock, 'now').mockImplementation(() => now() + ms);
}

describe('while the service is away, with staleIfUnavailableMs,', () => {
  const ABOUT_A_SECOND = 1200;

  /** Introspects the tokens while the service is there, then takes it away. */
  async function knowThenLose(
    tokens: readonly string[],
    options: Partial<CachedIntrospectorOptions> = {},
  ): Promise<void> {
    await connectAndFollow({ staleIfUnavailableMs: ABOUT_A_SECOND, ...options });
    for (const token of tokens) await introspector.introspect(token);
    service.onStream = (stream) => {
      stream.refuse(503);
    };
    service.raw = { status: 503, text: '{}' };
    service.stream.fallSilent();
    service.stream.cut();
    jest.advanceTimersByTime(750);
    expect(introspector.isCurrent).toBe(false);
  }

  const expectRefused = (token: string, status: number | undefined) =>
    expect(introspector.introspect(token)).rejects.toMatchObject({ name: 'ApiError', status });

  test('a token that was active stays so, for as long as is said', async () => {
    await knowThenLose(['t1']);
    expect(await introspector.introspect('t1')).toMatchObject({ active: true, team_id: 1 });
    await expectRefused('t2', 503);
    // It counts from the last news, 750 ms ago.
    jest.advanceTimersByTime(ABOUT_A_SECOND - 750 - 1);
    expect((await introspector.introspect('t1')).active).toBe(true);
    jest.advanceTimersByTime(1);
    await expectRefused('t1', 503);
  });

  test('it stays so without any server, and by default it does not', async () => {
    await knowThenLose(['t1']);
    service.close();
    expect((await introspector.introspect('t1')).active).toBe(true);
    introspector.close();
    await expectRefused('t1', undefined);
    service = new FakeEvents();
    await service.listen();
    await knowThenLose(['t1'], { staleIfUnavailableMs: undefined });
    await expectRefused('t1', 503);
  });

  test('what was asked for without the stream counts from when it was asked for, and the latest counts', async () => {
    service.onStream = (stream) => {
      stream.refuse(503);
    };
    connect({ staleIfUnavailableMs: ABOUT_A_SECOND });
    await introspector.introspect('t1');
    service.answer = ({ token }) => active(token, { properties: { plan: 'new' } });
    await introspector.introspect('t1');
    service.raw = { status: 502, text: '<html>' };
    expect(await introspector.introspect('t1')).toMatchObject({ properties: { plan: 'new' } });
    jest.advanceTimersByTime(ABOUT_A_SECOND);
    await expectRefused('t1', 502);
  });

  test('a response that a later one has overtaken counts no more', async () => {
    service.onStream = (stream) => {
      stream.refuse(503);
    };
    connect({ staleIfUnavailableMs: 60_000 });
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    service.answer = async ({ token }) => (await held, active(token));
    const slow = introspector.introspect('t1');
    await until(() => service.asked.length === 1);
    service.answer = () => ({ active: false });
    jest.advanceTimersByTime(1);
    expect((await introspector.introspect('t1')).active).toBe(false);
    release();
    expect((await slow).active).toBe(true);
    service.raw = { status: 503, text: '{}' };
    await expectRefused('t1', 503);
  });

  test.each([401, 403, 429, 500])('a %i is no absence', async (status) => {
    await knowThenLose(['t1']);
    service.raw = { status, text: '{}' };
    await expectRefused('t1', status);
  });

  test('a token beyond its end is refused', async () => {
    const exp = Math.ceil(Date.now() / 1000) + 1;
    service.answer = ({ token }) => active(token, { exp });
    await knowThenLose(['t1'], { staleIfUnavailableMs: 60_000 });
    expect((await introspector.introspect('t1')).active).toBe(true);
    jest.advanceTimersByTime(exp * 1000 - Date.now());
    await expectRefused('t1', 503);
  });

  test('a refusal of the API token ends what was known, and the doubt after its change lasts', async () => {
    await knowThenLose(['t1'], { staleIfUnavailableMs: 60_000 });
    expect((await introspector.introspect('t1')).active).toBe(true);
    service.raw = { status: 401, text: '{}' };
    await expectRefused('t1', 401);
    service.raw = { status: 503, text: '{}' };
    await expectRefused('t1', 503);
    introspector.close();
    service.raw = undefined;
    service.onStream = (stream) => {
      stream.open();
      stream.stayCurrent();
    };
    await connectAndFollow({ staleIfUnavailableMs: 60_000 });
    await introspector.introspect('t2');
    service.stream.change('api_token.revoke');
    await read();
    service.raw = { status: 503, text: '{}' };
    service.stream.fallSilent();
    jest.advanceTimersByTime(1700);
    await expectRefused('t2', 503);
  });

  test('a change that was told before the end counts, and so does one of an API token', async () => {
    await connectAndFollow({ staleIfUnavailableMs: 60_000 });
    for (const token of ['t1', 't2']) await introspector.introspect(token);
    service.stream.change('user_group.suspend', 1);
    service.stream.change('api_token.revoke');
    await read();
    service.raw = { status: 503, text: '{}' };
    await expectRefused('t1', 503);
    await expectRefused('t2', 503);
  });

  test('a refusal of the API token by the stream ends what was known', async () => {
    await knowThenLose(['t1'], { staleIfUnavailableMs: 3_600_000 });
    expect((await introspector.introspect('t1')).active).toBe(true);
    service.onStream = (stream) => {
      stream.refuse(401);
    };
    await until(() => {
      jest.advanceTimersByTime(1000);
      return service.streams.at(-1)!.status === 401;
    });
    await until(() =>
      introspector.introspect('t1').then(
        () => false,
        () => true,
      ),
    );
  });
});
