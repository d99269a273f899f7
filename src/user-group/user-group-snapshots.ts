import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { ChangeFeed } from '../database/change-feed';
import { type Ask, SnapshotCache, type Subject } from './snapshot-cache';
import {
  type UserGroupSnapshot,
  UserGroupSnapshotRepository,
} from './user-group-snapshot.repository';

const MAX_GROUPS = 10_000;
const MAX_CHARACTERS = 16 * 1024 ** 2;
/** A group in an overlap has two tokens. */
const MAX_TOKENS = 2 * MAX_GROUPS;

interface Options {
  /** Asks the database in any case. */
  isFresh: boolean;
}

/**
 * User groups as an introspection answers them, from memory where that is no older than 750 ms and
 * nothing is known to have changed since. While the database is away there is no answer.
 */
@Injectable()
export class UserGroupSnapshots {
  private readonly cache = new SnapshotCache({ groups: MAX_GROUPS, characters: MAX_CHARACTERS });
  /**
   * Where to look for a token first; what is found there tells whether it was right. Only tokens that
   * could be introspected are remembered: guessing cannot fill the memory.
   */
  private readonly groupOf = new LRUCache<string, number>({ max: MAX_TOKENS });
  private isSubscribed = false;
  /** How many times what was asked for was remembered, and how many times it was not. */
  readonly counts = { hit: 0, miss: 0 };

  constructor(
    private readonly repository: UserGroupSnapshotRepository,
    private readonly changes: ChangeFeed,
  ) {}

  /**
   * The group that has, or once had, the token with this hash. Whether it has it now is for the
   * caller to see.
   * @throws DatabaseUnavailable
   */
  async findByHash(
    { workspaceId, hash }: { workspaceId: number; hash: Buffer },
    options: Options,
  ): Promise<UserGroupSnapshot | undefined> {
    this.hear();
    const text = hash.toString('base64');
    const key = `${workspaceId}/${text}`;
    const userGroupId = this.groupOf.get(key);
    const known =
      userGroupId === undefined
        ? undefined
        : await this.lookUp({ workspaceId, userGroupId }, options);
    if (known && hasToken(known, text)) return known;
    const found = await this.read({ key, workspaceId }, options, () =>
      this.repository.findByHash({ workspaceId, hash }),
    );
    if (found && hasToken(found, text)) this.groupOf.set(key, found.userGroupId);
    else this.groupOf.delete(key);
    return found;
  }

  /**
   * The group of this internal id, if it is one of the workspace.
   * @throws DatabaseUnavailable
   */
  find(
    key: { workspaceId: number; userGroupId: number },
    options: Options,
  ): Promise<UserGroupSnapshot | undefined> {
    this.hear();
    return this.lookUp(key, options);
  }

  private async lookUp(
    { workspaceId, userGroupId }: { workspaceId: number; userGroupId: number },
    { isFresh }: Options,
  ): Promise<UserGroupSnapshot | undefined> {
    const known = isFresh ? undefined : this.cache.get(userGroupId);
    if (known) {
      this.counts.hit++;
      return known.workspaceId === workspaceId ? known : undefined;
    }
    const subject = { key: `${workspaceId}/${userGroupId}`, workspaceId, userGroupId };
    return this.read(subject, { isFresh }, () =>
      this.repository.findById({ workspaceId, userGroupId }),
    );
  }

  private read(
    subject: Subject,
    { isFresh }: Options,
    ask: Ask,
  ): Promise<UserGroupSnapshot | undefined> {
    this.counts.miss++;
    return this.cache.read(subject, isFresh, ask);
  }

  /** Before anything is looked for: what has changed by then is not answered any more. */
  private hear(): void {
    if (!this.isSubscribed) this.subscribe();
    this.changes.hearOfOthers();
  }

  /** With the first question, since a process that asks none need not hear of changes. */
  private subscribe(): void {
    this.isSubscribed = true;
    this.changes.subscribe({
      changed: (change) => {
        this.cache.forget(change);
      },
      missed: () => {
        this.cache.forgetAll();
      },
    });
  }
}

function hasToken(group: UserGroupSnapshot, hash: string): boolean {
  return group.tokens.some((token) => token.hash === hash);
}
