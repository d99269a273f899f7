import { Controller, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '../common/api-docs.ts';
import { RequiresScope } from '../common/access.decorator.ts';
import { type Caller, CurrentCaller } from '../common/caller.ts';
import {
  AuditUnavailable,
  IdempotencyKeyInvalid,
  IdempotencyKeyReused,
  IdempotencyKeySpent,
  MethodNotAllowed,
  UserGroupTokenForgotten,
  UserGroupTokenNotFound,
  UserGroupTokenUnreadable,
  UserGroupNotFound,
  ChangeRefused,
  ExtensionUnavailable,
  UserGroupQuotaReached,
} from '../common/errors.ts';
import { IdempotencyKeyHeader } from '../common/http/idempotency-key.decorator.ts';
import { JsonBody } from '../common/json/json-body.decorator.ts';
import { ApiProblems } from '../common/problem.dto.ts';
import { RotateTokenDto } from './rotation/dto/rotate-token.dto.ts';
import { UserGroupDto } from './group/dto/user-group.dto.ts';
import { LookedUpUserGroupAnswer, UserGroupAnswer } from './group/dto/user-group-answer.dto.ts';
import { UserGroupTokenService } from './rotation/user-group-token.service.ts';
import { UserGroupService } from './group/user-group.service.ts';

@ApiTags('User groups')
@Controller('api/user')
export class UserGroupController {
  constructor(
    private readonly userGroups: UserGroupService,
    private readonly tokens: UserGroupTokenService,
  ) {}

  @Get()
  @RequiresScope('user-groups:read', { gated: false })
  @ApiOperation({
    operationId: 'createOrLookUpUserGroup',
    summary: 'Create or look up a user group',
    description:
      'Creates the group if its id is new (then `name` is needed), else looks it up: same token, same `team_id`. A field that is sent and differs is stored, which needs the scope `user-groups:write`; a field that is not sent stays. A body with `user_group_id` alone never creates. Clients that cannot send a GET with a body send it as POST with the header `X-HTTP-Method-Override: GET`, or use PUT.',
  })
  @ApiOkResponse({
    type: LookedUpUserGroupAnswer,
    description: 'The user group, and whether it is new.',
  })
  @ApiProblems(
    UserGroupNotFound,
    UserGroupQuotaReached,
    ChangeRefused,
    ExtensionUnavailable,
    UserGroupTokenForgotten,
    UserGroupTokenUnreadable,
    AuditUnavailable,
  )
  createOrLookUp(
    @CurrentCaller() caller: Caller,
    @JsonBody(UserGroupDto, { lenient: true }) dto: UserGroupDto,
  ): Promise<LookedUpUserGroupAnswer> {
    return this.userGroups.createOrLookUp(caller, dto);
  }

  @Put()
  @RequiresScope('user-groups:write', { gated: false })
  @ApiOperation({
    operationId: 'putUserGroup',
    summary: 'Write a user group',
    description:
      'Creates the group (then `name` is needed) or stores every field that is sent. A field that is not sent stays; `mapping` and `properties` are replaced as a whole. The token never changes, and the answer holds it, also where nothing was to change: whoever has the scope `user-groups:write` can read the token of any group whose id they know. The audit log tells it, as `user_group_token.show`.',
  })
  @ApiOkResponse({ type: UserGroupAnswer, description: 'The user group as stored.' })
  @ApiProblems(
    UserGroupQuotaReached,
    ChangeRefused,
    ExtensionUnavailable,
    UserGroupTokenForgotten,
    UserGroupTokenUnreadable,
    AuditUnavailable,
  )
  put(
    @CurrentCaller() caller: Caller,
    @JsonBody(UserGroupDto, { lenient: true }) dto: UserGroupDto,
  ): Promise<UserGroupAnswer> {
    return this.userGroups.put(caller, dto);
  }

  @Post()
  @HttpCode(200)
  @RequiresScope('tokens:rotate', { gated: false })
  @ApiOperation({
    operationId: 'rotateUserGroupToken',
    summary: 'Rotate a user group token',
    description:
      'Gives the group that holds `current_token` a new token. The old one can never rotate again; it ends at once, or can be introspected for `grace_period_seconds` more. Of several rotations of one token exactly one succeeds. If the answer is lost, GET with the `user_group_id` gives the new token, or the same call with the same `Idempotency-Key` the same answer.',
  })
  @ApiOkResponse({ type: UserGroupAnswer, description: 'The user group with its new token.' })
  @ApiProblems(
    IdempotencyKeyInvalid,
    UserGroupTokenNotFound,
    MethodNotAllowed,
    IdempotencyKeySpent,
    UserGroupTokenForgotten,
    IdempotencyKeyReused,
    UserGroupTokenUnreadable,
    AuditUnavailable,
  )
  rotateToken(
    @CurrentCaller() caller: Caller,
    @JsonBody(RotateTokenDto, { lenient: true }) dto: RotateTokenDto,
    @IdempotencyKeyHeader() key: string | undefined,
  ): Promise<UserGroupAnswer> {
    return this.tokens.rotate(caller, dto, key);
  }
}
