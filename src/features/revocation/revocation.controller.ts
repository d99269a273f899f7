import { Controller, HttpCode, Post } from '@nestjs/common';
import {
  AcceptsClientSecret,
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import { JsonBody } from '../../platform/common/json/json-body.decorator.ts';
import { ApiProblems, ApiTags, Ok, Operation } from '../../platform/common/operation.ts';
import { ApiTokenSuperseded, LastAdminApiToken } from '../../core/api-token/api-token.errors.ts';
import { AuditUnavailable } from '../../core/audit/audit.errors.ts';
import { CredentialsAmbiguous } from '../../platform/common/problem/errors.ts';
import {
  ReportLeakedTokensRequest,
  ReportLeakedTokensResponse,
  RevokeTokenRequest,
  RevokeTokenResponse,
} from './dto/revoke.dto.ts';
import { RevocationService } from './revocation.service.ts';

@ApiTags('Revocation')
@Controller('api/v1')
export class RevocationController {
  constructor(private readonly revocation: RevocationService) {}

  @Post('revoke')
  @HttpCode(200)
  @RequiresScope('tokens:rotate', { gated: 'ending' })
  @AcceptsClientSecret()
  @Operation(
    'revokeToken',
    'Revoke a token',
    'For a holder of a token (RFC 7009), in JSON or as a form. A current user-group token is replaced without an overlap: the next GET of its group returns the new one. The overlap of a replaced one ends. An embed token ends, and an API token of the workspace, too. A text that is no token of the workspace gets the same response.',
  )
  @Ok(RevokeTokenResponse, 'The token is inactive.')
  @ApiProblems(CredentialsAmbiguous, LastAdminApiToken, ApiTokenSuperseded, AuditUnavailable)
  async revoke(
    @CurrentCaller() caller: Caller,
    @JsonBody(RevokeTokenRequest, { form: true, lenient: true }) { token }: RevokeTokenRequest,
  ): Promise<RevokeTokenResponse> {
    await this.revocation.revoke(caller, token);
    return { success: 1 };
  }

  @Post('tokens/report-leaked')
  @HttpCode(200)
  @RequiresScope('tokens:rotate', { gated: false })
  @Operation(
    'reportLeakedTokens',
    'Report leaked tokens',
    'For scanners that have found tokens: up to 1,000 texts, such as lines of a log. Each token of the workspace in them is ended as by `POST /api/v1/revoke`, so the next GET of its group returns a new one, and a copy in other hands is inactive. The audit log and an event name each (`user_group_token.leaked`, `embed_token.leaked`, `api_token.leaked`). The response never repeats a token. Each different token counts as a call for the rate limits: while a limit is reached the report waits. It goes on when the client disconnects, and can be repeated. With `dry_run` it says what would end, and ends nothing. A token of another form than `ugt_…` and `uga_…` is found as a word of its own, in quotes, or after `=` or `:`.',
  )
  @Ok(ReportLeakedTokensResponse, 'The outcome for each text.')
  @ApiProblems(ApiTokenSuperseded, AuditUnavailable)
  report(
    @CurrentCaller() caller: Caller,
    @JsonBody(ReportLeakedTokensRequest) dto: ReportLeakedTokensRequest,
  ): Promise<ReportLeakedTokensResponse> {
    return this.revocation.reportLeaked(caller, dto);
  }
}
