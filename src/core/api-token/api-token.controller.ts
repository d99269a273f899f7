import { Controller, Get, HttpCode, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  ApiProblems,
  ApiReadProblems,
  ApiTags,
  Created,
  Ok,
  Operation,
} from '../../platform/common/operation.ts';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import {
  ApiTokenEnded,
  ApiTokenNotFound,
  ApiTokenOfPerson,
  ApiTokenSuperseded,
  GrantExceedsCaller,
  LastAdminApiToken,
} from './api-token.errors.ts';
import { AuditUnavailable } from '../audit/audit.errors.ts';
import {
  IDEMPOTENCY_ERRORS,
  IdempotencyKeyHeader,
  NumberParam,
  QueryOf,
} from '../../platform/common/http/parameters/request-params.ts';
import {
  ETAG,
  NotModified,
  PRECONDITION_ERRORS,
  Preconditions,
  RequestPreconditions,
  setEntityTag,
} from '../../platform/common/http/parameters/preconditions.ts';
import { JsonBody } from '../../platform/common/json/json-body.decorator.ts';
import { ApiTokenService } from './api-token.service.ts';
import { entityTagOfApiToken } from './dto/api-token.view.ts';
import {
  ApiTokenQueryDto,
  CreateApiTokenRequest,
  RotateApiTokenRequest,
  UpdateApiTokenRequest,
} from './dto/api-token.dto.ts';
import {
  ApiTokenResponse,
  ApiTokensResponse,
  ApiTokenWithSecretResponse,
} from './dto/api-token-response.dto.ts';

/** Errors of each change of a token. */
const CHANGE_ERRORS = [ApiTokenSuperseded, ApiTokenNotFound, AuditUnavailable];

@ApiTags('API tokens')
@Controller('api/v1/api-tokens')
export class ApiTokenController {
  constructor(private readonly apiTokens: ApiTokenService) {}

  @Get()
  @RequiresScope('admin')
  @Operation(
    'listApiTokens',
    'List API tokens',
    'The API tokens of the workspace in the order of their creation, including those that have ended unless `state` leaves them out; never the token itself.',
  )
  @Ok(ApiTokensResponse, 'One page of tokens.')
  @ApiReadProblems()
  list(
    @CurrentCaller() caller: Caller,
    @QueryOf(ApiTokenQueryDto) query: ApiTokenQueryDto,
  ): Promise<ApiTokensResponse> {
    return this.apiTokens.list(caller, query);
  }

  @Post()
  @RequiresScope('admin', { gated: 'ending', inRange: true })
  @Operation(
    'createApiToken',
    'Issue an API token',
    'The response shows the token, once. A caller can grant only what it has: scopes, expiry, allowed_cidrs and user_groups must lie within those of the token that calls.',
  )
  @Created(ApiTokenWithSecretResponse, 'The new token.', { Location: 'Path of what was created.' })
  @ApiProblems(ApiTokenSuperseded, GrantExceedsCaller, AuditUnavailable, ...IDEMPOTENCY_ERRORS)
  async issue(
    @CurrentCaller() caller: Caller,
    @JsonBody(CreateApiTokenRequest) dto: CreateApiTokenRequest,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ApiTokenWithSecretResponse> {
    const body = await this.apiTokens.issue(caller, dto, key);
    response.location(`/api/v1/api-tokens/${body.api_token.id}`);
    return body;
  }

  @Get(':id')
  @RequiresScope('admin')
  @Operation(
    'getApiToken',
    'Read an API token',
    'The details of the token, without the token itself. A use of the token, and so its last_used_at, does not change the `ETag`.',
  )
  @Ok(ApiTokenResponse, 'The token.', ETAG)
  @NotModified()
  @ApiReadProblems(ApiTokenNotFound, ...PRECONDITION_ERRORS)
  async get(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', ApiTokenNotFound) id: number,
    @RequestPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ApiTokenResponse | undefined> {
    const body = await this.apiTokens.get(caller, id);
    return preconditions.respond(response, entityTagOfApiToken(body.api_token), body);
  }

  @Patch(':id')
  @RequiresScope('admin', { gated: 'ending' })
  @Operation(
    'updateApiToken',
    'Change an API token',
    'Changes name, scopes, expiry, allowed_cidrs or user_groups; what is not sent stays. Every replica follows within a second.',
  )
  @Ok(ApiTokenResponse, 'The token as it is now.', ETAG)
  @ApiProblems(
    ...CHANGE_ERRORS,
    ApiTokenEnded,
    GrantExceedsCaller,
    LastAdminApiToken,
    ...PRECONDITION_ERRORS,
  )
  async update(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', ApiTokenNotFound) id: number,
    @JsonBody(UpdateApiTokenRequest) dto: UpdateApiTokenRequest,
    @RequestPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ApiTokenResponse> {
    const body = await this.apiTokens.update(caller, id, dto, preconditions);
    setEntityTag(response, entityTagOfApiToken(body.api_token));
    return body;
  }

  @Post(':id/rotate')
  @RequiresScope('admin', { gated: 'ending' })
  @Operation(
    'rotateApiToken',
    'Rotate an API token',
    'Issues a new token with the same name, scopes, expiry, allowed_cidrs and user_groups, under an id of its own. The old one stays valid for `grace_period_seconds`. It can be revoked earlier, and ends when the new one is rotated. Until then it has the same access as before, but cannot administer API tokens: its successor can.',
  )
  @Created(ApiTokenWithSecretResponse, 'The new token.', { Location: 'Path of what was created.' })
  @ApiProblems(
    ...CHANGE_ERRORS,
    ApiTokenEnded,
    ApiTokenOfPerson,
    GrantExceedsCaller,
    ...IDEMPOTENCY_ERRORS,
  )
  async rotate(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', ApiTokenNotFound) id: number,
    @JsonBody(RotateApiTokenRequest) dto: RotateApiTokenRequest,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<ApiTokenWithSecretResponse> {
    const body = await this.apiTokens.rotate(caller, id, dto, key);
    response.location(`/api/v1/api-tokens/${body.api_token.id}`);
    return body;
  }

  @Post(':id/revoke')
  @HttpCode(200)
  @RequiresScope('admin', { gated: 'ending' })
  @Operation(
    'revokeApiToken',
    'Revoke an API token',
    'Ends the token; every replica refuses it within a second. The last token of the workspace with the scope `admin` cannot be revoked here.',
  )
  @Ok(ApiTokenResponse, 'The token, revoked.')
  @ApiReadProblems(...CHANGE_ERRORS, LastAdminApiToken)
  revoke(
    @CurrentCaller() caller: Caller,
    @NumberParam('id', ApiTokenNotFound) id: number,
  ): Promise<ApiTokenResponse> {
    return this.apiTokens.revoke(caller, id);
  }
}
