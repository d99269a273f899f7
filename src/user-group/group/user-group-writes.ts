import { Injectable } from '@nestjs/common';
import { ActivityTally } from '../../activity/activity-tally.ts';
import { requireScope } from '../../common/caller.ts';
import { DatabaseUnavailable, ExtensionUnavailable } from '../../common/errors.ts';
import { ChangeFeed } from '../../database/change-feed.ts';
import { isUniqueViolation } from '../../database/database-errors.ts';
import type { Outcome } from '../../database/lanes.ts';
import {
  SharedWrites,
  type SharedWritesOptions,
  WRITE_WAVES,
} from '../../database/shared-writes.ts';
import { WorkspaceRules } from '../../registry/mapping/workspace-rules.ts';
import { TokenIssuer } from '../token/token-issuer.ts';
import { Turns } from './turns.ts';
import { changeOf, isNothing } from './user-group-change.ts';
import {
  type QueuedWrite,
  readToken,
  type UserGroupWrite,
  type WrittenUserGroup,
} from './user-group-write.ts';
import { UserGroupChangeVeto } from './user-group-change-veto.ts';
import { LostRace, UserGroupWaves } from './user-group-waves.ts';
import { UserGroupTokenCipher } from '../../encryption-key/user-group-token-cipher.ts';
import { type StoredUserGroup, UserGroupRepository } from './user-group.repository.ts';

const MAX_ATTEMPTS = 3;
const BULK_WAVE = 200;
/** While one is committed, the next has begun. */
const BULK_WAVES = 2;

type QueuedWrites = SharedWrites<QueuedWrite, WrittenUserGroup>;

type WaveOptions = Pick<
  SharedWritesOptions<QueuedWrite, WrittenUserGroup>,
  'maxWave' | 'wavesAtOnce'
> & {
  run: (
    workspaceId: number,
    writes: readonly QueuedWrite[],
  ) => Promise<Outcome<WrittenUserGroup>[]>;
};

/**
 * The one way in which user groups are written, whatever the operation. Writes of one workspace that
 * arrive together go in one wave, which is one transaction.
 */
