import { setImmediate } from 'node:timers/promises';
import { DatabaseUnavailable } from '../../src/platform/common/problem/errors.ts';
import { logRepeated } from '../../src/platform/common/repeated-failures.ts';
import { type Attempt, SharedWrites } from '../../src/platform/database/waves/shared-writes.ts';

type Together = (calls: readonly string[]) => Attempt<string>[];

// It would log a failure of an earlier test no second time.
jest.mock('../../src/platform/common/repeated-failures.ts', () => ({ logRepeated: jest.fn() }));
const warn = jest.mocked(logRepeated);

beforeEach(() => {
  warn.mockClear();
});

const stored = (call: string) => ({ value: `${call} stored` });

/** The error of PostgreSQL for a statement that has waited too long for a lock. */
const locked = () =>
  new DatabaseUnavailable(Object.assign(new Error('lock timeout'), { code: '55P03' }));

/** Ways in which calls arrive together; the outcomes are the same. */
const JOINS = {
  'one by one': (writes: SharedWrites<string, string>, calls: string[]) =>
    Promise.all(
      calls.map((call) =>
        writes.join(1, call).then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        ),
      ),
    ),
  'all at once': (writes: SharedWrites<string, string>, calls: string[]) =>
    writes.joinAll(1, calls),
};

describe.each(Object.entries(JOINS))('writes that join %s', (_how, join) => {
  /** Writes all of which arrive together; gives what became of each, what was run for it, and of which calls was told. */
  async function writeTogether(calls: string[], together: Together) {
    const transactions: string[] = [];
    const done: string[] = [];
    const retried: string[] = [];
    const writes = new SharedWrites<string, string>({
      keyOf: (call) => call,
      run: async (_workspaceId, wave, isAlone) => {
        transactions.push(`${wave.join(' ')}${isAlone ? ' alone' : ''}`);
        await Promise.resolve();
        return isAlone ? wave.map((call) => ({ value: `${call} stored alone` })) : together(wave);
      },
      onRetry: (call) => retried.push(call),
      onDone: (_workspaceId, answer) => done.push(answer),
    });
    const outcomes = (await join(writes, calls)).map((outcome) =>
      'value' in outcome ? outcome.value : outcome.error,
    );
    return { outcomes, transactions, done: done.sort(), retried };
  }

  test('each write of a wave has an outcome of its own', async () => {
    const refusal = new Error('only this');
    const { outcomes, transactions, done } = await writeTogether(
      ['good', 'bad', 'better'],
      (wave) => wave.map((call) => (call === 'bad' ? { error: refusal } : stored(call))),
    );
    expect(outcomes).toEqual(['good stored', refusal, 'better stored']);
    expect([done, transactions]).toEqual([['better stored', 'good stored'], ['good bad better']]);
  });

  test('a write that loses a race is retried, after three races alone, and its neighbours are not', async () => {
    const { outcomes, transactions, done, retried } = await writeTogether(['a', 'b', 'c'], (wave) =>
      wave.map((call) => (call === 'b' ? 'retry' : stored(call))),
    );
    expect(outcomes).toEqual(['a stored', 'b stored alone', 'c stored']);
    expect([done, retried]).toEqual([outcomes, ['b', 'b', 'b']]);
    expect(transactions).toEqual(['a b c', 'b', 'b', 'b alone']);
  });

  test('a write that wins its second race is stored by it', async () => {
    let races = 0;
    const { outcomes, transactions } = await writeTogether(['a'], () =>
      ++races === 1 ? ['retry'] : [stored('a')],
    );
    expect(outcomes).toEqual(['a stored']);
    expect(transactions).toEqual(['a', 'a']);
  });

  test('a call whose retry begins too late is not said to have never started', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'nextTick', 'queueMicrotask'] });
    try {
      let waves = 0;
      const writes = new SharedWrites<string, string>({
        keyOf: (call) => call,
        onDone: () => undefined,
        run: (_workspaceId, wave) => {
          waves++;
          jest.advanceTimersByTime(2100);
          return Promise.resolve(wave.map(() => 'retry'));
        },
      });
      const [outcome] = (await join(writes, ['a'])) as [
        { error: DatabaseUnavailable & { cause: Error } },
      ];
      expect([waves, outcome.error.cause.message]).toEqual([
        1,
        expect.stringMatching(/^started and undone, and not started again/),
      ]);
    } finally {
      jest.useRealTimers();
    }
  });

  test('a transaction that fails is halved until what makes it fail is by itself', async () => {
    const { outcomes, transactions } = await writeTogether(['a', 'b', 'c', 'bad', 'e'], (wave) => {
      if (wave.includes('bad')) throw new Error('a row of it is bad');
      return wave.map(stored);
    });
    expect(outcomes).toEqual(['a stored', 'b stored', 'c stored', 'bad stored alone', 'e stored']);
    expect(transactions).toEqual(['a b c bad e', 'a b c', 'bad e', 'bad', 'e', 'bad alone']);
    // One failure, which makes one line: `logRepeated` tells failures apart by their message.
    expect(warn.mock.calls.map(([, level, { msg, calls }]) => [level, msg, calls])).toEqual(
      [5, 2, 1].map((count) => ['warn', 'a shared write has failed', count]),
    );
  });

  test('a failure that callers cause is not logged', async () => {
    const { outcomes } = await writeTogether(['a'], () => {
      throw Object.assign(new Error('the same token twice'), { code: '23505' });
    });
    expect(outcomes).toEqual(['a stored alone']);
    expect(warn).not.toHaveBeenCalled();
  });

  test('without a database nothing is tried again', async () => {
    const away = new DatabaseUnavailable(new Error('away'));
    const { outcomes, transactions } = await writeTogether(['a', 'b'], () => {
      throw away;
    });
    expect(outcomes).toEqual([away, away]);
    expect(transactions).toEqual(['a b']);
    expect(warn).not.toHaveBeenCalled();
  });

  test('what a half has stored is acknowledged, even if the database is gone for the other', async () => {
    const away = new DatabaseUnavailable(new Error('away'));
    const { outcomes, done } = await writeTogether(['a', 'b', 'c', 'd'], (wave) => {
      if (wave.length === 4) throw new Error('a row of it is bad');
      if (wave.includes('c')) throw away;
      return wave.map(stored);
    });
    expect([outcomes, done]).toEqual([
      ['a stored', 'b stored', away, away],
      ['a stored', 'b stored'],
    ]);
  });

  test('a call that fails alone while its neighbours are still tried is refused, and ends nothing', async () => {
    const alone = jest.fn(() => Promise.reject(locked()));
    const writes = new SharedWrites<string, string>({
      keyOf: (call) => call,
      onDone: () => undefined,
      run: async (_workspaceId, wave, isAlone) => {
        if (isAlone) return alone();
        if (wave.length > 1) throw new Error('a row of it is bad');
        // The other half takes its time, as it does where it waits for a lock.
        if (wave.includes('slow')) await setImmediate();
        return wave.map((call) => (call === 'slow' ? stored(call) : 'retry'));
      },
    });
    expect(await join(writes, ['bad', 'slow'])).toEqual([
      { error: expect.any(DatabaseUnavailable) },
      { value: 'slow stored' },
    ]);
    expect(alone).toHaveBeenCalledTimes(1);
  });

  test('of a transaction that waits too long for a lock each call goes alone, and what waits keeps nobody', async () => {
    const { outcomes, transactions } = await writeTogether(['a', 'b', 'c'], () => {
      throw locked();
    });
    expect(outcomes).toEqual(['a stored alone', 'b stored alone', 'c stored alone']);
    expect(transactions).toEqual(['a b c', 'a alone', 'b alone', 'c alone']);
    expect(warn).not.toHaveBeenCalled();
  });

  test('a call that has waited for its transaction does not wait as long again to go alone', async () => {
    let later: jest.SpyInstance | undefined;
    const alone = jest.fn(() => Promise.resolve([{ value: 'stored' }]));
    const writes = new SharedWrites<string, string>({
      keyOf: (call) => call,
      onDone: () => undefined,
      run: (_workspaceId, _wave, isAlone) => {
        if (isAlone) return alone();
        // It began in time, and ends after the time in which a call has to begin.
        later = jest.spyOn(performance, 'now').mockReturnValue(performance.now() + 3000);
        return Promise.reject(locked());
      },
    });
    expect(await join(writes, ['a'])).toEqual([{ error: expect.any(DatabaseUnavailable) }]);
    later?.mockRestore();
    expect(alone).not.toHaveBeenCalled();
  });
});
