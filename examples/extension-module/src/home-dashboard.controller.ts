import { Controller, Get, Param, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, Rule } from 'user-group-service';
import { type Caller, CurrentCaller, declareScope, JsonBody } from 'user-group-service';
import { RequiresScope, textViolations } from 'user-group-service';
import { HomeDashboards } from './home-dashboards.js';

export const READ = declareScope('dashboards:read');
export const WRITE = declareScope('dashboards:write');

class HomeDashboardDto {
  @ApiProperty({ description: 'The id of the dashboard.', example: 'sales' })
  @Rule(textViolations, { required: 'The field dashboard is required.' })
  dashboard!: string;
}

@Controller('api/v1/home-dashboards/:id')
export class HomeDashboardController {
  constructor(private readonly dashboards: HomeDashboards) {}

  @Get()
  @RequiresScope(READ)
  @ApiOperation({ operationId: 'readHomeDashboard', summary: 'Read the home of a user group' })
  @ApiOkResponse({ description: 'Its dashboard.' })
  find(@CurrentCaller() caller: Caller, @Param('id') id: string) {
    return this.dashboards.find(caller, id);
  }

  @Put()
  @RequiresScope(WRITE)
  @ApiOperation({ operationId: 'chooseHomeDashboard', summary: 'Choose the home of a user group' })
  @ApiOkResponse({ description: 'Its dashboard.' })
  choose(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @JsonBody(HomeDashboardDto) { dashboard }: HomeDashboardDto,
  ) {
    return this.dashboards.choose(caller, id, dashboard);
  }
}
