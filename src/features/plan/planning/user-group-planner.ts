import { Injectable } from '@nestjs/common';
import { AuditLog } from '../../../core/audit/audit-log.ts';
import { WorkspaceRules } from '../../../core/mapping/workspace-rules.ts';
import { UserGroupRepository } from '../../../core/user-group/group/user-group.repository.ts';
import { DryRun } from '../../../core/user-group/writing/dry-run.ts';
import { UserGroupWriter } from '../../../core/user-group/writing/user-group-writer.ts';
import type { Caller } from '../../../platform/common/access/caller.ts';
import { Gate } from '../../../platform/common/concurrency/gate.ts';
import { Slots } from '../../../platform/common/concurrency/slots.ts';
import type { Lines } from '../../../platform/common/http/responses/ndjson.ts';
import { TokenRestricted } from '../../../platform/common/problem/errors.ts';
import { currentTime, DAY_MS, toWireTime } from '../../../platform/common/time.ts';
import { Config } from '../../../platform/config/config.ts';
import { Transactor } from '../../../platform/database/transactor.ts';
import { BulkWrites, type Needed } from '../../bulk/bulk-writes.ts';
import { toRefusedLine } from '../../bulk/dto/import-response.dto.ts';
import type { LineOfGroup } from '../../bulk/import-lines.ts';
import type { DesiredUserGroup, PlanQueryDto } from '../dto/plan.dto.ts';
import type { PlanConflictView, PlanCounts, PlanResponse } from '../dto/plan-response.dto.ts';
import { PlanTooLarge } from '../plan.errors.ts';
import { PlanRepository, type SetMember, type WatchedGroup } from '../plan.repository.ts';
import { DesiredGroups } from './desired-groups.ts';
import { compareWithLine, type PlannedGroup, wantedOfLine } from './group-comparison.ts';
import { pruneOf, requireLines } from './prune.ts';

/** Groups that a plan changes: they are stored in one transaction, for which others wait. */
const MAX_CHANGES = 2000;
/** Bytes that these changes store. */
const MAX_BYTES = 8 * 1024 * 1024;
/** Groups of a set. */
const MAX_MEMBERS = 20_000;

/** Groups that are read at a time. */
const BATCH = 200;
const MEMBERS_AT_ONCE = 1000;

/** Plans of an API token, and of its workspace, that are made at once: each is in memory. */
const AT_ONCE = { ofToken: 2, ofWorkspace: 4 };

/** A plan is kept for this long. */
const KEPT_MS = DAY_MS;

const NEEDED: Needed[] = [
  ['user-groups:write', 'Planning changes of groups'],
  ['user-groups:read', 'Comparing groups'],
];

/** The comparisons of lines with their groups. */
class Comparisons {
  readonly changes: PlannedGroup[] = [];
  readonly watched: WatchedGroup[] = [];
  readonly conflicts: PlanConflictView[] = [];
  /** The version of the rules by which the first groups were judged; another one makes the plan stale. */
  rulesVersion: number | undefined;
  private bytes = 0;

  /** @throws PlanTooLarge */
  add(comparison: ReturnType<typeof compareWithLine>): void {
    if ('watched' in comparison) this.watched.push(comparison.watched);
    else if ('conflict' in comparison) this.conflicts.push(comparison.conflict);
    else {
      this.changes.push(comparison);
      this.bytes += Buffer.byteLength(comparison.change.wanted);
      if (this.bytes > MAX_BYTES) throw new PlanTooLarge();
    }
  }
}

/** Compares lines with the groups of a set, and keeps what has to change as a plan. It writes no group. */
@Injectable()
export class UserGroupPlanner {
  private readonly slots = new Slots('plans');

  constructor(
    private readonly groups: UserGroupRepository,
    private readonly writer: UserGroupWriter,
    private readonly rules: WorkspaceRules,
    private readonly plans: PlanRepository,
    private readonly bulk: BulkWrites,
    private readonly gate: Gate,
    private readonly transactor: Transactor,
    private readonly auditLog: AuditLog,
    private readonly config: Config,
  ) {}

  /**
   * Makes a plan. Each line counts as a call for the rate limits.
   * @throws ValidationFailed, PruneRefused, PlanTooLarge, TooManyAtOnce, TokenRestricted; errors of the body and of the caller
   */
  async plan(caller: Caller, query: PlanQueryDto, lines: Lines): Promise<PlanResponse> {
    const { apiTokenId, workspaceId } = caller;
    const release = await this.slots.acquire(
      apiTokenId === null
        ? []
        : [
            ['workspace', workspaceId, AT_ONCE.ofWorkspace],
            ['API token', apiTokenId, AT_ONCE.ofToken],
          ],
    );
    try {
      const { desired, current } = await this.receive(caller, lines);
      requireLines(query, desired.lines.length);
      const compared = await this.compareAll(current, query, desired);
      const members = await this.readMembers(current, query.set);
      return await this.store(current, query, { desired, compared, members });
    } finally {
      release();
    }
  }

