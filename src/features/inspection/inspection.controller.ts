import { Controller, HttpCode, Post } from '@nestjs/common';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import { JsonBody } from '../../platform/common/json/json-body.decorator.ts';
import { ApiProblems, ApiTags, Ok, Operation } from '../../platform/common/operation.ts';
import { AuditUnavailable } from '../../core/audit/audit.errors.ts';
import { InspectionResponse, InspectTokenRequest } from './dto/inspection.dto.ts';
import { InspectionService } from './inspection.service.ts';

@ApiTags('Introspection')
@Controller('api/v1/tokens/inspect')
export class InspectionController {
  constructor(private readonly inspection: InspectionService) {}

  @Post()
  @HttpCode(200)
  @RequiresScope('tokens:inspect')
  @Operation(
    'inspectToken',
    'Inspect a token',
    'For people who want to know why a dashboard is blank. Takes any text, and says what it is, whether it is accepted now, each check with its result, the group, who has replaced the token, and what to do next. A token of another workspace is `unknown`, like any unknown text. Each call is in the audit log, without the token.',
  )
  @Ok(InspectionResponse, 'The kind of text.')
  @ApiProblems(AuditUnavailable)
  inspect(
    @CurrentCaller() caller: Caller,
    @JsonBody(InspectTokenRequest) { token }: InspectTokenRequest,
  ): Promise<InspectionResponse> {
    return this.inspection.inspect(caller, token);
  }
}
