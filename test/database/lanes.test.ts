import { DatabaseUnavailable } from '../../src/platform/common/problem/errors.ts';
import { Lanes, type LanesOptions } from '../../src/platform/database/waves/lanes.ts';

interface Wave {
  workspaceId: number;
  calls: string[];
  /** Ends the wave: the result of each call is its own text. */
  echo: () => void;
  end: (results: string[]) => void;
  fail: (error: Error) => void;
}

const started: Wave[][] = [];

// While a wave runs, a timer watches the calls that wait.
afterEach(async () => {
  for (const waves of started.splice(0)) {
    for (const { echo } of waves) {
      echo();
      await settled();
    }
  }
});

/** Lanes whose waves end when the test says so, or at its end. */
function startLanes(options: Omit<LanesOptions<string, string>, 'run'> = {}) {
  const waves: Wave[] = [];
  started.push(waves);
  const lanes = new Lanes<string, string>({
    ...options,
    run: (workspaceId, calls) =>
      new Promise((resolve, reject) => {
        const echo = () => {
          resolve([...calls]);
        };
        waves.push({ workspaceId, calls: [...calls], echo, end: resolve, fail: reject });
      }),
  });
  /** The calls of a workspace that have run so far, by wave. */
  const calls = (workspaceId = 1) =>
    waves.filter((wave) => wave.workspaceId === workspaceId).map((wave) => wave.calls);
  /** Joins with each call; the results are looked at later, so that none is unhandled. */
  const join = (...texts: string[]) => {
    const joined = texts.map((text) => lanes.join(1, text));
    for (const one of joined) one.catch(() => undefined);
    return joined;
  };
  const { lanes: open } = lanes as unknown as { lanes: Map<number, unknown> };
  return { lanes, waves, calls, join, open };
}

