import { Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ApiOperation, ApiTags } from '../../common/api-docs.ts';
import { RequiresScope } from '../../common/access.decorator.ts';
import { type Caller, CurrentCaller } from '../../common/caller.ts';
import {
  AuditUnavailable,
  UserGroupTokenNotUsable,
  ChangeRefused,
  ExtensionUnavailable,
  UserGroupQuotaReached,
} from '../../common/errors.ts';
import {
  answerNdjson,
  ApiNdjsonResponse,
  type Lines,
  NdjsonBody,
} from '../../common/http/ndjson.ts';
import { QueryOf } from '../../common/http/query.decorator.ts';
import { JsonBody } from '../../common/json/json-body.decorator.ts';
import { ApiProblems } from '../../common/problem.dto.ts';
import { ExportDto, ExportSummary } from './dto/export.dto.ts';
import { ImportedUserGroupDto } from './dto/import.dto.ts';
import { ImportedLine, ImportSummary, RefusedLine } from './dto/import-answer.dto.ts';
import { ImportQueryDto } from './dto/import-query.dto.ts';
import { UserGroupExporter } from './user-group-exporter.ts';
import { UserGroupImporter } from './user-group-importer.ts';

@ApiTags('User groups (v1)')
@Controller('api/v1/user-groups')
export class UserGroupBulkController {
  constructor(
    private readonly importer: UserGroupImporter,
    private readonly exporter: UserGroupExporter,
  ) {}

  @Post('import')
  @HttpCode(200)
  @RequiresScope('user-groups:write', { gated: false })
  @ApiOperation({
    operationId: 'importUserGroups',
    summary: 'Import user groups',
    description:
      'Stores a group for each line of any number of lines, by the rules of PUT /api/user, and with the token it has had elsewhere if the line has one; setting a token, of a new group as of a known one, needs the scope `tokens:rotate` too, and ends the token that the group had. Each line is answered, in order, once it is durable; a line that is refused costs no other line anything, and its `status` and `code` are those of the catalogue of errors. The last line of the answer is the summary: without it the answer was cut. An import can be repeated as it is; one of no line is one of nothing. A line with the id of an earlier one is refused, which names both; a line that ends the token of a known group says so (`token_replaced`). A byte order mark at the beginning is skipped. Each line counts as a call for the rate limits: while they are used up the import waits, and reads no more of its body; it does not fail. At most 20 imports of a workspace run at once. BODY_LIMIT holds for each line. Read the answer while you send, or ask for `results=failed`.',
  })
  @ApiNdjsonResponse(
    'One JSON object per line: an answer to each line that is not blank, then the summary.',
    ImportedLine,
    RefusedLine,
    ImportSummary,
  )
  @ApiProblems(
    UserGroupQuotaReached,
    ChangeRefused,
    ExtensionUnavailable,
    UserGroupTokenNotUsable,
    AuditUnavailable,
  )
  import(
    @CurrentCaller() caller: Caller,
    @QueryOf(ImportQueryDto) query: ImportQueryDto,
    @NdjsonBody(ImportedUserGroupDto, 'One JSON object per line, as an export answers them.')
    lines: Lines,
    @Res() response: Response,
  ): Promise<void> {
    return answerNdjson(response, this.importer.run(caller, lines, query));
  }

  @Post('export')
  @HttpCode(200)
  @RequiresScope('admin', { gated: false })
  @ApiOperation({
    operationId: 'exportUserGroups',
    summary: 'Export user groups',
    description:
      'Every group of the workspace with its current token, in order of `team_id`, as an import takes them. The last line is the summary: without it the answer was cut. At most 2 exports of a workspace run at once. It is a POST because the answer holds credentials.',
  })
  @ApiNdjsonResponse(
    'One JSON object per line: the groups, then the summary.',
    ImportedUserGroupDto,
    ExportSummary,
  )
  @ApiProblems(AuditUnavailable)
  export(
    @CurrentCaller() caller: Caller,
    @JsonBody(ExportDto) dto: ExportDto,
    @Res() response: Response,
  ): Promise<void> {
    return answerNdjson(response, this.exporter.run(caller, dto));
  }
}