  private async receive(
    caller: Caller,
    lines: Lines,
  ): Promise<{ desired: DesiredGroups; current: Caller }> {
    const desired = new DesiredGroups(this.config.bodyLimit);
    let current = caller;
    for await (const arrived of lines) {
      for await (const admitted of this.bulk.admit(current, arrived, NEEDED)) {
        current = admitted.caller;
        if (current.range !== null) throw new TokenRestricted();
        for (const line of admitted.items) desired.add(line);
      }
    }
    desired.requireFaultless();
    return { desired, current };
  }

  /** @throws ValidationFailed if the rules of the workspace refuse a line, PlanTooLarge */
  private async compareAll(
    caller: Caller,
    { set, adopt }: PlanQueryDto,
    desired: DesiredGroups,
  ): Promise<Comparisons> {
    const { variables } = await this.rules.read(caller.workspaceId);
    const terms = { set, adopts: adopt === 'true', variables };
    const compared = new Comparisons();
    const dryRun = new DryRun();
    for (let from = 0; from < desired.lines.length; from += BATCH) {
      const some = desired.parse(from, BATCH);
      const ids = some.map(({ id }) => id);
      const found = await this.gate.run(caller, () =>
        this.groups.readThese(caller.workspaceId, ids),
      );
      const changed: LineOfGroup<DesiredUserGroup>[] = [];
      for (const line of some) {
        const { stored, rulesVersion } = found.get(line.id)!;
        compared.rulesVersion ??= rulesVersion;
        if (!stored && !desired.canBeNew(line)) continue;
        const comparison = compareWithLine(line, stored, terms);
        compared.add(comparison);
        if ('change' in comparison) changed.push(line);
      }
      await this.check(caller, set, { changed, desired, dryRun });
    }
    desired.requireFaultless();
    return compared;
  }

  /** Judges what the lines change by the rules and the quota of the workspace. */
  private async check(
    caller: Caller,
    set: string,
    {
      changed,
      desired,
      dryRun,
    }: {
      changed: readonly LineOfGroup<DesiredUserGroup>[];
      desired: DesiredGroups;
      dryRun: DryRun;
    },
  ): Promise<void> {
    if (changed.length === 0) return;
    const writes = changed.map(({ id, dto }) => ({
      caller,
      providedId: id,
      plan: () => wantedOfLine(dto, set),
      showsToken: false,
    }));
    const outcomes = await this.gate.run(caller, () =>
      this.writer.check(caller.workspaceId, writes, dryRun),
    );
    for (const [index, outcome] of outcomes.entries()) {
      if ('value' in outcome) continue;
      const error = this.bulk.toServiceError(outcome.error);
      if (error.spec.status !== 422) throw error;
      desired.refuse(toRefusedLine(changed[index]!.line, error));
    }
  }

  /** @throws PlanTooLarge */
  private async readMembers(caller: Caller, setName: string): Promise<SetMember[]> {
    const { workspaceId } = caller;
    const members: SetMember[] = [];
    for (;;) {
      const after = members.at(-1)?.id ?? 0;
      const page = await this.gate.run(caller, () =>
        this.plans.members({ workspaceId, setName }, after, MEMBERS_AT_ONCE),
      );
      members.push(...page);
      if (members.length > MAX_MEMBERS) throw new PlanTooLarge();
      if (page.length < MEMBERS_AT_ONCE) return members;
    }
  }

  private async store(
    caller: Caller,
    query: PlanQueryDto,
    {
      desired,
      compared,
      members,
    }: { desired: DesiredGroups; compared: Comparisons; members: readonly SetMember[] },
  ): Promise<PlanResponse> {
    const pruned = pruneOf(query, members, new Set(desired.lines.map(({ id }) => id)));
    const all = [...compared.changes, ...pruned.changes];
    if (all.length > MAX_CHANGES) throw new PlanTooLarge();
    const watched = [...compared.watched, ...pruned.watched];
    const { conflicts } = compared;
    const counts = countsOf(all, { unchanged: watched.length, conflict: conflicts.length });
    const joining = all.filter(({ joins }) => joins).length;
    const { workspaceId } = caller;
    const { set } = query;
    const createdAt = currentTime();
    const expiresAt = createdAt + KEPT_MS;
    const plan = {
      workspaceId,
      setName: set,
      createdAt,
      expiresAt,
      rulesVersion: compared.rulesVersion ?? 0,
      watched: JSON.stringify(watched),
      members: members.length + joining - counts.delete,
      counts: JSON.stringify(counts),
    };
    const changes = all.map(({ change }, index) => ({ ...change, place: index + 1 }));
    const id = await this.transactor.run(async (manager) => {
      const stored = await this.plans.insert(manager, plan, changes);
      await this.auditLog.record(manager, caller, {
        action: 'user_group_plan.create',
        object: { type: 'user_group_plan', id: stored },
        details: { set, ...counts },
      });
      return stored;
    });
    return {
      success: 1,
      user_group_plan: {
        id,
        set,
        counts,
        created_at: toWireTime(createdAt),
        expires_at: toWireTime(expiresAt),
        changes: all.map(({ view }) => view),
        conflicts,
      },
    };
  }
}

function countsOf(
  changes: readonly PlannedGroup[],
  rest: Pick<PlanCounts, 'unchanged' | 'conflict'>,
): PlanCounts {
  const counts = { create: 0, update: 0, suspend: 0, delete: 0, ...rest };
  for (const { change } of changes) counts[change.action]++;
  return counts;
}
