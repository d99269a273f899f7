import { DatabaseUnavailable, TooManyAtOnce } from '../../src/common/problem/errors.ts';
import { Gate } from '../../src/common/concurrency/gate.ts';

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('two calls of a key go at once, the others in the order of their arrival', async () => {
  const gate = new Gate();
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const calls = [0, 1, 2, 3].map((n) =>
    gate.run(7, () => {
      begun.push(n);
      return new Promise<void>((resolve) => (ends[n] = resolve));
    }),
  );
  await jest.advanceTimersByTimeAsync(0);
  expect(begun).toEqual([0, 1]);
  await expect(gate.run(8, () => Promise.resolve('of another'))).resolves.toBe('of another');
  for (const n of [1, 0, 3, 2]) {
    ends[n]!();
    await jest.advanceTimersByTimeAsync(0);
  }
  await Promise.all(calls);
  expect(begun).toEqual([0, 1, 2, 3]);
});

test('work that fails passes its turn on', async () => {
  const gate = new Gate();
  for (let n = 0; n < 5; n++) {
    await expect(gate.run(7, () => Promise.reject(new Error('failed')))).rejects.toThrow('failed');
    await jest.advanceTimersByTimeAsync(0);
  }
});

test('of calls that are refused as soon as they arrive, two end in one turn of the event loop', async () => {
  const gate = new Gate();
  let refused = 0;
  const callOneAfterTheOther = async () => {
    for (let n = 0; n < 5; n++) await gate.run(7, () => Promise.reject(new Error('refused'))).catch(() => refused++);
  };
  const all = Promise.all([callOneAfterTheOther(), callOneAfterTheOther()]);
  for (let n = 0; n < 50; n++) await Promise.resolve();
  expect(refused).toBe(2);
  await jest.advanceTimersByTimeAsync(100);
  await all;
  expect(refused).toBe(10);
});

test('a call that waits for two seconds is refused: by 429 where others were served, else by 503', async () => {
  const gate = new Gate();
  const leave = await gate.enter(7);
  await gate.enter(7);
  const early = gate.enter(7).catch((error: unknown) => error);
  await jest.advanceTimersByTimeAsync(2000);
  expect(await early).toBeInstanceOf(DatabaseUnavailable);
  const next = gate.enter(7);
  const late = gate.enter(7).catch((error: unknown) => error);
  await jest.advanceTimersByTimeAsync(1000);
  leave();
  await jest.advanceTimersByTimeAsync(0);
  await next;
  await jest.advanceTimersByTimeAsync(1000);
  expect(await late).toBeInstanceOf(TooManyAtOnce);
});

test('calls that end at once begin in different turns of the event loop', async () => {
  jest.useRealTimers();
  const gate = new Gate();
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(Array.from({ length: 100 }, () => gate.run(7, () => Promise.resolve())));
  isOver = true;
  expect(turns).toBeGreaterThan(40);
});
