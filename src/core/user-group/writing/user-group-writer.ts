import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { requireScope } from '../../../platform/common/access/caller.ts';
import { DatabaseUnavailable } from '../../../platform/common/problem/errors.ts';
import {
  OutsideTokenRange,
  UserGroupRenamed,
  UserGroupTokenNotUsable,
} from '../group/user-group.errors.ts';
import { handled } from '../../../platform/common/concurrency/handled.ts';
import { KeyedMutex } from '../../../platform/common/concurrency/keyed-mutex.ts';
import { LANE_LIMITS } from '../../../platform/database/waves/lanes.ts';
import {
  type Attempt,
  BULK_WAVE,
  BULK_WAVES,
  type Outcome,
  SharedWrites,
  WRITE_WAVES,
} from '../../../platform/database/waves/shared-writes.ts';
import { UserGroupTokenCipher } from '../../encryption-key/user-group-token-cipher.ts';
import { WorkspaceRules } from '../../mapping/workspace-rules.ts';
import { covers, seenBy } from '../../../platform/common/access/user-group-range.ts';
import { ReservedIds } from '../group/reserved-ids.ts';
import { UserGroupRepository } from '../group/user-group.repository.ts';
import type { DryRun } from './dry-run.ts';
import { changeOf, isJudged, isNothing, type UserGroupChange } from './user-group-change.ts';
import { UserGroupChangeVeto } from '../guard/user-group-change-veto.ts';
import {
  type QueuedWrite,
  readToken,
  type UserGroupWrite,
  type WrittenUserGroup,
} from './user-group-write.ts';
import type { Wave } from './write-planner.ts';
import { WriteStore } from './write-store.ts';
import { WriteWaves } from './write-waves.ts';

type QueuedWrites = SharedWrites<QueuedWrite, WrittenUserGroup>;

/**
 * Writes groups in a transaction. Groups that another transaction has locked are left out (`'retry'`), unless the one
 * write `isAlone`: then it waits for the lock.
 * @returns the attempts in their order
 */
export type WriteTogether = (
  writes: readonly UserGroupWrite[],
  isAlone: boolean,
) => Promise<Attempt<WrittenUserGroup>[]>;

interface Sharing {
  isGuarded: boolean;
  wavesAtOnce: number;
  maxWave?: number;
  maxWaveMs?: number;
  /** Lets the waves of a workspace be stored in the order in which they begin. */
  order?: KeyedMutex<number>;
}

/**
 * Writes user groups for all operations. Writes of one workspace that arrive together share a wave:
 *
 *     read    the groups, in one statement, unless their look-up has just read them
 *     plan    what each write changes, by the group and the rules as they were read; or refuse it
 *     apply   in one statement, which is a transaction: each write whose group, token and rules are still those of its plan
 *     retry   the others, from the beginning: twice in a transaction that locks the groups before it reads them and leaves
 *             out those that another transaction has locked; then up to three times alone, waiting for the lock
 *
 * With an application's guard, which reads and writes in the transaction, the first attempt is made like the second.
 */
