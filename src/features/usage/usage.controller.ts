import { Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ProvidedIdParam } from '../../core/user-group/group/provided-id.ts';
import { ID_ERRORS } from '../../core/user-group/group/documented-errors.ts';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import { QueryOf } from '../../platform/common/http/parameters/request-params.ts';
import { JsonBody } from '../../platform/common/json/json-body.decorator.ts';
import {
  ApiProblems,
  ApiReadProblems,
  ApiTags,
  Ok,
  Operation,
} from '../../platform/common/operation.ts';
import { UsageBatches } from './counting/usage-batches.ts';
import { UsageBatchRequest, UsageBatchResponse } from './dto/usage-batch.dto.ts';
import { GroupUsageQueryDto, UsageQueryDto } from './dto/usage-query.dto.ts';
import { respondUsage } from './reading/usage-csv.ts';
import { UsageResponse } from './dto/usage-response.dto.ts';
import { UsageReport } from './reading/usage-report.ts';
import { UsageBatchReused } from './usage.errors.ts';

@ApiTags('Usage')
@Controller('api/v1')
export class UsageController {
  constructor(
    private readonly batches: UsageBatches,
    private readonly usage: UsageReport,
  ) {}

  @Get('usage')
  @RequiresScope('usage:read')
  @Operation(
    'listUsage',
    'Read the usage of the workspace',
    'Views, embed tokens, introspections and users, by the day or hour with an entry for each, the oldest first; or by group, the busiest first: those with the most views, then embed tokens, then introspections. As JSON, or as CSV for `Accept: text/csv`. Counts can be a minute old. Do not bill by them: a renderer that crashes loses the views of a minute.',
  )
  @Ok(UsageResponse, 'One page of entries.')
  @ApiReadProblems()
  async list(
    @CurrentCaller() caller: Caller,
    @QueryOf(UsageQueryDto) query: UsageQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    respondUsage(response, await this.usage.list(caller, query), query.by === 'group');
  }

  @Get('user-groups/:id/usage')
  @RequiresScope('usage:read', { inRange: true })
  @Operation(
    'listUserGroupUsage',
    'Read the usage of a user group',
    'The same counts for one group, by the day or hour, the oldest first. As JSON, or as CSV for `Accept: text/csv`.',
  )
  @Ok(UsageResponse, 'One page of entries.')
  @ApiReadProblems(...ID_ERRORS)
  async listOfGroup(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @QueryOf(GroupUsageQueryDto) query: GroupUsageQueryDto,
    @Res() response: Response,
  ): Promise<void> {
    respondUsage(response, await this.usage.listOfGroup(caller, id, query), false);
  }

  @Post('usage/batches')
  @HttpCode(200)
  @RequiresScope('tokens:introspect')
  @Operation(
    'reportUsage',
    'Report views',
    'For renderers, which send once a minute what they have shown: most views never reach the service, because renderers cache introspections. A batch that is sent again counts nothing and gets the same response, so that it can be retried. A `sub` that is no user group of the workspace is counted for nobody; `unknown` lists its place.',
  )
  @Ok(UsageBatchResponse, 'The counts, of this call or of the first.')
  @ApiProblems(UsageBatchReused)
  report(
    @CurrentCaller() caller: Caller,
    @JsonBody(UsageBatchRequest) batch: UsageBatchRequest,
  ): Promise<UsageBatchResponse> {
    return this.batches.report(caller, batch);
  }
}
