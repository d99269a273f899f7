import { parseUserGroupRules } from '../../src/core/mapping/user-group-rules.ts';
import type { Change } from '../../src/core/change-log/change-feed.ts';
import {
  SnapshotCache,
  type SnapshotKey,
} from '../../src/core/user-group/snapshot/snapshot-cache.ts';
import type { UserGroupSnapshot } from '../../src/core/user-group/snapshot/user-group-snapshot.repository.ts';

const snapshotOf = (userGroupId: number, name = 'n', size = 33): UserGroupSnapshot => ({
  workspaceId: 1,
  workspace: {
    publicId: 'ws_1',
    embedTokenIssuer: null,
    viewAs: 'allowed',
    tokensEpoch: 0,
    embedTokensEpoch: 0,
    tokensEndedBefore: null,
    embedTokensEndedBefore: null,
  },
  userGroupId,
  providedId: `${userGroupId}`,
  name,
  properties: '{}',
  mapping: [],
  rules: parseUserGroupRules(null),
  suspendedAt: null,
  validUntil: null,
  isIncomplete: false,
  tokens: [],
  size,
  revokedEmbedTokens: [],
});

const keyOf = (userGroupId: number) => ({ text: `1/${userGroupId}`, workspaceId: 1, userGroupId });
const byHash = { text: '1/hash', workspaceId: 1 };

/** A load that finishes when the test says so. */
function startLoad() {
  let finish!: (snapshot: UserGroupSnapshot | undefined) => void;
  let loads = 0;
  const result = new Promise<UserGroupSnapshot | undefined>((resolve) => (finish = resolve));
  const load = () => {
    loads++;
    return result;
  };
  return { load, finish, loads: () => loads };
}

let cache: SnapshotCache;

beforeEach(() => {
  cache = new SnapshotCache(100);
});

const keep = (id: number, size?: number) =>
  cache.load(keyOf(id), false, () => Promise.resolve(snapshotOf(id, 'n', size)));

test('what was loaded is cached', async () => {
  await keep(1);
  expect([cache.get(1)?.userGroupId, cache.get(2)]).toEqual([1, undefined]);
});

test('it keeps no more than its limit, and what was used last', async () => {
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

test('callers who want the same at the same time share one load', async () => {
  const { load, finish, loads } = startLoad();
  const answers = Array.from({ length: 10 }, () => cache.load(keyOf(1), false, load));
  finish(snapshotOf(1));
  expect(new Set(await Promise.all(answers)).size).toBe(1);
  expect(loads()).toBe(1);
});

test('a caller who bypasses the cache joins no load that started before', async () => {
  const [first, second] = [startLoad(), startLoad()];
  const joined = cache.load(keyOf(1), false, first.load);
  const fresh = cache.load(keyOf(1), true, second.load);
  second.finish(snapshotOf(1, 'new'));
  expect((await fresh)?.name).toBe('new');
  first.finish(snapshotOf(1, 'old'));
  expect((await joined)?.name).toBe('old');
  // The later load finished first, and stays.
  expect(cache.get(1)?.name).toBe('new');
});

test.each<[string, SnapshotKey, Change]>([
  ['the group', keyOf(1), { workspaceId: 1, userGroupId: 1 }],
  ['the workspace', keyOf(1), { workspaceId: 1, of: 'user_groups' }],
  ['the group of a token', byHash, { workspaceId: 1, userGroupId: 1 }],
  ['the workspace of a token', byHash, { workspaceId: 1, of: 'user_groups' }],
])(
  'a load that started before a change of %s is not cached, and nobody joins it',
  async (_name, key, change) => {
    const [before, after] = [startLoad(), startLoad()];
    const old = cache.load(key, false, before.load);
    cache.invalidate(change);
    const next = cache.load(key, false, after.load);
    before.finish(snapshotOf(1, 'old'));
    expect((await old)?.name).toBe('old');
    expect(cache.get(1)).toBeUndefined();
    after.finish(snapshotOf(1, 'new'));
    expect((await next)?.name).toBe('new');
    expect(cache.get(1)?.name).toBe('new');
  },
);

test('changes of other groups and other workspaces do not affect a load', async () => {
  const { load, finish, loads } = startLoad();
  const first = cache.load(keyOf(1), false, load);
  cache.invalidate({ workspaceId: 1, userGroupId: 2 });
  cache.invalidate({ workspaceId: 2, of: 'user_groups' });
  cache.invalidate({ workspaceId: 1, of: 'api_tokens' });
  const second = cache.load(keyOf(1), false, load);
  finish(snapshotOf(1));
  expect(await first).toBe(await second);
  expect([loads(), cache.get(1)?.userGroupId]).toEqual([1, 1]);
});

test('the group of a token is cached although another group has changed', async () => {
  const { load, finish } = startLoad();
  const loading = cache.load(byHash, false, load);
  cache.invalidate({ workspaceId: 1, userGroupId: 2 });
  finish(snapshotOf(1));
  await loading;
  expect(cache.get(1)?.userGroupId).toBe(1);
});

test('a change of a workspace invalidates its groups and no others', async () => {
  await keep(1);
  const foreign = { ...snapshotOf(2), workspaceId: 2 };
  await cache.load({ text: '2/2', workspaceId: 2, userGroupId: 2 }, false, () =>
    Promise.resolve(foreign),
  );
  cache.invalidate({ workspaceId: 1, of: 'user_groups' });
  expect([cache.get(1), cache.get(2)]).toEqual([undefined, foreign]);
});

test('after a gap nothing is cached, nor what was being loaded before it', async () => {
  await keep(1);
  const { load, finish } = startLoad();
  const loading = cache.load(keyOf(2), false, load);
  cache.invalidateAll();
  finish(snapshotOf(2));
  await loading;
  expect([cache.get(1), cache.get(2), cache.size]).toEqual([undefined, undefined, 0]);
});

test('a group that is gone is removed, and a failure leaves nothing behind', async () => {
  await keep(1);
  await cache.load(keyOf(1), true, () => Promise.resolve(undefined));
  expect(cache.get(1)).toBeUndefined();
  const failing = cache.load(keyOf(2), false, () => Promise.reject(new Error('away')));
  await expect(failing).rejects.toThrow('away');
  await keep(2);
  expect(cache.get(2)?.userGroupId).toBe(2);
});

test('a snapshot is cached for as long as nothing invalidates it', async () => {
  const now = jest.spyOn(performance, 'now').mockReturnValue(1000);
  try {
    await keep(1);
    now.mockReturnValue(1000 + 86_400_000);
    expect(cache.get(1)?.userGroupId).toBe(1);
    cache.invalidate({ workspaceId: 1, userGroupId: 1 });
    expect(cache.get(1)).toBeUndefined();
  } finally {
    now.mockRestore();
  }
});

test('the next caller starts a load again when the one under way is 750 ms old', async () => {
  const now = jest.spyOn(performance, 'now').mockReturnValue(1000);
  try {
    const [hanging, next] = [startLoad(), startLoad()];
    const first = cache.load(keyOf(1), false, hanging.load);
    now.mockReturnValue(1750);
    const second = cache.load(keyOf(1), false, next.load);
    next.finish(snapshotOf(1, 'new'));
    hanging.finish(snapshotOf(1, 'old'));
    expect([(await first)?.name, (await second)?.name]).toEqual(['old', 'new']);
    expect(cache.get(1)?.name).toBe('new');
  } finally {
    now.mockRestore();
  }
});
