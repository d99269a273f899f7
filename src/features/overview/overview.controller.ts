import { Controller, Get } from '@nestjs/common';
import { ApiReadProblems, ApiTags, Ok, Operation } from '../../platform/common/operation.ts';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import { QueryOf } from '../../platform/common/http/parameters/request-params.ts';
import { ActivityService } from './activity.service.ts';
import { ActivityResponse } from './dto/activity-response.dto.ts';
import { ActivityQueryDto } from './dto/activity-query.dto.ts';
import { OverviewResponse } from './dto/overview-response.dto.ts';
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
  @Operation(
    'getOverview',
    'Count groups and tokens of the workspace',
    'Counts the user groups, those that need attention, the replaced tokens that are still valid, and, for API tokens with the scope `admin`, the API tokens. Calls share a count, which is as old as `as_of` says.',
  )
  @Ok(OverviewResponse, 'The counts.')
  @ApiReadProblems()
  get(@CurrentCaller() caller: Caller): Promise<OverviewResponse> {
    return this.overview.get(caller);
  }

  @Get('activity')
  @RequiresScope('user-groups:read')
  @Operation(
    'getActivity',
    'Read the activity of the workspace, by the hour or day',
    'Counts the tokens introspected, tokens of user groups replaced and user groups created, in all processes together; one point for each hour or day of the period, at most 2,200. Kept for 90 days; the last point lags by up to five seconds.',
  )
  @Ok(ActivityResponse, 'The points, the oldest first.')
  @ApiReadProblems()
  listActivity(
    @CurrentCaller() caller: Caller,
    @QueryOf(ActivityQueryDto) query: ActivityQueryDto,
  ): Promise<ActivityResponse> {
    return this.activity.list(caller, query);
  }
}
