import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { getHeapStatistics } from 'node:v8';
import type { GroupReader } from '../../../platform/common/access/caller.ts';
import { seenBy } from '../../../platform/common/access/user-group-range.ts';
import { ChangeFeed } from '../../change-log/change-feed.ts';
import { type Standing, statusOf } from '../status/user-group-status.ts';
import { isEndedTogether } from '../token/token-validity.ts';
import { type LoadSnapshot, SnapshotCache, type SnapshotKey } from './snapshot-cache.ts';
import {
  type IntrospectableToken,
  type UserGroupSnapshot,
  UserGroupSnapshotRepository,
} from './user-group-snapshot.repository.ts';

/**
 * More than 100,000 groups, or fewer in a process with little memory. Each character takes one byte or two, besides the
 * overhead of the engine.
 */
const MAX_CHARACTERS = Math.min(
  128 * 1024 ** 2,
  Math.floor(getHeapStatistics().heap_size_limit / 8),
);
/** A group whose rotation has a grace period has two tokens. */
const MAX_TOKENS = 200_000;

interface Options {
  /** Bypasses the cache. */
  isFresh: boolean;
}

export interface TokenOfGroup {
  group: UserGroupSnapshot;
  token: IntrospectableToken;
}

/**
 * Reads user groups for introspection: from the cache while the change feed is current and knows of no later change of
 * the group, otherwise from the database. If neither works, throws an error rather than return an old state.
 */
@Injectable()
export class UserGroupSnapshots {
  private readonly cache = new SnapshotCache(MAX_CHARACTERS);
  /**
   * The id of the group that had a token when it was last read, by workspace and hash; the group's snapshot shows
   * whether it still has it. Holds only tokens that could be introspected, so guessing cannot fill it.
   */
  private readonly groupOf = new LRUCache<string, number>({
    // Unlike `max`, this takes no memory before there are entries.
    maxSize: MAX_TOKENS,
    sizeCalculation: () => 1,
  });
  /** Look-ups of snapshots in the cache, by result. */
  readonly counts = { hit: 0, miss: 0 };

  constructor(
    private readonly repository: UserGroupSnapshotRepository,
    private readonly changes: ChangeFeed,
  ) {}

  /**
   * Finds the introspectable token with this hash, and its group. The caller has to check whether it is still valid by
   * the clock.
   * @throws DatabaseUnavailable
   */
  async findToken(
    reader: GroupReader & { hash: string },
    options: Options,
  ): Promise<TokenOfGroup | undefined> {
    const { workspaceId, range, hash } = reader;
    const text = `${workspaceId}/${hash}`;
    const userGroupId = this.groupOf.get(text);
    if (userGroupId !== undefined) {
      const known = tokenOf(await this.find({ workspaceId, range, userGroupId }, options), hash);
      if (known) return known;
    }
    const group = await this.load({ text, workspaceId }, options, () =>
      this.repository.findByHash(workspaceId, hash),
    );
    const found = tokenOf(group, hash);
    if (found) this.groupOf.set(text, found.group.userGroupId);
    else this.groupOf.delete(text);
    return found && seenBy(reader, found.group) ? found : undefined;
  }

  /** Finds the group with this internal id, if it belongs to the workspace. @throws DatabaseUnavailable */
  async find(
    reader: GroupReader & { userGroupId: number },
    { isFresh }: Options,
  ): Promise<UserGroupSnapshot | undefined> {
    const { workspaceId, userGroupId } = reader;
    const mayBeCached = !isFresh && this.changes.isCurrent();
    const cached = mayBeCached ? this.cache.get(userGroupId) : undefined;
    if (cached) {
      this.counts.hit++;
      return cached.workspaceId === workspaceId ? seenBy(reader, cached) : undefined;
    }
    const key = { text: `${workspaceId}/${userGroupId}`, workspaceId, userGroupId };
    const load = () => this.repository.findById(workspaceId, userGroupId);
    return seenBy(reader, await this.load(key, { isFresh }, load));
  }

  private load(
    key: SnapshotKey,
    { isFresh }: Options,
    loadSnapshot: LoadSnapshot,
  ): Promise<UserGroupSnapshot | undefined> {
    this.counts.miss++;
    // Before the first load: a process that introspects nothing need not hear of changes.
    this.changes.subscribe(this.cache);
    return this.cache.load(key, isFresh, loadSnapshot);
  }
}

function tokenOf(group: UserGroupSnapshot | undefined, hash: string): TokenOfGroup | undefined {
  const token = group?.tokens.find((one) => one.hash === hash);
  return token && { group: group!, token };
}

/** Judges a group that was read with its tokens. */
export function standingOf(group: UserGroupSnapshot): Standing {
  const current = group.tokens.at(-1);
  const isTokenEnded = current && isEndedTogether(current, group.workspace);
  return statusOf({ ...group, isTokenEnded: isTokenEnded ?? false }, group.rules);
}
