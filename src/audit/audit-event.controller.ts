import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '../common/api-docs';
import { RequiresScope } from '../common/access.decorator';
import { type Caller, CurrentCaller } from '../common/caller';
import { QueryOf } from '../common/http/query.decorator';
import { ApiReadProblems } from '../common/problem.dto';
import { AuditEventService } from './audit-event.service';
import { AuditEventsAnswer } from './dto/audit-event-answer.dto';
import { AuditEventQueryDto } from './dto/audit-event-query.dto';

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
