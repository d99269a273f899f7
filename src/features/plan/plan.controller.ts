import { Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { WRITE_ERRORS } from '../../core/user-group/group/documented-errors.ts';
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
    'Compares each line, a whole group, with the stored group, and stores the changes as a plan. It writes no group. A line with a `token` is refused. The first segment of each pointer is the number of the line.',
  )
  @Ok(PlanResponse, 'The plan.')
  @ApiProblems(PruneRefused, PlanTooLarge)
  async plan(
    @CurrentCaller() caller: Caller,
    @QueryOf(PlanQueryDto) query: PlanQueryDto,
    @NdjsonBody(DesiredUserGroup, 'One JSON object per line.')
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
    'Applies exactly this plan, as a whole or not at all. No token changes.',
  )
  @Ok(AppliedPlanResponse, 'The plan, which is applied.')
  @ApiProblems(
    PlanNotFound,
    PlanApplied,
    PlanInConflict,
    PlanInUse,
    PlanStale,
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
