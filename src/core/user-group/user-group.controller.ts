import { Controller, Get, HttpCode, Post, Put } from '@nestjs/common';
import { ApiExtension } from '../../platform/common/api-docs.ts';
import { ApiProblems, ApiTags, Ok, Operation } from '../../platform/common/operation.ts';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import { MethodNotAllowed } from '../../platform/common/problem/errors.ts';
import {
  UserGroupNotFound,
  UserGroupQuotaReached,
  UserGroupTokenNotFound,
} from './group/user-group.errors.ts';
import { IdempotencyKeyHeader } from '../../platform/common/http/parameters/request-params.ts';
import { JsonBody } from '../../platform/common/json/json-body.decorator.ts';
import { ROTATION_ERRORS, TOKEN_ERRORS, WRITE_ERRORS } from './group/documented-errors.ts';
import { RotateUserGroupTokenRequest } from './rotation/dto/rotate-token.dto.ts';
import { UserGroupInput } from './group/dto/user-group.dto.ts';
import {
  UserGroupLookupResponse,
  UserGroupWithTokenResponse,
} from './group/dto/user-group-response.dto.ts';
import { UserGroupTokenService } from './rotation/user-group-token.service.ts';
import { UserGroupService } from './user-group.service.ts';

const LOOK_UP = `curl -X GET "$USER_GROUPS_URL/api/user" \\
  -H "Authorization: Token $USER_GROUPS_TOKEN" -H 'Content-Type: application/json' \\
  -d '{"user_group_id": "acme-emea", "name": "Acme EMEA"}'`;

@ApiTags('User groups')
@Controller('api/user')
export class UserGroupController {
  constructor(
    private readonly userGroups: UserGroupService,
    private readonly tokens: UserGroupTokenService,
  ) {}

  @Get()
  @RequiresScope('user-groups:read', {
    inRange: true,
    also: 'user-group-tokens:read',
    gated: false,
    lenient: true,
  })
  @Operation(
    'createOrLookUpUserGroup',
    'Create or look up a user group',
    'Generated clients and `fetch` cannot send a GET with a body. Use `PUT /api/user` to create or change a group, and `GET /api/v1/user-groups/{id}/tokens/current` to look up its token; or send the body as `POST /api/user` with the header `X-HTTP-Method-Override: GET`.\n\nCreates the group if its id is new (then `name` is needed), else looks it up: same token, same `team_id`. A field that is sent and differs is stored, which needs the scope `user-groups:write`; a field that is not sent stays. A body with `user_group_id` alone never creates.',
  )
  @ApiExtension('x-codeSamples', [{ lang: 'Shell', label: 'curl', source: LOOK_UP }])
  @Ok(UserGroupLookupResponse, 'The user group, and whether it is new.')
  @ApiProblems(UserGroupNotFound, UserGroupQuotaReached, ...WRITE_ERRORS, ...TOKEN_ERRORS)
  createOrLookUp(
    @CurrentCaller() caller: Caller,
    @JsonBody(UserGroupInput, { lenient: true }) dto: UserGroupInput,
  ): Promise<UserGroupLookupResponse> {
    return this.userGroups.createOrLookUp(caller, dto);
  }

  @Put()
  @RequiresScope('user-groups:write', {
    inRange: true,
    also: 'user-group-tokens:read',
    gated: false,
    lenient: true,
  })
  @Operation(
    'upsertUserGroup',
    'Write a user group',
    'Creates the group (then `name` is needed) or stores every field that is sent. A field that is not sent stays; `mapping` and `properties` are replaced as a whole. The token never changes, and the response contains it even if nothing changes. `PUT /api/v1/user-groups/{id}` writes without returning the token.',
  )
  @Ok(UserGroupWithTokenResponse, 'The user group as stored.')
  @ApiProblems(UserGroupQuotaReached, ...WRITE_ERRORS, ...TOKEN_ERRORS)
  put(
    @CurrentCaller() caller: Caller,
    @JsonBody(UserGroupInput, { lenient: true }) dto: UserGroupInput,
  ): Promise<UserGroupWithTokenResponse> {
    return this.userGroups.put(caller, dto);
  }

  @Post()
  @HttpCode(200)
  @RequiresScope('tokens:rotate', { inRange: true, gated: false, lenient: true })
  @Operation(
    'rotateUserGroupToken',
    'Rotate a user group token',
    'Gives the group that holds `current_token` a new token. The old one can never rotate again; it ends at once, or can be introspected for `grace_period_seconds` more. Of several rotations of one token exactly one succeeds. If the response is lost, GET with the `user_group_id` returns the new token, and the same request with the same `Idempotency-Key` returns the same response.',
  )
  @Ok(UserGroupWithTokenResponse, 'The user group with its new token.')
  @ApiProblems(MethodNotAllowed, UserGroupTokenNotFound, ...ROTATION_ERRORS)
  rotateToken(
    @CurrentCaller() caller: Caller,
    @JsonBody(RotateUserGroupTokenRequest, { lenient: true }) dto: RotateUserGroupTokenRequest,
    @IdempotencyKeyHeader() key: string | undefined,
  ): Promise<UserGroupWithTokenResponse> {
    return this.tokens.rotate(caller, dto, key);
  }
}
