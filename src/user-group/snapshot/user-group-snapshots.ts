import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ChangeFeed } from '../../database/change-feed';
import { type LoadSnapshot, SnapshotCache, type SnapshotKey } from './snapshot-cache';
import {
  type IntrospectableToken,
  type UserGroupSnapshot,
  UserGroupSnapshotRepository,
} from './user-group-snapshot.repository';

const MAX_GROUPS = 10_000;
const MAX_CHARACTERS = 16 * 1024 ** 2;
/** A group whose rotation has a grace period has two tokens. */
const MAX_TOKENS = 2 * MAX_GROUPS;

interface Options {
  /** Bypasses the cache. */
  isFresh: boolean;
}

/** A token with its group. */
export interface TokenOfGroup {
  group: UserGroupSnapshot;
  token: IntrospectableToken;
}

/**
 * Reads user groups for introspection, from the cache while their snapshots are fresh (750 ms) and
 * this process knows of no later change, else from the database. While that cannot be reached, what
 * is not fresh is an error, never an old answer.
 */
@Injectable()
export class UserGroupSnapshots {
  private readonly cache = new SnapshotCache({ groups: MAX_GROUPS, characters: MAX_CHARACTERS });
  /**
   * By workspace and hash of a token, the id of the group that had it when it was last read; the
   * group's snapshot shows whether it still has it. Holds only tokens that could be introspected, so
   * guessing cannot fill it.
   */
  private readonly groupOf = new LRUCache<string, number>({ max: MAX_TOKENS });
  private isSubscribed = false;
  /** How many times a snapshot was in the cache, and how many times it was not. */
  readonly counts = { hit: 0, miss: 0 };

  constructor(
    private readonly repository: UserGroupSnapshotRepository,
    private readonly changes: ChangeFeed,
  ) {}

  /**
   * Finds the introspectable token with this hash, and its group. The caller has to check whether
   * it is still valid by the clock.
   * @throws DatabaseUnavailable
   */
  async findToken(
    { workspaceId, hash }: { workspaceId: number; hash: string },
    options: Options,
  ): Promise<TokenOfGroup | undefined> {
    this.pollChanges();
    const text = `${workspaceId}/${hash}`;
    const userGroupId = this.groupOf.get(text);
    if (userGroupId !== undefined) {
      const known = tokenOf(await this.get({ workspaceId, userGroupId }, options), hash);
      if (known) return known;
    }
    const group = await this.load({ text, workspaceId }, options, () =>
      this.repository.findByHash(workspaceId, hash),
    );
    const found = tokenOf(group, hash);
    if (found) this.groupOf.set(text, found.group.userGroupId);
    else this.groupOf.delete(text);
    return found;
  }

  /**
   * Finds the group with this internal id, if it belongs to the workspace.
   * @throws DatabaseUnavailable
   */
  find(
    key: { workspaceId: number; userGroupId: number },
    options: Options,
  ): Promise<UserGroupSnapshot | undefined> {
    this.pollChanges();
    return this.get(key, options);
  }

  private async get(
    { workspaceId, userGroupId }: { workspaceId: number; userGroupId: number },
    { isFresh }: Options,
  ): Promise<UserGroupSnapshot | undefined> {
    const cached = isFresh ? undefined : this.cache.get(userGroupId);
    if (cached) {
      this.counts.hit++;
      return cached.workspaceId === workspaceId ? cached : undefined;
    }
    const key = { text: `${workspaceId}/${userGroupId}`, workspaceId, userGroupId };
    return this.load(key, { isFresh }, () => this.repository.findById(workspaceId, userGroupId));
  }

  private load(
    key: SnapshotKey,
    { isFresh }: Options,
    loadSnapshot: LoadSnapshot,
  ): Promise<UserGroupSnapshot | undefined> {
    this.counts.miss++;
    return this.cache.load(key, isFresh, loadSnapshot);
  }

  /** Invalidates what other processes have changed; to be called before each access to the cache. */
  private pollChanges(): void {
    if (!this.isSubscribed) {
      // Subscribes at the first use: a process that introspects nothing needs no connection to listen on.
      this.isSubscribed = true;
      this.changes.subscribe(this.cache);
    }
    this.changes.poll();
  }
}

function tokenOf(group: UserGroupSnapshot | undefined, hash: string): TokenOfGroup | undefined {
  const token = group?.tokens.find((one) => one.hash === hash);
  return token && { group: group!, token };
}
