import { LRUCache } from 'lru-cache';
import { handled } from '../../../platform/common/concurrency/handled.ts';
import type { Change, ChangeListener } from '../../change-log/change-feed.ts';
import type { UserGroupSnapshot } from './user-group-snapshot.repository.ts';

/** Callers must not join an older load: it may have read the state of a second ago. */
const MAX_JOINABLE_MS = 750;
const MAX_INVALIDATED_WORKSPACES = 1000;

/** Identifies what to load: a group, or the group of a token, whose id is known only once it is loaded. */
export interface SnapshotKey {
  /** Equal for callers that want the same snapshot. */
  text: string;
  workspaceId: number;
  userGroupId?: number;
}

export type LoadSnapshot = () => Promise<UserGroupSnapshot | undefined>;

interface PendingLoad {
  key: SnapshotKey;
  startedAt: number;
  result: Promise<UserGroupSnapshot | undefined>;
  /** For a load by token: the groups that have changed since it started. */
  changedGroups: Set<number> | undefined;
  /** Whether its data has changed since it started. */
  isStale: boolean;
}

interface Entry {
  snapshot: UserGroupSnapshot;
  startedAt: number;
}

/**
 * Caches snapshots by the id of their group, limited in size. Returns a snapshot only if its load started after the
 * last change of its group that this cache knows of; the caller checks whether the cache knows of all changes.
 */
export class SnapshotCache implements ChangeListener {
  private readonly entries: LRUCache<number, Entry>;
  /** Time of the last invalidation of all entries of a workspace. */
  private readonly invalidatedAt = new Map<number, number>();
  /** Includes loads that can no longer be joined: a change makes them stale too. */
  private readonly pending = new Set<PendingLoad>();
  /** The pending loads that another caller can join, by the text of their key. */
  private readonly joinable = new Map<string, PendingLoad>();

  /** @param maxSize maximum of characters in all snapshots */
  constructor(maxSize: number) {
    this.entries = new LRUCache({ maxSize, sizeCalculation: ({ snapshot }) => snapshot.size });
  }

  get size(): number {
    return this.entries.size;
  }

  get(userGroupId: number): UserGroupSnapshot | undefined {
    const entry = this.entries.get(userGroupId);
    return entry && this.isValid(entry) ? entry.snapshot : undefined;
  }

  /**
   * Loads a snapshot and caches it. Concurrent callers with the same key share one load.
   * @param isFresh the load must not have started before this call
   */
  async load(
    key: SnapshotKey,
    isFresh: boolean,
    loadSnapshot: LoadSnapshot,
  ): Promise<UserGroupSnapshot | undefined> {
    const joinable = this.joinable.get(key.text);
    const isJoinable = joinable && performance.now() - joinable.startedAt < MAX_JOINABLE_MS;
    if (isJoinable && !isFresh) return joinable.result;
    const load: PendingLoad = {
      key,
      startedAt: performance.now(),
      result: handled(loadSnapshot()),
      changedGroups: undefined,
      isStale: false,
    };
    this.pending.add(load);
    this.joinable.set(key.text, load);
    try {
      const snapshot = await load.result;
      this.store(load, snapshot);
      return snapshot;
    } finally {
      this.pending.delete(load);
      this.stopJoining(load);
    }
  }

  /** Invalidates changed snapshots: no later call returns one whose load started before this call. */
  invalidate({ workspaceId, ...change }: Change): void {
    const { userGroupId } = change;
    if (userGroupId === undefined && change.of === 'api_tokens') return;
    if (userGroupId === undefined) this.invalidateWorkspace(workspaceId);
    else this.entries.delete(userGroupId);
    for (const load of this.pending) {
      if (load.key.workspaceId !== workspaceId) continue;
      if (userGroupId === undefined) load.isStale = true;
      else if (load.key.userGroupId === undefined) {
        (load.changedGroups ??= new Set()).add(userGroupId);
      } else if (load.key.userGroupId === userGroupId) load.isStale = true;
      else continue;
      this.stopJoining(load);
    }
  }

  /** Invalidates the snapshots of all groups, as `invalidate` does. */
  invalidateAll(): void {
    this.invalidatedAt.clear();
    this.entries.clear();
    this.joinable.clear();
    for (const load of this.pending) load.isStale = true;
  }

  /** Does not look up the workspace's groups: there may be thousands, and such changes can be frequent. */
  private invalidateWorkspace(workspaceId: number): void {
    if (this.invalidatedAt.size >= MAX_INVALIDATED_WORKSPACES) this.invalidateAll();
    this.invalidatedAt.set(workspaceId, performance.now());
  }

  private isValid({ startedAt, snapshot }: Entry): boolean {
    const invalidatedAt = this.invalidatedAt.get(snapshot.workspaceId) ?? -Infinity;
    return startedAt > invalidatedAt;
  }

  /** Makes the next caller start a load of its own. */
  private stopJoining(load: PendingLoad): void {
    if (this.joinable.get(load.key.text) === load) this.joinable.delete(load.key.text);
  }

  private store(load: PendingLoad, snapshot: UserGroupSnapshot | undefined): void {
    const { startedAt, changedGroups, isStale, key } = load;
    const id = snapshot?.userGroupId ?? key.userGroupId;
    if (id === undefined || isStale || changedGroups?.has(id)) return;
    // The load that started later may have finished first.
    const entry = this.entries.peek(id);
    if (entry && entry.startedAt > startedAt) return;
    if (snapshot) this.entries.set(id, { snapshot, startedAt });
    else if (entry?.snapshot.workspaceId === key.workspaceId) this.entries.delete(id);
  }
}
