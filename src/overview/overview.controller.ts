import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '../common/api-docs.ts';
import { RequiresScope } from '../common/access.decorator.ts';
import { type Caller, CurrentCaller } from '../common/caller.ts';
import { QueryOf } from '../common/http/query.decorator.ts';
import { ApiReadProblems } from '../common/problem.dto.ts';
import { ActivityService } from './activity.service.ts';
import { ActivityAnswer } from './dto/activity-answer.dto.ts';
import { ActivityQueryDto } from './dto/activity-query.dto.ts';
import { OverviewAnswer } from './dto/overview-answer.dto.ts';
import { OverviewService } from './overview.service.ts';

@ApiTags('Overview')
@Controller('api/v1/overview')
export class OverviewController {
  constructor(
    private readonly overview: OverviewService,
    private readonly activity: ActivityService,
  ) {}

  @Get()
  @RequiresScope('user-groups:read')
  @ApiOperation({
    operationId: 'getOverview',
    summary: 'Count what the workspace has',
    description:
      'How many user groups there are and how many need attention, how many replaced tokens are still valid, and, for API tokens with the scope `admin`, how many API tokens there are. Calls share a count: it is as old as `as_of` says. Where counting takes longer than a call may wait, the call gets the last count, and a later one the next. `unresolvable` and `incomplete` are counted in the background: they may be older, and are null until they have been counted once.',
  })
  @ApiOkResponse({ type: OverviewAnswer, description: 'The counts.' })
  @ApiReadProblems()
  get(@CurrentCaller() caller: Caller): Promise<OverviewAnswer> {
    return this.overview.get(caller);
  }

  @Get('activity')
  @RequiresScope('user-groups:read')
  @ApiOperation({
    operationId: 'getActivity',
    summary: 'What happened in the workspace, by the hour or day',
    description:
      'How many tokens were introspected, tokens of user groups replaced and user groups created, in all processes together; one point for each hour or day of the period, at most 2,200. Kept for 90 days; written every five seconds, so that the last point is behind by as much.',
  })
  @ApiOkResponse({ type: ActivityAnswer, description: 'The points, the oldest first.' })
  @ApiReadProblems()
  listActivity(
    @CurrentCaller() caller: Caller,
    @QueryOf(ActivityQueryDto) query: ActivityQueryDto,
  ): Promise<ActivityAnswer> {
    return this.activity.list(caller, query);
  }
}
