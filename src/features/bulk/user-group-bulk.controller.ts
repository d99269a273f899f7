import { Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ApiProblems, ApiTags, Operation } from '../../platform/common/operation.ts';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import { AuditUnavailable } from '../../core/audit/audit.errors.ts';
import { PreconditionFailed } from '../../platform/common/problem/errors.ts';
import {
  UserGroupQuotaReached,
  UserGroupTokenNotUsable,
} from '../../core/user-group/group/user-group.errors.ts';
import {
  respondNdjson,
  ApiNdjsonResponse,
  type Lines,
  NdjsonBody,
} from '../../platform/common/http/responses/ndjson.ts';
import { QueryOf } from '../../platform/common/http/parameters/request-params.ts';
import { JsonBody } from '../../platform/common/json/json-body.decorator.ts';
import { WRITE_ERRORS } from '../../core/user-group/group/documented-errors.ts';
import { ExportUserGroupsRequest, ExportSummary } from './dto/export.dto.ts';
import { UserGroupLine } from './dto/import.dto.ts';
import { ImportedLine, ImportSummary, RefusedLine } from './dto/import-response.dto.ts';
import { ImportQueryDto } from './dto/import-query.dto.ts';
import { UserGroupFilterDto } from '../../core/user-group/resource/dto/user-group-query.dto.ts';
import {
  BulkChangeStarted,
  BulkChangeSummary,
  ChangedUserGroupLine,
  ChangeUserGroupsRequest,
  RefusedUserGroupLine,
} from './dto/bulk-change.dto.ts';
import { UserGroupBulkChanges } from './user-group-bulk-changes.ts';
import { UserGroupExporter } from './user-group-exporter.ts';
import { UserGroupImporter } from './user-group-importer.ts';

@ApiTags('User groups (v1)')
@Controller('api/v1/user-groups')
export class UserGroupBulkController {
  constructor(
    private readonly importer: UserGroupImporter,
    private readonly exporter: UserGroupExporter,
    private readonly changes: UserGroupBulkChanges,
  ) {}

  @Post('import')
  @HttpCode(200)
  @RequiresScope('user-groups:write', { inRange: true, gated: false })
  @Operation(
    'importUserGroups',
    'Import user groups',
    'Stores one group per line, by the rules of PUT /api/user; the number of lines is not limited. A line can set the token that the group has elsewhere: this also needs the scope `tokens:rotate`, and ends the previous token of the group. Each line gets its result, in order, once it is durable. A refused line does not affect others, and its `status` and `code` are those of the catalogue of errors. The last line of the response is the summary: without it the response was cut off. An import can be repeated unchanged. A line with the id of an earlier line is refused; a line that ends the token of an existing group says so (`token_replaced`). Each line counts as a call for the rate limits: while a limit is reached the import pauses. BODY_LIMIT holds for each line. Read the response while you send, or ask for `results=failed`.',
  )
  @ApiNdjsonResponse(
    'One JSON object per line: a result for each line that is not blank, then the summary.',
    ImportedLine,
    RefusedLine,
    ImportSummary,
  )
  @ApiProblems(UserGroupQuotaReached, UserGroupTokenNotUsable, ...WRITE_ERRORS)
  import(
    @CurrentCaller() caller: Caller,
    @QueryOf(ImportQueryDto) query: ImportQueryDto,
    @NdjsonBody(UserGroupLine, 'One JSON object per line, as an export returns them.')
    lines: Lines,
    @Res() response: Response,
  ): Promise<void> {
    return respondNdjson(response, this.importer.run(caller, lines, query));
  }

  @Post('export')
  @HttpCode(200)
  @RequiresScope('admin', { inRange: true, gated: false })
  @Operation(
    'exportUserGroups',
    'Export user groups',
    'Every group of the workspace with its current token, in order of `team_id`, as an import takes them. The tokens also need the scope `user-group-tokens:read`. The last line is the summary: without it the response was cut off. It is a POST because the response contains credentials.',
  )
  @ApiNdjsonResponse(
    'One JSON object per line: the groups, then the summary.',
    UserGroupLine,
    ExportSummary,
  )
  @ApiProblems(AuditUnavailable)
  export(
    @CurrentCaller() caller: Caller,
    @JsonBody(ExportUserGroupsRequest) dto: ExportUserGroupsRequest,
    @Res() response: Response,
  ): Promise<void> {
    return respondNdjson(response, this.exporter.run(caller, dto));
  }

  @Post('actions')
  @HttpCode(200)
  @RequiresScope('user-groups:write', { inRange: true, gated: false })
  @Operation(
    'changeUserGroups',
    'Change many user groups',
    'Suspends, resumes or deletes groups, or rotates their tokens: those of `ids`, those that pass the filters of the query, or all. `rotate` also needs the scope `tokens:rotate`, and without `ids` the call needs `user-groups:read`. Each group gets its result once it is durable, and is written as by its own call: it has its own audit event. A refused group does not affect others. A group that passes the filters and is changed before its turn comes is not deleted, and one that no longer has the `status` of the filter, because the rules of the workspace have changed, stays as it is (412 `precondition_failed`). The last line of the response is the summary: without it the response was cut off. Each group counts as a call for the rate limits: while a limit is reached the change pauses; it does not fail. It ends when the client disconnects, and can be repeated: with `issued_before` no token is rotated twice.',
  )
  @ApiNdjsonResponse(
    'One JSON object per line: the start, a result for each group, then the summary. After `rotate` the results are credentials.',
    BulkChangeStarted,
    ChangedUserGroupLine,
    RefusedUserGroupLine,
    BulkChangeSummary,
  )
  @ApiProblems(PreconditionFailed, ...WRITE_ERRORS)
  change(
    @CurrentCaller() caller: Caller,
    @QueryOf(UserGroupFilterDto) filters: UserGroupFilterDto,
    @JsonBody(ChangeUserGroupsRequest) dto: ChangeUserGroupsRequest,
    @Res() response: Response,
  ): Promise<void> {
    return respondNdjson(response, this.changes.run(caller, dto, filters));
  }
}
