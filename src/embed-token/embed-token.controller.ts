import { Controller, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOperation, ApiTags } from '../common/api-docs.ts';
import { RequiresScope } from '../common/access.decorator.ts';
import { type Caller, CurrentCaller } from '../common/caller.ts';
import { UserGroupIncomplete, UserGroupNotFound, UserGroupSuspended } from '../common/errors.ts';
import { ProvidedIdParam } from '../common/http/path-param.ts';
import { JsonBody } from '../common/json/json-body.decorator.ts';
import { ApiProblems } from '../common/problem.dto.ts';
import { IssueEmbedTokenDto } from './dto/embed-token.dto.ts';
import { EmbedTokenAnswer } from './dto/embed-token-answer.dto.ts';
import { EmbedTokenService } from './embed-token.service.ts';

@ApiTags('Embed tokens')
@Controller('api/v1/user-groups/:id/embed-tokens')
export class EmbedTokenController {
  constructor(private readonly embedTokens: EmbedTokenService) {}

  @Post()
  @RequiresScope('user-groups:read')
  @ApiOperation({
    operationId: 'issueEmbedToken',
    summary: 'Issue an embed token',
    description:
      'A short-lived JWT (ES256) for the page that embeds a dashboard, in place of the user group token, which then never reaches a browser. Introspection accepts it, and everybody can verify it with /.well-known/jwks.json. It ends at `expires_at`; for introspection before that, when the token it hangs on ends or the group is suspended or deleted. A grace period of a rotation holds for it too. The workspace can have a list of the audiences that it may be issued for: another is a 422.',
  })
  @ApiCreatedResponse({ type: EmbedTokenAnswer, description: 'The embed token.' })
  @ApiProblems(UserGroupNotFound, UserGroupSuspended, UserGroupIncomplete)
  issue(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @JsonBody(IssueEmbedTokenDto) dto: IssueEmbedTokenDto,
  ): Promise<EmbedTokenAnswer> {
    return this.embedTokens.issue(caller, id, dto);
  }
}
