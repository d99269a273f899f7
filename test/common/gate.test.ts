import { DatabaseUnavailable, TooManyAtOnce } from '../../src/platform/common/problem/errors.ts';
import { Gate, type Turn, type Waiter } from '../../src/platform/common/concurrency/gate.ts';
import { replaceField } from '../support/time/patience.ts';

const ONE = { workspaceId: 7, apiTokenId: 1 };
const OTHER = { workspaceId: 7, apiTokenId: 2 };

beforeEach(() => jest.useFakeTimers());
afterEach(() => jest.useRealTimers());

test('two calls of a workspace go at once, the others in the order of their arrival', async () => {
  const gate = new Gate();
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const calls = [0, 1, 2, 3].map((n) =>
    gate.run(ONE, () => {
      begun.push(n);
      return new Promise<void>((resolve) => (ends[n] = resolve));
    }),
  );
  await jest.advanceTimersByTimeAsync(0);
  expect(begun).toEqual([0, 1]);
  await expect(
    gate.run({ workspaceId: 8, apiTokenId: 3 }, () => Promise.resolve('of another')),
  ).resolves.toBe('of another');
  for (const n of [1, 0, 3, 2]) {
    ends[n]!();
    await jest.advanceTimersByTimeAsync(0);
  }
  await Promise.all(calls);
  expect(begun).toEqual([0, 1, 2, 3]);
});

/** Calls of a gate that last until they are ended. */
class Held {
  readonly begun: string[] = [];
  private readonly ends = new Map<string, () => void>();
  private readonly calls: Promise<unknown>[] = [];

  constructor(private readonly gate: Gate) {}

  begin(name: string, waiter: Waiter, turn?: Turn): void {
    const call = this.gate.run(
      waiter,
      () => {
        this.begun.push(name);
        return new Promise<void>((resolve) => this.ends.set(name, resolve));
      },
      turn,
    );
    this.calls.push(call);
  }

  async end(name: string): Promise<void> {
    this.ends.get(name)!();
    await jest.advanceTimersByTimeAsync(0);
  }
}

test('an API token waits for one call of each other token, however many they have', async () => {
  const held = new Held(new Gate());
  for (let n = 0; n < 6; n++) held.begin(`one ${n}`, ONE);
  for (let n = 0; n < 3; n++) held.begin(`other ${n}`, OTHER);
  held.begin('third 0', { workspaceId: 7, apiTokenId: 3 });
  await jest.advanceTimersByTimeAsync(0);
  const order = [
    'one 0',
    'one 1',
    'one 2',
    'other 0',
    'third 0',
    'one 3',
    'other 1',
    'one 4',
    'other 2',
    'one 5',
  ];
  for (const name of order) await held.end(name);
  expect(held.begun).toEqual(order);
});

test('a call that ends access begins at once, though other calls and another token fill their turns', async () => {
  const held = new Held(new Gate());
  for (let n = 0; n < 5; n++) held.begin(`read ${n}`, ONE);
  for (let n = 0; n < 5; n++) held.begin(`end ${n}`, ONE, 'ending');
  held.begin('read of the other', OTHER);
  held.begin('end of the other', OTHER, 'ending');
  await jest.advanceTimersByTimeAsync(0);
  expect(held.begun).toEqual(['read 0', 'read 1', 'end 0', 'end of the other']);
  await held.end('end 0');
  expect(held.begun.at(-1)).toBe('end 1');
});

test('work that fails passes its turn on', async () => {
  const gate = new Gate();
  for (let n = 0; n < 5; n++) {
    await expect(gate.run(ONE, () => Promise.reject(new Error('failed')))).rejects.toThrow(
      'failed',
    );
    await jest.advanceTimersByTimeAsync(0);
  }
});

test('of calls that are refused as soon as they arrive, two end in one turn of the event loop', async () => {
  const gate = new Gate();
  let refused = 0;
  const callOneAfterTheOther = async () => {
    for (let n = 0; n < 5; n++) {
      await gate.run(ONE, () => Promise.reject(new Error('refused'))).catch(() => refused++);
    }
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
  const leave = await gate.enter(ONE);
  await gate.enter(ONE);
  const early = gate.enter(ONE).catch((error: unknown) => error);
  await jest.advanceTimersByTimeAsync(2000);
  expect(await early).toBeInstanceOf(DatabaseUnavailable);
  const next = gate.enter(ONE);
  const late = gate.enter(ONE).catch((error: unknown) => error);
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
  replaceField(gate, { maxWaitMs: 100_000 });
  let turns = 0;
  let isOver = false;
  const count = () => {
    turns++;
    if (!isOver) setImmediate(count);
  };
  setImmediate(count);
  await Promise.all(Array.from({ length: 100 }, () => gate.run(ONE, () => Promise.resolve())));
  isOver = true;
  expect(turns).toBeGreaterThan(40);
});