@Injectable()
export class UserGroupWrites {
  private readonly single: QueuedWrites;
  /** Of their own, so that neither waits behind the other. */
  private readonly bulk: QueuedWrites;
  /** So that new groups are numbered in the order in which they come: of calls until they join, */
  private readonly joining = new Turns();
  /** and of waves until their groups are inserted. */
  private readonly numbering = new Turns();

  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly waves: UserGroupWaves,
    private readonly veto: UserGroupChangeVeto,
    private readonly rules: WorkspaceRules,
    private readonly cipher: UserGroupTokenCipher,
    private readonly issuer: TokenIssuer,
    private readonly changes: ChangeFeed,
    private readonly activity: ActivityTally,
  ) {
    this.single = this.share({
      // Guards are asked by one transaction of a workspace at a time.
      wavesAtOnce: veto.isHeld ? 1 : WRITE_WAVES,
      run: (workspaceId, writes) => this.run(workspaceId, writes, false),
    });
    this.bulk = this.share({
      maxWave: BULK_WAVE,
      wavesAtOnce: BULK_WAVES,
      run: (workspaceId, writes) =>
        this.numbering.take(workspaceId, (pass) => this.run(workspaceId, writes, false, pass)),
    });
  }

  /**
   * Makes a group what the write wants it to be, or creates it. If nothing is to change, nothing is
   * written.
   * @throws what `plan` throws; ValidationFailed, InsufficientScope, UserGroupTokenForgotten,
   *   UserGroupTokenUnreadable, UserGroupTokenNotUsable, UserGroupQuotaReached, ChangeRefused,
   *   AuditUnavailable, DatabaseUnavailable, ExtensionUnavailable; what a guard throws
   */
  async write(write: UserGroupWrite): Promise<WrittenUserGroup> {
    const { caller, providedId, withMapping } = write;
    const key = { workspaceId: caller.workspaceId, providedId };
    return this.store(write, await this.userGroups.find(key, withMapping), this.single);
  }

  /**
   * As `write`, for writes of one workspace, each of another group.
   * @returns the outcome of each in their order
   */
  async writeAll(
    workspaceId: number,
    writes: readonly UserGroupWrite[],
  ): Promise<Outcome<WrittenUserGroup>[]> {
    const ids = writes.map(({ providedId }) => providedId);
    return this.joining.take(workspaceId, async (pass) => {
      const found = await this.userGroups.findThese(workspaceId, ids);
      const stored = new Map(found.map((group) => [group.providedId, group]));
      const outcomes = writes.map((write) =>
        this.store(write, stored.get(write.providedId), this.bulk).then(
          (value) => ({ value }),
          (error: unknown) => ({ error }),
        ),
      );
      pass();
      return Promise.all(outcomes);
    });
  }

  /** @param stored the group as committed */
  private async store(
    write: UserGroupWrite,
    stored: StoredUserGroup | undefined,
    queue: QueuedWrites,
  ): Promise<WrittenUserGroup> {
    const { caller, providedId } = write;
    const wanted = write.plan(stored);
    if (stored && isNothing(changeOf(stored, wanted, providedId))) {
      return { result: 'unchanged', group: stored, token: readToken(this.cipher, write, stored) };
    }
    requireScope(caller, 'user-groups:write', stored ? 'Changing the group' : 'Creating the group');
    // A group that cannot be created is refused without a transaction.
    if (!stored) changeOf(stored, wanted, providedId);
    const { token: newToken } = wanted;
    return queue.join(caller.workspaceId, { ...write, isKnown: stored !== undefined, newToken });
  }

  private share({ run, ...limits }: WaveOptions): QueuedWrites {
    return new SharedWrites({
      keyOf: ({ providedId }) => providedId,
      together: async (workspaceId, writes) => {
        try {
          const outcomes = await run(workspaceId, writes);
          return outcomes.map((outcome) => (isLost(outcome) ? undefined : outcome));
        } catch (error) {
          // Else each half of the wave would wait as long.
          if (error instanceof ExtensionUnavailable) return writes.map(() => ({ error }));
          throw error;
        }
      },
      alone: (workspaceId, write) => this.runAlone(workspaceId, write),
      isExpected: (error) => error instanceof LostRace,
      ...limits,
    });
  }

  /** Each lost race is followed by finding who has won. */
  private async runAlone(workspaceId: number, write: QueuedWrite): Promise<WrittenUserGroup> {
    let reason: unknown;
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      try {
        const [outcome] = await this.run(workspaceId, [{ ...write, isKnown: true }], true);
        if ('value' in outcome!) return outcome.value;
        throw outcome!.error;
      } catch (error) {
        if (!(error instanceof LostRace) && !isUniqueViolation(error)) throw error;
        reason = error;
      }
    }
    throw new DatabaseUnavailable(reason);
  }

  /**
   * One transaction; what it has changed is announced after its commit.
   * @param numbered called when the new groups have their numbers
   */
  private async run(
    workspaceId: number,
    writes: readonly QueuedWrite[],
    waits: boolean,
    numbered?: () => void,
  ): Promise<Outcome<WrittenUserGroup>[]> {
    const outcomes = await this.veto.inTurn(workspaceId, () =>
      this.rules.runWithSharedLock(workspaceId, (manager, rules) =>
        this.waves.apply({ manager, workspaceId, rules, waits, numbered }, writes),
      ),
    );
    for (const outcome of outcomes) {
      if (!('value' in outcome) || outcome.value.result === 'unchanged') continue;
      const { result, group, isRotated } = outcome.value;
      const activity = this.activity.of(workspaceId);
      if (result === 'created') activity.creations++;
      if (isRotated) {
        this.issuer.rotations++;
        activity.rotations++;
      }
      this.changes.announce({ workspaceId, userGroupId: group.id });
    }
    return outcomes;
  }
}

function isLost(outcome: Outcome<unknown>): boolean {
  return 'error' in outcome && outcome.error instanceof LostRace;
}
