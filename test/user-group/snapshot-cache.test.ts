import { readRules } from '../../src/registry/rules';
import { SnapshotCache } from '../../src/user-group/snapshot-cache';
import type { UserGroupSnapshot } from '../../src/user-group/user-group-snapshot.repository';

const snapshotOf = (userGroupId: number, name = 'n', size = 10): UserGroupSnapshot => ({
  workspaceId: 1,
  workspace: { publicId: 'ws_1', embedTokenIssuer: null },
  userGroupId,
  providedId: `${userGroupId}`,
  name,
  properties: '{}',
  mapping: [],
  rules: readRules(null),
  isSuspended: false,
  isComplete: true,
  tokens: [],
  size,
});

const subjectOf = (userGroupId: number) => ({
  key: `1/${userGroupId}`,
  workspaceId: 1,
  userGroupId,
});
const byHash = { key: '1/hash', workspaceId: 1 };

/** A database that answers when it is told to. */
function question() {
  let answer!: (snapshot: UserGroupSnapshot | undefined) => void;
  let asked = 0;
  const answered = new Promise<UserGroupSnapshot | undefined>((resolve) => (answer = resolve));
  const ask = () => {
    asked++;
    return answered;
  };
  return { ask, answer, asked: () => asked };
}

let cache: SnapshotCache;

beforeEach(() => {
  cache = new SnapshotCache({ groups: 3, characters: 100 });
});

const keep = (id: number, size?: number) =>
  cache.read(subjectOf(id), false, () => Promise.resolve(snapshotOf(id, 'n', size)));

test('what was read is answered from memory', async () => {
  await keep(1);
  expect([cache.get(1)?.userGroupId, cache.get(2)]).toEqual([1, undefined]);
});

test('it keeps no more groups than its limit, and those that were asked for last', async () => {
  for (const id of [1, 2, 3]) await keep(id);
  cache.get(1);
  await keep(4);
  expect([cache.size, cache.get(1)?.userGroupId, cache.get(2)]).toEqual([3, 1, undefined]);
});

test('it keeps no more characters than its limit, and nothing that is larger by itself', async () => {
  await keep(1, 60);
  await keep(2, 60);
  expect([cache.size, cache.get(1)]).toEqual([1, undefined]);
  await keep(3, 101);
  expect(cache.get(3)).toBeUndefined();
});

test('callers who want the same at the same time share one question', async () => {
  const { ask, answer, asked } = question();
  const answers = Array.from({ length: 10 }, () => cache.read(subjectOf(1), false, ask));
  answer(snapshotOf(1));
  expect(new Set(await Promise.all(answers)).size).toBe(1);
  expect(asked()).toBe(1);
});

test('who wants a fresh answer joins no question that was asked before', async () => {
  const [first, second] = [question(), question()];
  const joined = cache.read(subjectOf(1), false, first.ask);
  const fresh = cache.read(subjectOf(1), true, second.ask);
  second.answer(snapshotOf(1, 'new'));
  expect((await fresh)?.name).toBe('new');
  first.answer(snapshotOf(1, 'old'));
  expect((await joined)?.name).toBe('old');
  // The later question was answered first, and stays.
  expect(cache.get(1)?.name).toBe('new');
});

test.each([
  ['the group', subjectOf(1), { workspaceId: 1, userGroupId: 1 }],
  ['the workspace', subjectOf(1), { workspaceId: 1 }],
  ['the group of a token', byHash, { workspaceId: 1, userGroupId: 1 }],
  ['the workspace of a token', byHash, { workspaceId: 1 }],
])(
  'what was asked before a change of %s is not kept, and nobody joins it',
  async (_name, subject, change) => {
    const [before, after] = [question(), question()];
    const old = cache.read(subject, false, before.ask);
    cache.forget(change);
    const next = cache.read(subject, false, after.ask);
    before.answer(snapshotOf(1, 'old'));
    expect((await old)?.name).toBe('old');
    expect(cache.get(1)).toBeUndefined();
    after.answer(snapshotOf(1, 'new'));
    expect((await next)?.name).toBe('new');
    expect(cache.get(1)?.name).toBe('new');
  },
);

test('changes of other groups and other workspaces leave a reading alone', async () => {
  const { ask, answer, asked } = question();
  const first = cache.read(subjectOf(1), false, ask);
  cache.forget({ workspaceId: 1, userGroupId: 2 });
  cache.forget({ workspaceId: 2 });
  const second = cache.read(subjectOf(1), false, ask);
  answer(snapshotOf(1));
  expect(await first).toBe(await second);
  expect([asked(), cache.get(1)?.userGroupId]).toEqual([1, 1]);
});

test('of the group of a token another change does not hinder the keeping', async () => {
  const { ask, answer } = question();
  const reading = cache.read(byHash, false, ask);
  cache.forget({ workspaceId: 1, userGroupId: 2 });
  answer(snapshotOf(1));
  await reading;
  expect(cache.get(1)?.userGroupId).toBe(1);
});

test('a change of a workspace forgets its groups and no others', async () => {
  await keep(1);
  const foreign = { ...snapshotOf(2), workspaceId: 2 };
  await cache.read({ key: '2/2', workspaceId: 2, userGroupId: 2 }, false, () =>
    Promise.resolve(foreign),
  );
  cache.forget({ workspaceId: 1 });
  expect([cache.get(1), cache.get(2)]).toEqual([undefined, foreign]);
});

test('after a gap nothing is believed, nor what was asked before it', async () => {
  await keep(1);
  const { ask, answer } = question();
  const reading = cache.read(subjectOf(2), false, ask);
  cache.forgetAll();
  answer(snapshotOf(2));
  await reading;
  expect([cache.get(1), cache.get(2), cache.size]).toEqual([undefined, undefined, 0]);
});

test('what is gone is forgotten, and a failure leaves nothing behind', async () => {
  await keep(1);
  await cache.read(subjectOf(1), true, () => Promise.resolve(undefined));
  expect(cache.get(1)).toBeUndefined();
  const failing = cache.read(subjectOf(2), false, () => Promise.reject(new Error('away')));
  await expect(failing).rejects.toThrow('away');
  await keep(2);
  expect(cache.get(2)?.userGroupId).toBe(2);
});

test('nothing is believed for longer than 750 ms, counted from the question', async () => {
  const now = jest.spyOn(performance, 'now').mockReturnValue(1000);
  try {
    const slow = question();
    const reading = cache.read(subjectOf(1), false, slow.ask);
    now.mockReturnValue(1600);
    slow.answer(snapshotOf(1));
    await reading;
    expect(cache.get(1)?.userGroupId).toBe(1);
    now.mockReturnValue(1750);
    expect(cache.get(1)).toBeUndefined();
  } finally {
    now.mockRestore();
  }
});

test('a question that is open for 750 ms is asked again by the next caller', async () => {
  const now = jest.spyOn(performance, 'now').mockReturnValue(1000);
  try {
    const [hanging, next] = [question(), question()];
    const first = cache.read(subjectOf(1), false, hanging.ask);
    now.mockReturnValue(1750);
    const second = cache.read(subjectOf(1), false, next.ask);
    next.answer(snapshotOf(1, 'new'));
    hanging.answer(snapshotOf(1, 'old'));
    expect([(await first)?.name, (await second)?.name]).toEqual(['old', 'new']);
    expect(cache.get(1)?.name).toBe('new');
  } finally {
    now.mockRestore();
  }
});
