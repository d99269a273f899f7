import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '../common/api-docs.ts';
import { RequiresScope } from '../common/access.decorator.ts';
import { type Caller, CurrentCaller } from '../common/caller.ts';
import { QueryOf } from '../common/http/query.decorator.ts';
import { ApiReadProblems } from '../common/problem.dto.ts';
import { AuditEventService } from './audit-event.service.ts';
import { AuditEventsAnswer } from './dto/audit-event-answer.dto.ts';
import { AuditEventQueryDto } from './dto/audit-event-query.dto.ts';

@ApiTags('Audit log')
@Controller('api/v1/audit-events')
export class AuditEventController {
  constructor(private readonly auditEvents: AuditEventService) {}

  @Get()
  @RequiresScope('audit:read')
  @ApiOperation({
    operationId: 'listAuditEvents',
    summary: 'List audit events',
    description:
      'The events of the workspace, newest first: every change with who made it, from where, and what it changed; to whom tokens of groups were shown, added up by the hour; and refused calls. Filters can be combined.',
  })
  @ApiOkResponse({ type: AuditEventsAnswer, description: 'One page of events.' })
  @ApiReadProblems()
  list(
    @CurrentCaller() caller: Caller,
    @QueryOf(AuditEventQueryDto) query: AuditEventQueryDto,
  ): Promise<AuditEventsAnswer> {
    return this.auditEvents.list(caller, query);
  }
}
