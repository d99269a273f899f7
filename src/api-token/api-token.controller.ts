import { Controller, Get, HttpCode, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiTags } from '../common/api-docs.ts';
import { RequiresScope } from '../common/access.decorator.ts';
import { type Caller, CurrentCaller } from '../common/caller.ts';
import {
  ApiTokenEnded,
  ApiTokenNotFound,
  ApiTokenOfPerson,
  ApiTokenSuperseded,
  AuditUnavailable,
  GrantExceedsCaller,
  LastAdminApiToken,
} from '../common/errors.ts';
import { NumberParam } from '../common/http/path-param.ts';
import { PageQueryDto } from '../common/http/page.dto.ts';
import { QueryOf } from '../common/http/query.decorator.ts';
import { JsonBody } from '../common/json/json-body.decorator.ts';
import { ApiProblems, ApiReadProblems } from '../common/problem.dto.ts';
import { ApiTokenService } from './api-token.service.ts';
import { IssueApiTokenDto, RotateApiTokenDto, UpdateApiTokenDto } from './dto/api-token.dto.ts';
import {
  ApiTokenAnswer,
  ApiTokensAnswer,
  IssuedApiTokenAnswer,
} from './dto/api-token-answer.dto.ts';

@ApiTags('API tokens')
@Controller('api/v1/api-tokens')
export class ApiTokenController {
  constructor(private readonly apiTokens: ApiTokenService) {}

  @Get()
  @RequiresScope('admin')
  @ApiOperation({
    operationId: 'listApiTokens',
    summary: 'List API tokens',
    description:
      'The API tokens of the workspace, also those that have ended; never the token itself.',
  })
  @ApiOkResponse({ type: ApiTokensAnswer, description: 'One page of tokens.' })
  @ApiReadProblems()
  list(
    @CurrentCaller() caller: Caller,
    @QueryOf(PageQueryDto) query: PageQueryDto,
  ): Promise<ApiTokensAnswer> {
    return this.apiTokens.list(caller, query);
  }

  @Post()
  @RequiresScope('admin')
  @ApiOperation({
    operationId: 'issueApiToken',
    summary: 'Issue an API token',
    description:
      'The answer shows the token, once. Nobody can grant what they do not hold: scopes, expiry and allowed_cidrs must lie within those of the token that calls.',
  })
  @ApiCreatedResponse({
    type: IssuedApiTokenAnswer,
    description: 'The new token.',
    headers: { Location: { description: 'Path of the token.', schema: { type: 'string' } } },
  })
  @ApiProblems(ApiTokenSuperseded, GrantExceedsCaller, AuditUnavailable)
  async issue(
    @CurrentCaller() caller: Caller,
    @JsonBody(IssueApiTokenDto) dto: IssueApiTokenDto,
    @Res({ passthrough: true }) response: Response,
  ): Promise<IssuedApiTokenAnswer> {
    const answer = await this.apiTokens.issue(caller, dto);
    response.location(`/api/v1/api-tokens/${answer.api_token.id}`);
    return answer;
  }

  @Get(':id')
  @RequiresScope('admin')
  @ApiOperation({
    operationId: 'getApiToken',
    summary: 'Read an API token',
    description: 'Everything about the token but the token itself.',
  })
  @ApiOkResponse({ type: ApiTokenAnswer, description: 'The token.' })
  @ApiReadProblems(ApiTokenNotFound)
  get(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', ApiTokenNotFound) id: number,
  ): Promise<ApiTokenAnswer> {
    return this.apiTokens.get(caller, id);
  }

  @Patch(':id')
  @RequiresScope('admin')
  @ApiOperation({
    operationId: 'updateApiToken',
    summary: 'Change an API token',
    description:
      'Changes name, scopes, expiry or allowed_cidrs; what is not sent stays. Every replica follows within a second.',
  })
  @ApiOkResponse({ type: ApiTokenAnswer, description: 'The token as it is now.' })
  @ApiProblems(
    ApiTokenSuperseded,
    ApiTokenNotFound,
    ApiTokenEnded,
    GrantExceedsCaller,
    LastAdminApiToken,
    AuditUnavailable,
  )
  update(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', ApiTokenNotFound) id: number,
    @JsonBody(UpdateApiTokenDto) dto: UpdateApiTokenDto,
  ): Promise<ApiTokenAnswer> {
    return this.apiTokens.update(caller, id, dto);
  }

  @Post(':id/rotate')
  @RequiresScope('admin')
  @ApiOperation({
    operationId: 'rotateApiToken',
    summary: 'Rotate an API token',
    description:
      'Issues a new token with the same name, scopes, expiry and allowed_cidrs, under an id of its own. The old one stays valid for `grace_period_seconds`; its last_used_at tells whether it still is in use. It can be revoked earlier, and ends when the new one is rotated. In that time it opens what it did before, but administers no API token: its successor does.',
  })
  @ApiCreatedResponse({ type: IssuedApiTokenAnswer, description: 'The new token.' })
  @ApiProblems(
    ApiTokenSuperseded,
    ApiTokenNotFound,
    ApiTokenEnded,
    ApiTokenOfPerson,
    GrantExceedsCaller,
    AuditUnavailable,
  )
  rotate(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', ApiTokenNotFound) id: number,
    @JsonBody(RotateApiTokenDto) dto: RotateApiTokenDto,
  ): Promise<IssuedApiTokenAnswer> {
    return this.apiTokens.rotate(caller, id, dto);
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @RequiresScope('admin')
  @ApiOperation({
    operationId: 'revokeApiToken',
    summary: 'Revoke an API token',
    description:
      'Ends the token; every replica refuses it within a second. The last token of the workspace with the scope `admin` cannot be revoked here.',
  })
  @ApiOkResponse({ type: ApiTokenAnswer, description: 'The token, revoked.' })
  @ApiReadProblems(ApiTokenSuperseded, ApiTokenNotFound, LastAdminApiToken, AuditUnavailable)
  revoke(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', ApiTokenNotFound) id: number,
  ): Promise<ApiTokenAnswer> {
    return this.apiTokens.revoke(caller, id);
  }
}
