import { Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { AuditUnavailable } from '../../core/audit/audit.errors.ts';
import { UserGroupFilterDto } from '../../core/user-group/resource/dto/user-group-query.dto.ts';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import { PageQueryDto } from '../../platform/common/http/parameters/page.dto.ts';
import {
  IDEMPOTENCY_ERRORS,
  IdempotencyKeyHeader,
  NumberParam,
  QueryOf,
} from '../../platform/common/http/parameters/request-params.ts';
import { endSending, type Lines, NdjsonBody } from '../../platform/common/http/responses/ndjson.ts';
import { JsonBody } from '../../platform/common/json/json-body.decorator.ts';
import {
  Accepted,
  ApiProblems,
  ApiReadProblems,
  ApiTags,
  Ok,
  Operation,
} from '../../platform/common/operation.ts';
import { UserGroupLine } from '../bulk/dto/import.dto.ts';
import { ChangeUserGroupsRequest } from '../bulk/dto/bulk-change.dto.ts';
import {
  BulkJobEnded,
  BulkJobNotFound,
  BulkJobNotUndoable,
  TooManyBulkJobLines,
  TooManyBulkJobs,
} from './bulk-job.errors.ts';
import { BulkJobService } from './bulk-job.service.ts';
import {
  BulkJobResponse,
  BulkJobResultQueryDto,
  BulkJobResultsResponse,
  BulkJobsResponse,
} from './dto/bulk-job.dto.ts';

const PATH = 'api/v1/bulk-jobs';
const LOCATION = { Location: 'Path of the job.' };

@ApiTags('Jobs')
@Controller(PATH)
export class BulkJobController {
  constructor(private readonly jobs: BulkJobService) {}

  @Get()
  @RequiresScope('user-groups:read')
  @Operation(
    'listBulkJobs',
    'List jobs',
    'The jobs of the workspace, newest first. An ended job stays for 30 days.',
  )
  @Ok(BulkJobsResponse, 'One page of jobs.')
  @ApiReadProblems()
  list(
    @CurrentCaller() caller: Caller,
    @QueryOf(PageQueryDto) query: PageQueryDto,
  ): Promise<BulkJobsResponse> {
    return this.jobs.list(caller, query);
  }

  @Post()
  @HttpCode(202)
  @RequiresScope('user-groups:write')
  @Operation(
    'createBulkJob',
    'Change many user groups in the background',
    'Does what `/api/v1/user-groups/actions` does, by the same rules and with the same scopes, and continues when the caller disconnects. Jobs of a workspace run one after another. The API token is checked again and again: the job fails when the token ends or loses a scope. No result contains a new token.',
  )
  @Accepted(BulkJobResponse, 'The job, which begins soon.', LOCATION)
  @ApiProblems(TooManyBulkJobs, AuditUnavailable, ...IDEMPOTENCY_ERRORS)
  async create(
    @CurrentCaller() caller: Caller,
    @QueryOf(UserGroupFilterDto) filters: UserGroupFilterDto,
    @JsonBody(ChangeUserGroupsRequest) dto: ChangeUserGroupsRequest,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BulkJobResponse> {
    return located(response, await this.jobs.create(caller, dto, filters, key));
  }

  @Post('import')
  @HttpCode(202)
  @RequiresScope('user-groups:write', { gated: false })
  @Operation(
    'createImportJob',
    'Import user groups in the background',
    'Takes what `/api/v1/user-groups/import` takes, by the same rules and with the same scopes, and stores the lines encrypted until their turn comes. The response is sent when all lines have arrived: from then on the import continues when the caller disconnects. If the upload breaks off, nothing of it is kept. A line that cannot be read is refused at once. An import can be repeated unchanged.',
  )
  @Accepted(BulkJobResponse, 'The job, which begins soon.', LOCATION)
  @ApiProblems(TooManyBulkJobs, TooManyBulkJobLines, AuditUnavailable)
  async import(
    @CurrentCaller() caller: Caller,
    @NdjsonBody(UserGroupLine, 'One JSON object per line, as an export returns them.')
    lines: Lines,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BulkJobResponse> {
    try {
      return located(response, await this.jobs.import(caller, lines));
    } finally {
      endSending(response);
    }
  }

  @Get(':id')
  @RequiresScope('user-groups:read')
  @Operation('getBulkJob', 'Read a job', 'The progress of the job. Poll at most once a second.')
  @Ok(BulkJobResponse, 'The job.')
  @ApiReadProblems(BulkJobNotFound)
  get(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', BulkJobNotFound) id: number,
  ): Promise<BulkJobResponse> {
    return this.jobs.get(caller, id);
  }

  @Get(':id/results')
  @RequiresScope('user-groups:read')
  @Operation(
    'listBulkJobResults',
    'List results of a job',
    'The result of each group so far. It is stored together with the change of the group.',
  )
  @Ok(BulkJobResultsResponse, 'One page of results.')
  @ApiReadProblems(BulkJobNotFound)
  listResults(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', BulkJobNotFound) id: number,
    @QueryOf(BulkJobResultQueryDto) query: BulkJobResultQueryDto,
  ): Promise<BulkJobResultsResponse> {
    return this.jobs.listResults(caller, id, query);
  }

  @Post(':id/cancel')
  @HttpCode(200)
  @RequiresScope('user-groups:write')
  @Operation(
    'cancelBulkJob',
    'Cancel a job',
    'The job changes no further group. Its changes stay, and can be undone.',
  )
  @Ok(BulkJobResponse, 'The job has ended.')
  @ApiReadProblems(BulkJobNotFound, BulkJobEnded, AuditUnavailable)
  cancel(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', BulkJobNotFound) id: number,
  ): Promise<BulkJobResponse> {
    return this.jobs.cancel(caller, id);
  }

  @Post(':id/undo')
  @HttpCode(202)
  @RequiresScope('user-groups:write')
  @Operation(
    'undoBulkJob',
    'Undo a job',
    'Creates a job that resumes the groups that the other has suspended, or the reverse, within 24 hours of its end. The undo of an import deletes the groups that it has created, and restores the previous version of the others; a token that it has replaced does not come back. A group that has changed since is refused, and stays as it is.',
  )
  @Accepted(BulkJobResponse, 'The job that undoes it.', LOCATION)
  @ApiReadProblems(
    BulkJobNotFound,
    BulkJobNotUndoable,
    TooManyBulkJobs,
    AuditUnavailable,
    ...IDEMPOTENCY_ERRORS,
  )
  async undo(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', BulkJobNotFound) id: number,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<BulkJobResponse> {
    return located(response, await this.jobs.undo(caller, id, key));
  }
}

function located(response: Response, body: BulkJobResponse): BulkJobResponse {
  response.location(`/${PATH}/${body.bulk_job.id}`);
  return body;
}
