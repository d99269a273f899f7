import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { operator } from '../../src/platform/common/access/caller.ts';
import { ConnectionSlots, Slots } from '../../src/platform/common/concurrency/slots.ts';
import { TooManyAtOnce } from '../../src/platform/common/problem/errors.ts';

jest.mock('node:timers/promises', () => ({
  ...jest.requireActual<object>('node:timers/promises'),
  setTimeout: jest.fn(),
}));

afterEach(() => jest.mocked(sleep).mockReset());

const callerOf = (workspaceId: number, apiTokenId: number) => ({ workspaceId, apiTokenId });

test('an API token, a workspace and all together have so many slots, which come back', async () => {
  const slots = new ConnectionSlots('streams');
  const acquired: (() => void)[] = [];
  const acquireOf = async (workspaceId: number, apiTokenId: number, count: number) => {
    for (let number = 0; number < count; number++) {
      acquired.push(await slots.acquireFor(callerOf(workspaceId, apiTokenId)));
    }
  };
  await acquireOf(1, 1, 50);
  await expect(slots.acquireFor(callerOf(1, 1))).rejects.toThrow(TooManyAtOnce);
  for (const token of [2, 3, 4]) await acquireOf(1, token, 50);
  await expect(slots.acquireFor(callerOf(1, 5))).rejects.toThrow('200 streams');
  // A release that is repeated releases no other slot.
  for (const release of acquired.splice(0)) {
    release();
    release();
  }
  await acquireOf(1, 1, 50);
  await expect(slots.acquireFor(callerOf(1, 1))).rejects.toThrow(TooManyAtOnce);
});

test('some workspaces cannot acquire all slots: the next one has a third of what is free', async () => {
  const slots = new ConnectionSlots('streams');
  /** Acquires all slots that the workspace gets, with any number of API tokens. */
  const acquireAll = async (workspaceId: number) => {
    for (let acquired = 0; ; acquired++) {
      try {
        await slots.acquireFor(
          callerOf(workspaceId, workspaceId * 1000 + Math.floor(acquired / 50)),
        );
      } catch {
        return acquired;
      }
    }
  };
  const shares: number[] = [];
  for (const workspaceId of [1, 2, 3, 4, 5, 6]) shares.push(await acquireAll(workspaceId));
  expect(shares).toEqual([200, 200, 150, 113, 85, 63]);
});

test('a refusal takes half a second, however many there are, and acquires nothing', async () => {
  const slots = new ConnectionSlots('streams');
  const acquired = await Promise.all(
    Array.from({ length: 50 }, () => slots.acquireFor(callerOf(1, 1))),
  );
  const wakes: (() => void)[] = [];
  jest
    .mocked(sleep)
    .mockImplementation(() => new Promise((resolve) => wakes.push(() => resolve(undefined))));
  let refused = 0;
  const all = Promise.allSettled(
    Array.from({ length: 400 }, () => slots.acquireFor(callerOf(1, 1)).finally(() => refused++)),
  );
  await setImmediate();
  expect([refused, wakes.length]).toEqual([0, 400]);
  expect(sleep).toHaveBeenLastCalledWith(500);
  for (const wake of wakes) wake();
  expect((await all).every(({ status }) => status === 'rejected')).toBe(true);
  acquired[0]!();
  await slots.acquireFor(callerOf(1, 1));
});

test('no API token has all slots of its workspace: half of what is free is left to others', async () => {
  const slots = new Slots('exports');
  const endless = async function* () {
    yield await Promise.resolve('a row');
  };
  /** Begins exports until one is refused. */
  const beginAll = async (apiTokenId: number) => {
    for (let begun = 0; ; begun++) {
      try {
        await slots.within({ ...operator(1), apiTokenId }, 2, endless()).next();
      } catch (error) {
        return [begun, (error as Error).message.slice(0, 27)];
      }
    }
  };
  const begun: unknown[] = [];
  for (const apiTokenId of [1, 2, 3, 4, 5]) begun.push(await beginAll(apiTokenId));
  expect(begun).toEqual([
    [2, '2 exports of the API token '],
    [2, '1 exports of the API token '],
    [1, '1 exports of the API token '],
    [1, '6 exports of the workspace '],
    [0, '6 exports of the workspace '],
  ]);
});
