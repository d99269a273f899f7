import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import {
  ApiProblems,
  ApiReadProblems,
  ApiTags,
  Ok,
  Operation,
} from '../../../platform/common/operation.ts';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../../platform/common/access/access.decorator.ts';
import { AuditUnavailable } from '../../audit/audit.errors.ts';
import {
  UserGroupTokenIsCurrent,
  UserGroupTokenNotFound,
  UserGroupTokensEnded,
} from '../group/user-group.errors.ts';
import {
  IdempotencyKeyHeader,
  NumberParam,
  QueryOf,
} from '../../../platform/common/http/parameters/request-params.ts';
import { ProvidedIdParam } from '../group/provided-id.ts';
import { JsonBody } from '../../../platform/common/json/json-body.decorator.ts';
import { RotateUserGroupTokenByIdRequest } from './dto/grace.dto.ts';
import { UserGroupTokensResponse } from './dto/tokens-response.dto.ts';
import { TokensQueryDto } from './dto/tokens-query.dto.ts';
import { ID_ERRORS, ROTATION_ERRORS, TOKEN_ERRORS } from '../group/documented-errors.ts';
import { UserGroupWithTokenResponse } from '../group/dto/user-group-response.dto.ts';
import { UserGroupTokenService } from './user-group-token.service.ts';

@ApiTags('User group tokens')
@Controller('api/v1/user-groups/:id/tokens')
export class UserGroupTokenController {
  constructor(private readonly tokens: UserGroupTokenService) {}

  @Get()
  @RequiresScope('user-groups:read', { inRange: true })
  @Operation(
    'listUserGroupTokens',
    'List the tokens of a user group',
    'The current token and those before it, without the tokens themselves: when each was issued, replaced and last introspected, and why it is refused. If a dashboard refuses a token, its last four characters find it here.',
  )
  @Ok(UserGroupTokensResponse, 'One page of tokens.')
  @ApiReadProblems(...ID_ERRORS)
  list(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @QueryOf(TokensQueryDto) query: TokensQueryDto,
  ): Promise<UserGroupTokensResponse> {
    return this.tokens.list(caller, id, query);
  }

  @Get('current')
  @RequiresScope('user-group-tokens:read', { inRange: true, gated: false })
  @Operation(
    'getUserGroupToken',
    'Get the current token of a user group',
    'The token to pass to dashboards, as GET /api/user returns it. It is never part of the user group below /api/v1.',
  )
  @Ok(UserGroupWithTokenResponse, 'The user group with its token.')
  @ApiReadProblems(...ID_ERRORS, UserGroupTokensEnded, ...TOKEN_ERRORS)
  getCurrent(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
  ): Promise<UserGroupWithTokenResponse> {
    return this.tokens.getCurrent(caller, id);
  }

  @Post('rotate')
  @HttpCode(200)
  @RequiresScope('tokens:rotate', { inRange: true, gated: false })
  @Operation(
    'rotateUserGroupTokenById',
    'Rotate the token of a user group',
    'Like POST /api/user, for a caller who knows the group but does not hold its token. Each call issues a new token; with an `Idempotency-Key` a repeated request gets the same response.',
  )
  @Ok(UserGroupWithTokenResponse, 'The user group with its new token.')
  @ApiProblems(...ID_ERRORS, ...ROTATION_ERRORS)
  rotate(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @JsonBody(RotateUserGroupTokenByIdRequest) dto: RotateUserGroupTokenByIdRequest,
    @IdempotencyKeyHeader() key: string | undefined,
  ): Promise<UserGroupWithTokenResponse> {
    return this.tokens.rotateByGroup(caller, id, dto, key);
  }

  @Post(':generation/revoke')
  @HttpCode(200)
  @RequiresScope('tokens:rotate', { inRange: true, gated: 'ending' })
  @Operation(
    'revokeUserGroupToken',
    'End the overlap of a replaced token',
    'A token that was rotated with a grace period can no longer be introspected from now on. To end the current token, rotate it.',
  )
  @Ok(UserGroupTokensResponse, 'The token as it is now.')
  @ApiReadProblems(...ID_ERRORS, UserGroupTokenNotFound, UserGroupTokenIsCurrent, AuditUnavailable)
  revoke(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @NumberParam('generation', UserGroupTokenNotFound) generation: number,
  ): Promise<UserGroupTokensResponse> {
    return this.tokens.revoke(caller, id, generation);
  }
}
