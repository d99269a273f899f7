import { Controller, Get, HttpCode, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '../../common/api-docs.ts';
import { RequiresScope } from '../../common/access.decorator.ts';
import { type Caller, CurrentCaller } from '../../common/caller.ts';
import {
  AuditUnavailable,
  IdempotencyKeyInvalid,
  IdempotencyKeyReused,
  IdempotencyKeySpent,
  UserGroupTokenForgotten,
  UserGroupTokenIsCurrent,
  UserGroupTokenNotFound,
  UserGroupTokenUnreadable,
  UserGroupNotFound,
} from '../../common/errors.ts';
import { IdempotencyKeyHeader } from '../../common/http/idempotency-key.decorator.ts';
import { NumberParam, ProvidedIdParam } from '../../common/http/path-param.ts';
import { QueryOf } from '../../common/http/query.decorator.ts';
import { JsonBody } from '../../common/json/json-body.decorator.ts';
import { ApiProblems, ApiReadProblems } from '../../common/problem.dto.ts';
import { GraceDto } from './dto/grace.dto.ts';
import { TokensAnswer } from './dto/tokens-answer.dto.ts';
import { TokensQueryDto } from './dto/tokens-query.dto.ts';
import { UserGroupAnswer } from '../group/dto/user-group-answer.dto.ts';
import { UserGroupTokenList } from './user-group-token-list.ts';
import { UserGroupTokenService } from './user-group-token.service.ts';

@ApiTags('User group tokens')
@Controller('api/v1/user-groups/:id/tokens')
export class UserGroupTokenController {
  constructor(
    private readonly tokens: UserGroupTokenService,
    private readonly tokenList: UserGroupTokenList,
  ) {}

  @Get()
  @RequiresScope('admin')
  @ApiOperation({
    operationId: 'listUserGroupTokens',
    summary: 'List the tokens of a user group',
    description:
      'The current token and those before it, without the tokens themselves: when each was issued, replaced and last introspected, and why it is refused. It tells whether an old token is still in use before you end its overlap, and of a token that a dashboard refuses, by its last four characters, what has happened to it.',
  })
  @ApiOkResponse({ type: TokensAnswer, description: 'One page of tokens.' })
  @ApiReadProblems(UserGroupNotFound)
  list(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @QueryOf(TokensQueryDto) query: TokensQueryDto,
  ): Promise<TokensAnswer> {
    return this.tokenList.list(caller, id, query);
  }

  @Get('current')
  @RequiresScope('user-groups:read', { gated: false })
  @ApiOperation({
    operationId: 'getCurrentTokenOfUserGroup',
    summary: 'Get the current token of a user group',
    description:
      'The token to pass to dashboards, as GET /api/user answers it. It is never part of the user group below /api/v1.',
  })
  @ApiOkResponse({ type: UserGroupAnswer, description: 'The user group with its token.' })
  @ApiReadProblems(UserGroupNotFound, UserGroupTokenForgotten, UserGroupTokenUnreadable)
  getCurrent(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
  ): Promise<UserGroupAnswer> {
    return this.tokens.getCurrent(caller, id);
  }

  @Post('rotate')
  @HttpCode(200)
  @RequiresScope('tokens:rotate', { gated: false })
  @ApiOperation({
    operationId: 'rotateTokenOfUserGroup',
    summary: 'Rotate the token of a user group',
    description:
      'As POST /api/user, for a caller who knows the group but does not hold its token. Each call issues a new token; with an `Idempotency-Key` a repeated call is answered the same.',
  })
  @ApiOkResponse({ type: UserGroupAnswer, description: 'The user group with its new token.' })
  @ApiProblems(
    IdempotencyKeyInvalid,
    UserGroupNotFound,
    IdempotencyKeySpent,
    UserGroupTokenForgotten,
    IdempotencyKeyReused,
    UserGroupTokenUnreadable,
    AuditUnavailable,
  )
  rotate(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @JsonBody(GraceDto) dto: GraceDto,
    @IdempotencyKeyHeader() key: string | undefined,
  ): Promise<UserGroupAnswer> {
    return this.tokens.rotateByGroup(caller, id, dto, key);
  }

  @Post(':generation/revoke')
  @HttpCode(200)
  @RequiresScope('tokens:rotate')
  @ApiOperation({
    operationId: 'revokeUserGroupToken',
    summary: 'End the overlap of a replaced token',
    description:
      'A token that was rotated with a grace period can no longer be introspected from now on. The current token is not revoked but rotated.',
  })
  @ApiOkResponse({ type: TokensAnswer, description: 'The token as it is now.' })
  @ApiReadProblems(
    UserGroupNotFound,
    UserGroupTokenNotFound,
    UserGroupTokenIsCurrent,
    AuditUnavailable,
  )
  revoke(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @NumberParam('generation', UserGroupTokenNotFound) generation: number,
  ): Promise<TokensAnswer> {
    return this.tokens.revoke(caller, id, generation);
  }
}
