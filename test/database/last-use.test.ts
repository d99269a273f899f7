import { setImmediate } from 'node:timers/promises';
import type { EntityManager } from 'typeorm';
import { statement } from '../../src/platform/database/statement.ts';
import type { Statements } from '../../src/platform/database/statements.ts';
import { Transactor, type Work } from '../../src/platform/database/transactor.ts';
import { LastUse, type SetLastUse } from '../../src/platform/database/upkeep/last-use.ts';
import { onFlush } from '../../src/platform/database/upkeep/shutdown-phases.ts';

const BATCH = 100;
const BATCH_MS = 100;

let now = 0;

beforeEach(() => {
  jest.spyOn(performance, 'now').mockImplementation(() => now);
});

afterEach(() => jest.restoreAllMocks());

/** Each transaction takes as long by the clock, which stands still otherwise. */
class SlowTransactor extends Transactor {
  begun = 0;
  underWay = 0;

  async run<T>(work: Work<T>): Promise<T> {
    this.begun++;
    this.underWay++;
    await setImmediate();
    now += BATCH_MS;
    const result = await work({} as EntityManager);
    this.underWay--;
    return result;
  }

  apply(): Promise<never> {
    throw new Error('a last use is no statement of its own');
  }

  async close(): Promise<void> {
    // It has nothing to close.
  }
}

const setLastUse: SetLastUse = statement('test.set-last-use', () => 'SELECT 1');

class TestUse extends LastUse {
  protected readonly setLastUse = setLastUse;
}

function createUse() {
  const transactor = new SlowTransactor();
  const written: number[] = [];
  const statements = {
    run: (_manager: unknown, _statement: unknown, { id }: { id: number }) => {
      written.push(id);
      return Promise.resolve([]);
    },
  };
  const use = new TestUse(transactor, statements as unknown as Statements);
  const record = (from: number, count: number) => {
    for (let id = from; id < from + count; id++) use.record(id);
  };
  return { transactor, written, use, record };
}

test('the end writes what it has time for, and leaves no batch under way', async () => {
  const { transactor, written, use, record } = createUse();
  record(1, 20 * BATCH);
  await use[onFlush]();
  expect(transactor.underWay).toBe(0);
  expect(written).toHaveLength(transactor.begun * BATCH);
  expect(transactor.begun).toBe(3);
  await setImmediate();
  expect(written).toHaveLength(transactor.begun * BATCH);
});

test('the end waits for a flush that is under way, and ends it early, too', async () => {
  let flush = (): void => undefined;
  const interval = jest.spyOn(globalThis, 'setInterval').mockImplementation((callback) => {
    flush = callback;
    return setTimeout(() => undefined, 0);
  });
  const { transactor, written, use, record } = createUse();
  use.onApplicationBootstrap();
  interval.mockRestore();
  record(1, 20 * BATCH);
  flush();
  await setImmediate();
  expect(transactor.underWay).toBe(1);
  await use[onFlush]();
  expect(transactor.underWay).toBe(0);
  expect(written).toHaveLength(transactor.begun * BATCH);
  expect(transactor.begun).toBe(3);
});
