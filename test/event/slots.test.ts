import { operator } from '../../src/common/caller.ts';
import { TooManyAtOnce } from '../../src/common/errors.ts';
import { EventSlots } from '../../src/event/event-slots.ts';

const callerOf = (workspaceId: number, apiTokenId: number) => ({
  ...operator(workspaceId),
  apiTokenId,
});

test('an API token, a workspace and all together have so many slots, which come back', () => {
  const slots = new EventSlots();
  const taken: (() => void)[] = [];
  const takeOf = (workspaceId: number, apiTokenId: number, count: number) => {
    for (let number = 0; number < count; number++) {
      taken.push(slots.take(callerOf(workspaceId, apiTokenId)));
    }
  };
  takeOf(1, 1, 50);
  expect(() => slots.take(callerOf(1, 1))).toThrow(TooManyAtOnce);
  for (const token of [2, 3, 4]) takeOf(1, token, 50);
  expect(() => slots.take(callerOf(1, 5))).toThrow('200 streams');
  for (const giveBack of taken.splice(0)) giveBack();
  takeOf(1, 1, 50);
});

test('some workspaces cannot take all slots: the next one has a third of what is free', () => {
  const slots = new EventSlots();
  /** As many as the workspace gets, with as many API tokens as it likes. */
  const takeAll = (workspaceId: number) => {
    for (let taken = 0; ; taken++) {
      try {
        slots.take(callerOf(workspaceId, workspaceId * 1000 + Math.floor(taken / 50)));
      } catch {
        return taken;
      }
    }
  };
  expect([1, 2, 3, 4, 5, 6].map(takeAll)).toEqual([200, 200, 150, 113, 85, 63]);
});
