import { Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ApiOkResponse, ApiOperation, ApiTags } from '../common/api-docs.ts';
import { RequiresScope } from '../common/access.decorator.ts';
import { type Caller, CurrentCaller } from '../common/caller.ts';
import { answerNdjson, ApiNdjsonResponse } from '../common/http/ndjson.ts';
import { QueryOf } from '../common/http/query.decorator.ts';
import { JsonBody } from '../common/json/json-body.decorator.ts';
import { ApiProblems, ApiReadProblems } from '../common/problem.dto.ts';
import { AuditEventService } from './audit-event.service.ts';
import { AuditExporter } from './audit-exporter.ts';
import { AuditEventsAnswer, AuditEventView } from './dto/audit-event-answer.dto.ts';
import { AuditEventQueryDto } from './dto/audit-event-query.dto.ts';
import { AuditExportDto, AuditExportSummary } from './dto/audit-export.dto.ts';

@ApiTags('Audit log')
@Controller('api/v1/audit-events')
export class AuditEventController {
  constructor(
    private readonly auditEvents: AuditEventService,
    private readonly exporter: AuditExporter,
  ) {}

  @Get()
  @RequiresScope('audit:read')
  @ApiOperation({
    operationId: 'listAuditEvents',
    summary: 'List audit events',
    description:
      'The events of the workspace, newest first: every change with who made it, from where, and what it changed; to whom tokens of groups were shown, added up by the hour; and refused calls. Filters can be combined. With `action`, `object_type`, `api_token_id` or `search` one call examines 1,000 events at most: a page may have fewer events than asked for, or none, and still a `next_cursor`; the list ends where there is none.',
  })
  @ApiOkResponse({ type: AuditEventsAnswer, description: 'One page of events.' })
  @ApiReadProblems()
  list(
    @CurrentCaller() caller: Caller,
    @QueryOf(AuditEventQueryDto) query: AuditEventQueryDto,
  ): Promise<AuditEventsAnswer> {
    return this.auditEvents.list(caller, query);
  }

  @Post('export')
  @HttpCode(200)
  @RequiresScope('audit:read', { gated: false })
  @ApiOperation({
    operationId: 'exportAuditEvents',
    summary: 'Export audit events',
    description:
      'Every event that matches the filters of the list, newest first. The last line is the summary: without it the answer was cut. Events that are recorded meanwhile are not among them. At most 2 exports of a workspace run at once.',
  })
  @ApiNdjsonResponse(
    'One JSON object per line: the events, then the summary.',
    AuditEventView,
    AuditExportSummary,
  )
  @ApiProblems()
  export(
    @CurrentCaller() caller: Caller,
    @JsonBody(AuditExportDto) dto: AuditExportDto,
    @Res() response: Response,
  ): Promise<void> {
    return answerNdjson(response, this.exporter.run(caller, dto));
  }
}
