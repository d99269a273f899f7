import { Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { WRITE_ERRORS } from '../../core/user-group/group/documented-errors.ts';
import { UserGroupQuotaReached } from '../../core/user-group/group/user-group.errors.ts';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import {
  IDEMPOTENCY_ERRORS,
  IdempotencyKeyHeader,
  QueryOf,
} from '../../platform/common/http/parameters/request-params.ts';
import { endSending, type Lines, NdjsonBody } from '../../platform/common/http/responses/ndjson.ts';
import { ApiProblems, ApiTags, Ok, Operation } from '../../platform/common/operation.ts';
import { ApplyPlanQueryDto, DesiredUserGroup, PlanQueryDto } from './dto/plan.dto.ts';
import { AppliedPlanResponse, PlanResponse } from './dto/plan-response.dto.ts';
import { PlanApplier } from './plan-applier.ts';
import {
  PlanApplied,
  PlanInConflict,
  PlanInUse,
  PlanNotFound,
  PlanStale,
  PlanTooLarge,
  PruneRefused,
} from './plan.errors.ts';
import { UserGroupPlanner } from './planning/user-group-planner.ts';

@ApiTags('Groups as code')
@Controller('api/v1/user-groups')
export class PlanController {
  constructor(
    private readonly planner: UserGroupPlanner,
    private readonly applier: PlanApplier,
  ) {}

  @Post('plan')
  @HttpCode(200)
  @RequiresScope('user-groups:write', { also: 'user-groups:read', gated: false })
  @Operation(
    'planUserGroups',
    'Plan the user groups of a set',
    'Compares the lines, each of which is the whole of a group, with the groups that there are, and keeps what has to change as a plan. No group is written. A field that a line leaves out has its default: no entries, no end, not suspended. A group of another set, or of none, is a conflict unless `adopt=true`. The tokens of groups are not part of it: a line with a `token` is refused. If a line is refused there is no plan; the first segment of each pointer is the number of the line. Each line counts as a call for the rate limits.',
  )
  @Ok(PlanResponse, 'The plan.')
  @ApiProblems(PruneRefused, PlanTooLarge, UserGroupQuotaReached)
  async plan(
    @CurrentCaller() caller: Caller,
    @QueryOf(PlanQueryDto) query: PlanQueryDto,
    @NdjsonBody(DesiredUserGroup, 'One JSON object per line, as an export without tokens has them.')
    lines: Lines,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PlanResponse> {
    try {
      return await this.planner.plan(caller, query, lines);
    } finally {
      endSending(response);
    }
  }

  @Post('apply')
  @HttpCode(200)
  @RequiresScope('user-groups:write', { gated: false })
  @Operation(
    'applyUserGroups',
    'Apply a plan',
    'Carries out exactly the plan, in one transaction: all of it, or nothing if any of its groups, the groups of its set or the rules of the workspace have changed since (409 `plan_stale`). Every group is written as by its own call, with its own events. No token changes. Each change counts as a call for the rate limits.',
  )
  @Ok(AppliedPlanResponse, 'The plan, which is applied.')
  @ApiProblems(
    PlanNotFound,
    PlanApplied,
    PlanInConflict,
    PlanInUse,
    PlanStale,
    UserGroupQuotaReached,
    ...WRITE_ERRORS,
    ...IDEMPOTENCY_ERRORS,
  )
  apply(
    @CurrentCaller() caller: Caller,
    @QueryOf(ApplyPlanQueryDto) { plan_id }: ApplyPlanQueryDto,
    @IdempotencyKeyHeader() key: string | undefined,
  ): Promise<AppliedPlanResponse> {
    return this.applier.apply(caller, Number(plan_id), key);
  }
}
