import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../core/audit/audit-log.ts';
import { IdempotentCalls } from '../../core/idempotency/idempotent-calls.ts';
import { UserGroupRenamed } from '../../core/user-group/group/user-group.errors.ts';
import type { WantedUserGroup } from '../../core/user-group/group/user-group-fields.ts';
import {
  type StoredUserGroup,
  UserGroupRepository,
} from '../../core/user-group/group/user-group.repository.ts';
import type { UserGroupWrite } from '../../core/user-group/writing/user-group-write.ts';
import {
  UserGroupWriter,
  type WriteTogether,
} from '../../core/user-group/writing/user-group-writer.ts';
import { RolledBack } from '../../core/user-group/writing/write-waves.ts';
import type { Caller } from '../../platform/common/access/caller.ts';
import { Gate } from '../../platform/common/concurrency/gate.ts';
import { TokenRestricted } from '../../platform/common/problem/errors.ts';
import { currentTime, toWireTime } from '../../platform/common/time.ts';
import { BulkWrites, type Needed } from '../bulk/bulk-writes.ts';
import type { AppliedPlanResponse, PlanCounts } from './dto/plan-response.dto.ts';
import type { UserGroupPlanChange } from './entities/user-group-plan-change.entity.ts';
import type { UserGroupPlan } from './entities/user-group-plan.entity.ts';
import { PlanApplied, PlanInConflict, PlanInUse, PlanStale } from './plan.errors.ts';
import { PlanRepository, type WatchedGroup } from './plan.repository.ts';

/** Groups that a statement writes. */
const BATCH = 200;

const NEEDED: Needed[] = [['user-groups:write', 'Applying a plan']];

/** Carries out plans: each in one transaction, so that it is applied as a whole or not at all. */
@Injectable()
export class PlanApplier {
  constructor(
    private readonly plans: PlanRepository,
    private readonly groups: UserGroupRepository,
    private readonly writer: UserGroupWriter,
    private readonly bulk: BulkWrites,
    private readonly gate: Gate,
    private readonly calls: IdempotentCalls,
    private readonly auditLog: AuditLog,
  ) {}

  /**
   * Stores every change of a plan if each of its groups, its set and the rules are as they were when it was made. Each
   * change counts as a call for the rate limits.
   * @param key the `Idempotency-Key`, with which a repeated call gets the same response
   * @throws PlanNotFound, PlanInConflict, PlanApplied, PlanInUse, PlanStale, TokenRestricted; errors of a write
   */
  async apply(caller: Caller, id: number, key?: string): Promise<AppliedPlanResponse> {
    const { workspaceId } = caller;
    const planKey = { workspaceId, id };
    const { plan, changes } = await this.gate.run(caller, async () => ({
      plan: await this.plans.get(planKey, currentTime()),
      changes: await this.plans.changesOf(planKey),
    }));
    if (countsOf(plan).conflict > 0) throw new PlanInConflict();
    let current = caller;
    for await (const admitted of this.bulk.admit(caller, changes, NEEDED)) {
      current = admitted.caller;
      if (current.range !== null) throw new TokenRestricted();
    }
    const call = { key, request: ['user_group_plan.apply', id] };
    try {
      return await this.gate.run(current, () =>
        this.writer.runTogether(workspaceId, (manager, write) =>
          this.calls.within(manager, current, call, () =>
            this.carryOut(current, { plan, changes }, manager, write),
          ),
        ),
      );
    } catch (error) {
      // Another call has created a group of the plan while a guard was asked.
      if (error instanceof RolledBack) throw new PlanStale();
      throw error;
    }
  }

  private async carryOut(
    caller: Caller,
    { plan, changes }: { plan: UserGroupPlan; changes: readonly UserGroupPlanChange[] },
    manager: EntityManager,
    write: WriteTogether,
  ): Promise<AppliedPlanResponse> {
    const { workspaceId, id, setName } = plan;
    await this.requireUnapplied(manager, plan);
    // All of them before the first write: a writer that waits for one of them holds nothing that this call waits for.
    const ids = changes.flatMap(({ teamId, providedId }) => (teamId === null ? [] : providedId));
    await this.groups.lockThese(workspaceId, ids, true, manager);
    for (let from = 0; from < changes.length; from += BATCH) {
      const some = changes.slice(from, from + BATCH);
      const attempts = await write(
        some.map((change) => toWrite(caller, change, plan)),
        true,
      );
      for (const attempt of attempts) {
        if (attempt === 'retry') throw new PlanStale();
        if ('error' in attempt) throw toStale(attempt.error);
        if (attempt.value.rulesVersion !== plan.rulesVersion) throw new PlanStale();
      }
    }
    const watched = JSON.parse(plan.watched) as WatchedGroup[];
    if (!(await this.plans.isAsPlanned(manager, plan, watched))) throw new PlanStale();
    const now = currentTime();
    const counts = countsOf(plan);
    await this.plans.markApplied(manager, { workspaceId, id }, now);
    await this.auditLog.record(manager, caller, {
      action: 'user_group_plan.apply',
      object: { type: 'user_group_plan', id },
      details: { set: setName, ...counts },
    });
    return {
      success: 1,
      user_group_plan: { id, set: setName, counts, applied_at: toWireTime(now) },
    };
  }

  /** Keeps other calls from applying a plan of the set. @throws PlanInUse, PlanApplied, PlanStale */
  private async requireUnapplied(
    manager: EntityManager,
    { workspaceId, setName, id }: UserGroupPlan,
  ): Promise<void> {
    const locked = await this.plans.lockSet(manager, { workspaceId, setName });
    if (!locked) throw new PlanInUse();
    const own = locked.find((plan) => plan.id === id);
    // Newer plans have replaced it at this moment.
    if (!own) throw new PlanStale();
    if (own.appliedAt !== null) throw new PlanApplied();
  }
}

function toWrite(
  caller: Caller,
  { action, providedId, teamId, version, wanted }: UserGroupPlanChange,
  { id, setName }: UserGroupPlan,
): UserGroupWrite {
  return {
    caller,
    providedId,
    plan: (stored: StoredUserGroup | undefined) => {
      const isAsPlanned = (stored?.id ?? null) === teamId && (stored?.version ?? null) === version;
      if (!isAsPlanned) throw new PlanStale();
      return action === 'delete' ? 'removal' : (JSON.parse(wanted) as WantedUserGroup);
    },
    showsToken: false,
    details: { plan: id, set: setName },
  };
}

/** A group of the plan has got another id since: the next plan names it. */
function toStale(error: unknown): unknown {
  return error instanceof UserGroupRenamed ? new PlanStale() : error;
}

function countsOf({ counts }: UserGroupPlan): PlanCounts {
  return JSON.parse(counts) as PlanCounts;
}
