import { Controller, Post } from '@nestjs/common';
import { ApiProblems, ApiTags, Created, Operation } from '../../platform/common/operation.ts';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import { AuditUnavailable } from '../audit/audit.errors.ts';
import { UserGroupInactive, ViewAsForbidden } from './embed-token.errors.ts';
import { ID_ERRORS } from '../user-group/group/documented-errors.ts';
import { UserGroupTokensEnded } from '../user-group/group/user-group.errors.ts';
import {
  IDEMPOTENCY_ERRORS,
  IdempotencyKeyHeader,
} from '../../platform/common/http/parameters/request-params.ts';
import { ProvidedIdParam } from '../user-group/group/provided-id.ts';
import { JsonBody } from '../../platform/common/json/json-body.decorator.ts';
import { IssueEmbedTokenRequest } from './dto/embed-token.dto.ts';
import { EmbedTokenResponse } from './dto/embed-token-response.dto.ts';
import { EmbedTokenService } from './embed-token.service.ts';

@ApiTags('Embed tokens')
@Controller('api/v1/user-groups/:id/embed-tokens')
export class EmbedTokenController {
  constructor(private readonly embedTokens: EmbedTokenService) {}

  @Post()
  @RequiresScope('embed-tokens:issue', {
    inRange: true,
    gated: false,
    scopesWith: { acting_for: 'user-groups:view-as' },
  })
  @Operation(
    'issueEmbedToken',
    'Issue an embed token',
    'A short-lived JWT (ES256) for the page that embeds a dashboard, so that the user group token never reaches a browser. Renderers introspect it, or verify it with the keys of the workspace. It ends at `expires_at`; for introspection sooner, if the token it depends on ends or the group is suspended or deleted. The grace period of a rotation applies to it too. An audience that the workspace does not allow is a 422. With `acting_for` the token is for somebody who views as the group: the audit log records who and why before it is issued, `act` names them, and the workspace can forbid it. With `target` it is the token that a tool of the workspace takes: nothing ends that before `expires_at`. An `Idempotency-Key` counts only with `acting_for` or `target`.',
  )
  @Created(EmbedTokenResponse, 'The embed token.')
  @ApiProblems(
    ...ID_ERRORS,
    UserGroupInactive,
    UserGroupTokensEnded,
    ViewAsForbidden,
    AuditUnavailable,
    ...IDEMPOTENCY_ERRORS,
  )
  issue(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @JsonBody(IssueEmbedTokenRequest, { needed: true }) dto: IssueEmbedTokenRequest,
    @IdempotencyKeyHeader() key: string | undefined,
  ): Promise<EmbedTokenResponse> {
    return this.embedTokens.issue(caller, id, dto, key);
  }
}
