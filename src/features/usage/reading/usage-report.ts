import { Injectable } from '@nestjs/common';
import { ReservedIds } from '../../../core/user-group/group/reserved-ids.ts';
import type { Caller } from '../../../platform/common/access/caller.ts';
import { seenBy } from '../../../platform/common/access/user-group-range.ts';
import {
  limitOf,
  nextAfter,
  type PageQueryDto,
  positionOf,
} from '../../../platform/common/http/parameters/page.dto.ts';
import { Statements } from '../../../platform/database/statements.ts';
import type { GroupUsageQueryDto, UsageQueryDto } from '../dto/usage-query.dto.ts';
import type { UsageResponse, UsageView } from '../dto/usage-response.dto.ts';
import { busiestGroups, findGroup, listCounts, type UsageCounts } from './usage-lists.ts';
import { enclosedPeriod, type UsageSteps, stepsOf } from './usage-steps.ts';

/** The row of `usage_count` that has all groups of a workspace. */
const ALL_GROUPS = 0;

const NOTHING: UsageCounts = { views: 0, embedTokens: 0, introspections: 0, users: 0 };

/** Reads what groups have used. */
@Injectable()
export class UsageReport {
  constructor(
    private readonly statements: Statements,
    private readonly reserved: ReservedIds,
  ) {}

  /** @throws ValidationFailed, DatabaseUnavailable */
  list({ workspaceId }: Caller, query: UsageQueryDto): Promise<UsageResponse> {
    const { by = 'day' } = query;
    if (by === 'group') return this.listGroups(workspaceId, query);
    return this.listSteps({ workspaceId, userGroupId: ALL_GROUPS }, stepsOf(by, query), query);
  }

  /** @throws UserGroupNotFound, UserGroupRenamed, ValidationFailed, DatabaseUnavailable */
  async listOfGroup(
    caller: Caller,
    providedId: string,
    query: GroupUsageQueryDto,
  ): Promise<UsageResponse> {
    const steps = stepsOf(query.by ?? 'day', query);
    const { workspaceId } = caller;
    const [stored] = await this.statements.read(findGroup, { workspaceId, providedId });
    const group = seenBy(caller, stored);
    if (!group) throw await this.reserved.refusal(caller, providedId);
    return this.listSteps({ workspaceId, userGroupId: group.id }, steps, query);
  }

  private async listGroups(workspaceId: number, query: UsageQueryDto): Promise<UsageResponse> {
    const { unit, startAt } = enclosedPeriod(query);
    const given = { workspaceId, unit, startAt };
    const { rows, ...rest } = await busiestGroups.page(this.statements, query, given);
    const usage = rows.map(({ userGroupId, providedId, name, ...counts }) => ({
      team_id: userGroupId,
      provided_id: providedId,
      name,
      ...toView(counts, true),
    }));
    return { success: 1, usage, ...rest };
  }

  /** Lists an entry for each hour or day, even if nothing was counted. */
  private async listSteps(
    of: { workspaceId: number; userGroupId: number },
    steps: UsageSteps,
    query: PageQueryDto,
  ): Promise<UsageResponse> {
    const { first, last, stepMs, unit, hasUsers } = steps;
    const [after = first - stepMs] = positionOf(query, ['number']) ?? [];
    const begin = first + Math.max(0, Math.floor((after - first) / stepMs) + 1) * stepMs;
    const end = Math.min(last, begin + (limitOf(query) - 1) * stepMs);
    if (begin > end) return { success: 1, usage: [], has_more: false };
    const sums = new Map<number, UsageCounts>();
    const range = steps.readFrom(begin, end);
    for (const row of await this.statements.read(listCounts, { ...of, unit, ...range })) {
      const step = steps.stepOf(row.startAt);
      sums.set(step, sumOf(sums.get(step) ?? NOTHING, row));
    }
    const usage: UsageView[] = [];
    for (let step = begin; step <= end; step += stepMs) {
      usage.push({ period: steps.nameOf(step), ...toView(sums.get(step) ?? NOTHING, hasUsers) });
    }
    return { success: 1, usage, ...nextAfter(end < last ? [end] : undefined) };
  }
}

function sumOf(one: UsageCounts, other: UsageCounts): UsageCounts {
  return {
    views: one.views + other.views,
    embedTokens: one.embedTokens + other.embedTokens,
    introspections: one.introspections + other.introspections,
    users: one.users + other.users,
  };
}

function toView({ views, embedTokens, introspections, users }: UsageCounts, hasUsers: boolean) {
  return { views, embed_tokens: embedTokens, introspections, users: hasUsers ? users : null };
}
