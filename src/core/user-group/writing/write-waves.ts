import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { ExtensionUnavailable } from '../../../platform/common/problem/errors.ts';
import { hashToken } from '../../../platform/common/secret/secrets.ts';
import { currentTime } from '../../../platform/common/time.ts';
import type { Attempt } from '../../../platform/database/waves/shared-writes.ts';
import { WorkspaceRules } from '../../mapping/workspace-rules.ts';
import { UserGroupRepository } from '../group/user-group.repository.ts';
import { UserGroupChangeVeto } from '../guard/user-group-change-veto.ts';
import { UserGroupTokenRepository } from '../token/user-group-token.repository.ts';
import type { QueuedWrite, WrittenUserGroup } from './user-group-write.ts';
import { type PlannedWrite, type Wave, WritePlanner } from './write-planner.ts';
import { WriteStore } from './write-store.ts';

/** A wave that has been read and planned, and the writes of it to apply. */
interface PlannedWave {
  wave: Wave;
  planned: readonly PlannedWrite[];
}

/** Reads, plans and applies the writes of one wave: outside of a transaction, or in one that locks their groups. */
@Injectable()
export class WriteWaves {
  constructor(
    private readonly userGroups: UserGroupRepository,
    private readonly tokens: UserGroupTokenRepository,
    private readonly planner: WritePlanner,
    private readonly store: WriteStore,
    private readonly veto: UserGroupChangeVeto,
    private readonly rules: WorkspaceRules,
  ) {}

  /** Reads and plans. @returns the writes to apply; those that are decided have their outcome in the wave */
  async plan(
    {
      workspaceId,
      isAlone,
      manager,
      locked,
      dryRun,
    }: Pick<Wave, 'workspaceId' | 'isAlone' | 'manager' | 'dryRun'> & { locked?: Set<string> },
    all: readonly QueuedWrite[],
  ): Promise<PlannedWave> {
    const newTokens = all.flatMap(({ newToken }) =>
      newToken === undefined ? [] : [hashToken(newToken)],
    );
    // Before the groups: if a concurrent write brought both, the group is found, too.
    const usedTokens = await this.tokens.findUsed(workspaceId, newTokens, manager);
    const unread = all.filter(({ read }) => !read);
    const ids = unread.map(({ providedId }) => providedId);
    const found = await this.userGroups.readThese(workspaceId, ids, manager);
    const reads = all.map((write) => (write.read ??= found.get(write.providedId))!);
    const rulesVersion = Math.max(...reads.map((read) => read.rulesVersion));
    const known = await this.rules.at(workspaceId, rulesVersion, manager);
    // A number that is too small refuses nothing: the statement counts again.
    const groupCount =
      Math.min(...reads.map((read) => read.groupCount ?? 0)) + (dryRun?.creations ?? 0);
    const now = currentTime();
    const wave: Wave = {
      workspaceId,
      isAlone,
      manager,
      known,
      groupCount,
      now,
      dryRun,
      outcomes: new Map(),
    };
    if (known.version !== rulesVersion) return { wave, planned: [] };
    const writes = all.filter(
      ({ providedId, read }) => !locked || !read!.stored || locked.has(providedId),
    );
    return { wave, planned: await this.planner.plan(wave, writes, usedTokens) };
  }

  /** Applies what is planned. @returns the outcomes; a write without one has lost a race */
  async apply({ wave, planned }: PlannedWave): Promise<Wave['outcomes']> {
    const applied = await this.store.apply(wave, planned);
    for (const write of planned) {
      const value = applied.get(write);
      wave.outcomes.set(write, value ? { value } : 'retry');
    }
    return wave.outcomes;
  }

  /**
   * Runs the wave in a transaction that keeps the rules as they are, with those groups locked that no other transaction
   * has locked.
   * @param isAlone whether the one write waits for the lock of its group
   */
  async runLocked(
    workspaceId: number,
    writes: readonly QueuedWrite[],
    { isGuarded, isAlone }: { isGuarded: boolean; isAlone: boolean },
  ): Promise<Wave['outcomes']> {
    const work = (manager: EntityManager) =>
      this.writeLocked({ workspaceId, isAlone, manager }, writes, isGuarded);
    const run = () => this.rules.runWithSharedLock(workspaceId, work);
    try {
      return await (isGuarded ? this.veto.inTurn(workspaceId, run) : run());
    } catch (error) {
      if (error instanceof RolledBack) return error.outcomes;
      // Otherwise each half of the wave would wait as long.
      if (error instanceof ExtensionUnavailable) {
        return new Map(writes.map((write) => [write, { error }]));
      }
      throw error;
    }
  }

  /** @throws RolledBack if a guard has been asked and a write has lost a race: the transaction must not be committed */
  async writeLocked(
    within: Pick<Wave, 'workspaceId' | 'isAlone'> & { manager: EntityManager },
    writes: readonly QueuedWrite[],
    isGuarded = this.veto.hasGuards,
  ): Promise<Wave['outcomes']> {
    const ids = writes.map(({ providedId }) => providedId);
    const { workspaceId, isAlone, manager } = within;
    const locked = await this.userGroups.lockThese(workspaceId, ids, isAlone, manager);
    for (const write of writes) write.read = undefined;
    const outcomes = await this.apply(await this.plan({ ...within, locked }, writes));
    // A guard's writes for a change that lost a race must not be stored without it.
    if (isGuarded && [...outcomes.values()].includes('retry')) throw new RolledBack(outcomes);
    return outcomes;
  }
}

/** Rolls back a transaction in which a write has lost a race; a refused write stays refused. */
export class RolledBack extends Error {
  readonly outcomes: Wave['outcomes'];

  constructor(outcomes: Wave['outcomes']) {
    super();
    const isDecided = (outcome: Attempt<WrittenUserGroup>) =>
      outcome !== 'retry' && ('error' in outcome || outcome.value.result === 'unchanged');
    this.outcomes = new Map([...outcomes].filter(([, outcome]) => isDecided(outcome)));
  }
}