@Injectable()
export class UserGroupWriter {
  private readonly single: QueuedWrites;
  /** Separate lanes, so that none waits for another. */
  private readonly bulk: QueuedWrites;
  /** For writes that replace an ended token alone: no guard is asked about them. */
  private readonly unguarded: QueuedWrites;

  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly reserved: ReservedIds,
    private readonly waves: WriteWaves,
    private readonly store: WriteStore,
    private readonly veto: UserGroupChangeVeto,
    private readonly rules: WorkspaceRules,
    private readonly cipher: UserGroupTokenCipher,
  ) {
    const isGuarded = veto.hasGuards;
    // Guards are asked by one transaction of a workspace at a time.
    this.single = this.share({ isGuarded, wavesAtOnce: isGuarded ? 1 : WRITE_WAVES });
    const order = new KeyedMutex<number>();
    const wavesAtOnce = isGuarded ? 1 : BULK_WAVES;
    this.bulk = this.share({
      isGuarded,
      order,
      wavesAtOnce,
      maxWave: BULK_WAVE,
      maxWaveMs: LANE_LIMITS.importResultMs,
    });
    this.unguarded = isGuarded
      ? this.share({ isGuarded: false, wavesAtOnce: WRITE_WAVES })
      : this.single;
  }

  /**
   * Creates a group, or changes it to the wanted state. If nothing changes, nothing is written.
   * @throws errors of `plan`; UserGroupRenamed, ValidationFailed, InsufficientScope, UserGroupTokenForgotten, UserGroupTokenUnreadable,
   *   UserGroupTokenNotUsable, UserGroupQuotaReached, ChangeRefused, AuditUnavailable, DatabaseUnavailable,
   *   ExtensionUnavailable; errors of a guard
   */
  async write(wanted: UserGroupWrite): Promise<WrittenUserGroup> {
    const write = inRange(wanted);
    const { caller, providedId, isLookUp } = write;
    const { workspaceId } = caller;
    const read = await (isLookUp
      ? this.userGroups.readToCompare(workspaceId, providedId)
      : this.userGroups.readToWrite(workspaceId, providedId));
    const { stored } = read;
    let change: UserGroupChange;
    try {
      const planned = write.plan(stored);
      if (!stored) requireScope(caller, 'user-groups:write', 'Creating the group');
      change = changeOf(stored, planned, providedId);
    } catch (error) {
      throw seenBy(caller, stored)
        ? error
        : await this.reserved.refusal(caller, providedId, error as Error);
    }
    if (stored && isNothing(change)) {
      const token = readToken(this.cipher, write, stored);
      return { result: 'unchanged', group: stored, rulesVersion: read.rulesVersion, token };
    }
    if (isJudged(change)) requireScope(caller, 'user-groups:write', 'Changing the group');
    const lanes = isJudged(change) ? this.single : this.unguarded;
    // The rules judge a changed group with its mapping.
    const isWhole = !stored || !isLookUp;
    return lanes.join(workspaceId, {
      ...write,
      read: isWhole ? { ...read, change } : undefined,
      isRetry: false,
    });
  }

  /** Writes several groups of one workspace, as `write` does, each another group. @returns the outcomes in their order */
  writeAll(
    workspaceId: number,
    writes: readonly UserGroupWrite[],
  ): Promise<Outcome<WrittenUserGroup>[]> {
    return this.bulk.joinAll(workspaceId, writes.map(toQueued));
  }

  /**
   * Runs `work` in one transaction: the groups that it writes, each once, are stored together with what else it stores, or
   * not at all.
   * @throws errors of `work`; Error if a guard has been asked and a write has lost a race; DatabaseUnavailable
   */
  async runTogether<T>(
    workspaceId: number,
    work: (manager: EntityManager, write: WriteTogether) => Promise<T>,
  ): Promise<T> {
    let stored: WrittenUserGroup[] = [];
    const result = await this.veto.inTurn(workspaceId, () =>
      this.rules.runWithSharedLock(workspaceId, (manager) => {
        stored = [];
        return work(manager, async (writes, isAlone) => {
          const queued = writes.map(toQueued);
          const outcomes = await this.waves.writeLocked({ workspaceId, isAlone, manager }, queued);
          const attempts = await this.refuseReserved(workspaceId, queued, outcomes, manager);
          stored.push(
            ...attempts.flatMap((one) =>
              typeof one === 'object' && 'value' in one ? one.value : [],
            ),
          );
          return attempts;
        });
      }),
    );
    for (const one of stored) this.announce(workspaceId, one);
    return result;
  }

  /**
   * Finds out the results that `writeAll` would have, and stores nothing. An application's guard is not asked.
   * @param dryRun the decisions of earlier calls; takes in those of this one
   */
  async check(
    workspaceId: number,
    writes: readonly UserGroupWrite[],
    dryRun: DryRun,
  ): Promise<Outcome<WrittenUserGroup>[]> {
    const queued = writes.map(toQueued);
    const { wave, planned } = await this.waves.plan({ workspaceId, isAlone: true, dryRun }, queued);
    const judged = await this.refuseReserved(workspaceId, queued, wave.outcomes);
    for (const [n, write] of queued.entries()) {
      if (judged[n] !== 'retry') wave.outcomes.set(write, judged[n]!);
    }
    for (const write of planned) {
      if (wave.outcomes.has(write)) continue;
      const { change, group, newToken } = write;
      dryRun.add(change, newToken);
      const result = change.stored ? 'updated' : 'created';
      const isRotated = change.replacement !== undefined;
      const value = {
        result,
        group,
        rulesVersion: wave.known.version,
        token: undefined,
        isRotated,
      } as const;
      wave.outcomes.set(write, { value });
    }
    return queued.map((write) => {
      const outcome = wave.outcomes.get(write);
      // An earlier write of the wave has the same token.
      if (outcome === 'retry') return { error: new UserGroupTokenNotUsable() };
      return outcome ?? { error: new DatabaseUnavailable(new Error('the rules have changed')) };
    });
  }

  private share({ isGuarded, order, ...limits }: Sharing): QueuedWrites {
    return new SharedWrites<QueuedWrite, WrittenUserGroup>({
      ...limits,
      keyOf: ({ providedId }) => providedId,
      // The write before it leaves another group than the one that was read.
      onSameKey: (write) => (write.read = undefined),
      run: async (workspaceId, writes, isAlone) => {
        const isFree = !isGuarded && !isAlone && !writes.some(({ isRetry }) => isRetry);
        const plan = () => this.waves.plan({ workspaceId, isAlone }, writes);
        const early = isFree && handled(plan());
        const run = async () => {
          if (!early) return this.waves.runLocked(workspaceId, writes, { isGuarded, isAlone });
          const ready = await early;
          if (!order || ready.wave.known.rules.userGroupQuota === null) {
            return this.waves.apply(ready);
          }
          // The wave before it may have taken the last places.
          for (const write of writes) write.read = undefined;
          return this.waves.apply(await plan());
        };
        const outcomes = await (order && !isAlone ? order.run(workspaceId, run) : run());
        return this.refuseReserved(workspaceId, writes, outcomes);
      },
      onRetry: (write) => Object.assign(write, { read: undefined, isRetry: true }),
      onDone: (workspaceId, written) => {
        this.announce(workspaceId, written);
      },
    });
  }

  /**
   * Returns the attempts in their order. A write that would have created a group, and has failed, is refused if its id is
   * reserved for one that has another id now.
   */
  private async refuseReserved(
    workspaceId: number,
    writes: readonly QueuedWrite[],
    outcomes: Wave['outcomes'],
    manager?: EntityManager,
  ): Promise<Attempt<WrittenUserGroup>[]> {
    const attempts = writes.map((write) => outcomes.get(write) ?? 'retry');
    const failed = writes.filter(({ caller, read }, n) => {
      const attempt = attempts[n]!;
      return !seenBy(caller, read?.stored) && (attempt === 'retry' || 'error' in attempt);
    });
    const ids = failed.map(({ providedId }) => providedId);
    const renamed = await this.reserved.find(workspaceId, ids, manager);
    return attempts.map((attempt, n) => {
      const { caller, providedId } = writes[n]!;
      const group = renamed.get(providedId);
      if (!group) return attempt;
      if (seenBy(caller, group)) {
        return { error: new UserGroupRenamed(providedId, group.providedId) };
      }
      return attempt === 'retry' ? { error: new OutsideTokenRange() } : attempt;
    });
  }

  private announce(workspaceId: number, { result, group, isRotated }: WrittenUserGroup): void {
    if (result === 'unchanged') return;
    this.store.announce(workspaceId, group.id, { isCreated: result === 'created', isRotated });
  }
}

/** Lets the plan of a restricted caller see, create and write groups of its range alone. */
function inRange(write: UserGroupWrite): UserGroupWrite {
  const { caller, providedId, plan } = write;
  const { range } = caller;
  if (range === null) return write;
  return {
    ...write,
    plan: (stored) => {
      const isHidden = stored && !covers(range, { providedId, properties: stored.properties });
      // A group that does not exist for the caller is refused in the words of one that does not exist, unless it would be created.
      const wanted = plan(isHidden ? undefined : stored);
      const after = wanted === 'removal' ? undefined : wanted.properties;
      const properties = after ? JSON.stringify(after) : (stored?.properties ?? '{}');
      if (isHidden || !covers(range, { providedId, properties })) throw new OutsideTokenRange();
      return wanted;
    },
  };
}

function toQueued(write: UserGroupWrite): QueuedWrite {
  return { ...inRange(write), read: undefined, isRetry: false };
}
