import { Controller, HttpCode, Post } from '@nestjs/common';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import { JsonBody } from '../../platform/common/json/json-body.decorator.ts';
import { ApiProblems, ApiTags, Ok, Operation } from '../../platform/common/operation.ts';
import { AuditUnavailable } from '../../core/audit/audit.errors.ts';
import { EndTokensRequest, EndTokensResponse } from './dto/end-tokens.dto.ts';
import { EndTokensService } from './end-tokens.service.ts';

@ApiTags('Workspace')
@Controller('api/v1/workspace/end-tokens')
export class EndTokensController {
  constructor(private readonly tokens: EndTokensService) {}

  @Post()
  @HttpCode(200)
  @RequiresScope('admin', { gated: false })
  @Operation(
    'endTokens',
    'End all tokens issued before a moment',
    'For leaks of many tokens. Every user-group token, or embed token, that the workspace issued or imported before `before` is inactive in every replica within a second, and its holder cannot rotate it. The next GET or PUT of /api/user for a group issues a fresh token; `POST /api/v1/user-groups/{id}/tokens/rotate` does so at once. A time is never moved back, so repeating a call changes nothing. With `dry_run` the call counts the tokens and ends none.',
  )
  @Ok(EndTokensResponse, 'The times in force now.')
  @ApiProblems(AuditUnavailable)
  end(
    @CurrentCaller() caller: Caller,
    @JsonBody(EndTokensRequest) dto: EndTokensRequest,
  ): Promise<EndTokensResponse> {
    return this.tokens.end(caller, dto);
  }
}