/** Until everything has happened that needs no timer. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('a call alone goes in the same turn of the event loop', async () => {
  const { calls, join, waves } = startLanes();
  const [result] = join('a');
  await new Promise((resolve) => setImmediate(resolve));
  expect(calls()).toEqual([['a']]);
  waves[0]!.echo();
  expect(await result).toBe('a');
});

test('what arrives in one turn goes together, in the order of arrival', async () => {
  const { calls, join, waves } = startLanes();
  const results = join('a', 'b', 'a', 'c');
  await settled();
  expect(calls()).toEqual([['a', 'b', 'a', 'c']]);
  waves[0]!.echo();
  expect(await Promise.all(results)).toEqual(['a', 'b', 'a', 'c']);
});

test('what arrives during a wave forms the next one, which begins after it', async () => {
  const { calls, join, waves } = startLanes();
  void join('a');
  await settled();
  void join('b');
  await settled();
  void join('c');
  await settled();
  expect(calls()).toEqual([['a']]);
  waves[0]!.echo();
  await settled();
  expect(calls()).toEqual([['a'], ['b', 'c']]);
});

test('a caller with its result that calls at once goes with the next wave', async () => {
  const { lanes, calls, join, waves } = startLanes();
  const [first] = join('a');
  const again = first!.then(() => lanes.join(1, 'again'));
  await settled();
  waves[0]!.echo();
  await settled();
  waves[1]!.echo();
  expect(await again).toBe('again');
  expect(calls()).toEqual([['a'], ['again']]);
});

test('a wave has no more calls than its limit', async () => {
  const { calls, join, waves } = startLanes({ maxWave: 2 });
  void join('a', 'b', 'c', 'd', 'e');
  for (let wave = 0; wave < 3; wave++) {
    await settled();
    waves[wave]!.echo();
  }
  await settled();
  expect(calls()).toEqual([['a', 'b'], ['c', 'd'], ['e']]);
});

test('calls with one key go one after another, in the order of arrival, and hold up no others', async () => {
  const { calls, join, waves } = startLanes({ keyOf: (call) => call.charAt(0), maxWave: 3 });
  const results = join('x1', 'x2', 'y1', 'x3', 'y2', 'z1', 'w1');
  for (let wave = 0; wave < 4; wave++) {
    await settled();
    waves[wave]?.echo();
  }
  expect(await Promise.all(results)).toHaveLength(7);
  expect(calls()).toEqual([['x1', 'y1', 'z1'], ['x2', 'y2', 'w1'], ['x3']]);
});

describe('with two waves at once', () => {
  const twoAtOnce = () => startLanes({ keyOf: (call) => call.charAt(0), wavesAtOnce: 2 });

  test('what arrives during a wave goes at once, and what arrives during both waits', async () => {
    const { calls, join, waves, open } = twoAtOnce();
    void join('a', 'b');
    await settled();
    void join('c');
    await settled();
    void join('d');
    await settled();
    void join('e');
    await settled();
    expect(calls()).toEqual([['a', 'b'], ['c']]);
    waves[1]!.echo();
    await settled();
    expect(calls()).toEqual([['a', 'b'], ['c'], ['d', 'e']]);
    waves[0]!.echo();
    waves[2]!.echo();
    await settled();
    expect(open.size).toBe(0);
  });

  test('a call waits for the wave that has its key, and holds up no others', async () => {
    const { calls, join, waves } = twoAtOnce();
    const results = join('x1', 'y1');
    await settled();
    results.push(...join('x2', 'z1', 'x3'));
    await settled();
    expect(calls()).toEqual([['x1', 'y1'], ['z1']]);
    waves[1]!.echo();
    await settled();
    expect(calls()).toHaveLength(2);
    waves[0]!.fail(new Error('away'));
    await settled();
    expect(calls()).toEqual([['x1', 'y1'], ['z1'], ['x2']]);
    waves[2]!.echo();
    await settled();
    waves[3]!.echo();
    const outcomes = await Promise.allSettled(results);
    expect(outcomes.map(({ status }) => status)).toEqual([
      'rejected',
      'rejected',
      'fulfilled',
      'fulfilled',
      'fulfilled',
    ]);
    expect(calls().at(-1)).toEqual(['x3']);
  });
});

test('two workspaces never share a wave, and do not wait for each other', async () => {
  const { lanes, calls, join, waves } = startLanes();
  void join('a');
  const other = lanes.join(2, 'a');
  await settled();
  expect([calls(1), calls(2)]).toEqual([[['a']], [['a']]]);
  waves.find(({ workspaceId }) => workspaceId === 2)!.echo();
  expect(await other).toBe('a');
});

test.each<[string, (wave: Wave) => void]>([
  [
    'that fails',
    (wave) => {
      wave.fail(new Error('away'));
    },
  ],
  [
    'that leaves a call without a result',
    (wave) => {
      wave.end(['one']);
    },
  ],
])('a wave %s rejects its own calls alone, and the lane goes on', async (_name, end) => {
  const { calls, join, waves, open } = startLanes();
  const failed = join('a', 'b');
  await settled();
  const next = join('c');
  end(waves[0]!);
  const [, second] = await Promise.allSettled(failed);
  expect(second!.status).toBe('rejected');
  await settled();
  expect(calls()).toEqual([['a', 'b'], ['c']]);
  waves[1]!.echo();
  expect(await next[0]).toBe('c');
  await settled();
  expect(open.size).toBe(0);
});

test('a runner that throws before it returns a promise rejects its wave', async () => {
  const lanes = new Lanes<string, string>({
    run: () => {
      throw new Error('at once');
    },
  });
  await expect(lanes.join(1, 'a')).rejects.toThrow('at once');
  await expect(lanes.join(1, 'b')).rejects.toThrow('at once');
});

test('a lane that is empty is gone', async () => {
  const { lanes, waves, open } = startLanes();
  const results = Array.from({ length: 100 }, (_, workspaceId) => lanes.join(workspaceId, 'a'));
  await settled();
  expect(open.size).toBe(100);
  for (const wave of waves) wave.echo();
  await Promise.all(results);
  await settled();
  expect(open.size).toBe(0);
});

describe('while a wave hangs', () => {
  const LIMIT_MS = 2000;
  const WAVE_LIMIT_MS = 2700;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  test('those who wait too long are refused, each in its time, and never run', async () => {
    const { calls, join, waves, open } = startLanes();
    const [hanging] = join('hanging');
    await settled();
    const [early] = join('early');
    jest.advanceTimersByTime(LIMIT_MS / 2);
    const [late] = join('late');
    jest.advanceTimersByTime(LIMIT_MS / 2);
    await expect(early).rejects.toBeInstanceOf(DatabaseUnavailable);
    waves[0]!.echo();
    expect(await hanging).toBe('hanging');
    await settled();
    expect(calls()).toEqual([['hanging'], ['late']]);
    waves[1]!.echo();
    expect(await late).toBe('late');
    await settled();
    expect([open.size, jest.getTimerCount()]).toEqual([0, 0]);
  });

  test('a call that is in it is refused in its time, too, and its key stays taken until the wave ends', async () => {
    const { calls, join, waves, open } = startLanes({ keyOf: (call) => call, wavesAtOnce: 2 });
    const [hanging] = join('a');
    await settled();
    jest.advanceTimersByTime(WAVE_LIMIT_MS);
    await expect(hanging).rejects.toBeInstanceOf(DatabaseUnavailable);
    const [again, other] = join('a', 'b');
    await settled();
    expect(calls()).toEqual([['a'], ['b']]);
    waves[0]!.echo();
    waves[1]!.echo();
    expect(await other).toBe('b');
    await settled();
    waves[2]!.echo();
    expect(await again).toBe('a');
    await settled();
    expect([open.size, jest.getTimerCount()]).toEqual([0, 0]);
  });

  test('a call that brings its own deadline is refused by then, before those that came earlier', async () => {
    const { lanes, calls, join, waves } = startLanes();
    const [hanging] = join('hanging');
    await settled();
    const [early] = join('early');
    const soon = lanes.join(1, 'soon', performance.now() + LIMIT_MS / 4);
    jest.advanceTimersByTime(LIMIT_MS / 4);
    await expect(soon).rejects.toBeInstanceOf(DatabaseUnavailable);
    await expect(lanes.join(1, 'past', performance.now())).rejects.toBeInstanceOf(
      DatabaseUnavailable,
    );
    waves[0]!.echo();
    expect(await hanging).toBe('hanging');
    await settled();
    waves[1]!.echo();
    expect(await early).toBe('early');
    expect(calls()).toEqual([['hanging'], ['early']]);
  });

  test('of calls that join at once, those that wait too long are refused, and the others have their results', async () => {
    const { lanes, calls, waves, open } = startLanes({ maxWave: 2 });
    const outcomes = lanes.joinAll(1, ['a', 'b', 'c']);
    await settled();
    jest.advanceTimersByTime(LIMIT_MS);
    waves[0]!.echo();
    expect(await outcomes).toEqual([
      { value: 'a' },
      { value: 'b' },
      { error: expect.any(DatabaseUnavailable) },
    ]);
    const late = await lanes.joinAll(1, ['d', 'e'], performance.now());
    expect(late).toEqual([
      { error: expect.any(DatabaseUnavailable) },
      { error: expect.any(DatabaseUnavailable) },
    ]);
    await settled();
    expect([calls(), open.size, jest.getTimerCount()]).toEqual([[['a', 'b']], 0, 0]);
  });

  test('calls that join at once and are in a wave that hangs are refused in its time, once', async () => {
    const { lanes, waves, open } = startLanes();
    const outcomes = lanes.joinAll(1, ['a', 'b']);
    await settled();
    jest.advanceTimersByTime(WAVE_LIMIT_MS);
    const refused = [
      { error: expect.any(DatabaseUnavailable) },
      { error: expect.any(DatabaseUnavailable) },
    ];
    expect(await outcomes).toEqual(refused);
    waves[0]!.echo();
    await settled();
    expect(await outcomes).toEqual(refused);
    expect([open.size, jest.getTimerCount()]).toEqual([0, 0]);
  });
});
