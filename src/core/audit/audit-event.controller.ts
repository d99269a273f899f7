import { Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  ApiProblems,
  ApiReadProblems,
  ApiTags,
  Ok,
  Operation,
} from '../../platform/common/operation.ts';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import { respondNdjson, ApiNdjsonResponse } from '../../platform/common/http/responses/ndjson.ts';
import { QueryOf } from '../../platform/common/http/parameters/request-params.ts';
import { JsonBody } from '../../platform/common/json/json-body.decorator.ts';
import { AuditEventService } from './audit-event.service.ts';
import { AuditExporter } from './audit-exporter.ts';
import { AuditEventsResponse, AuditEventView } from './dto/audit-event-response.dto.ts';
import { AuditEventQueryDto } from './dto/audit-event-query.dto.ts';
import { ExportAuditEventsRequest, AuditExportSummary } from './dto/audit-export.dto.ts';

@ApiTags('Audit log')
@Controller('api/v1/audit-events')
export class AuditEventController {
  constructor(
    private readonly auditEvents: AuditEventService,
    private readonly exporter: AuditExporter,
  ) {}

  @Get()
  @RequiresScope('audit:read')
  @Operation(
    'listAuditEvents',
    'List audit events',
    'The events of the workspace, newest first: every change with who made it, from where, and what it changed; who was shown tokens of groups, summed per hour; and refused calls. Filters can be combined. With `types`, `object_type`, `api_token_id` or `search` one call examines 1,000 events at most: a page may have fewer events than asked for, or none, and still a `next_cursor`.',
  )
  @Ok(AuditEventsResponse, 'One page of events.')
  @ApiReadProblems()
  list(
    @CurrentCaller() caller: Caller,
    @QueryOf(AuditEventQueryDto) query: AuditEventQueryDto,
  ): Promise<AuditEventsResponse> {
    return this.auditEvents.list(caller, query);
  }

  @Post('export')
  @HttpCode(200)
  @RequiresScope('audit:read', { gated: false })
  @Operation(
    'exportAuditEvents',
    'Export audit events',
    'Every event that matches the filters of the list, newest first. The last line is the summary: without it the response was cut off. Events recorded meanwhile are not included. At most 2 exports of an API token run at once.',
  )
  @ApiNdjsonResponse(
    'One JSON object per line: the events, then the summary.',
    AuditEventView,
    AuditExportSummary,
  )
  @ApiProblems()
  export(
    @CurrentCaller() caller: Caller,
    @JsonBody(ExportAuditEventsRequest) dto: ExportAuditEventsRequest,
    @Res() response: Response,
  ): Promise<void> {
    return respondNdjson(response, this.exporter.run(caller, dto));
  }
}
