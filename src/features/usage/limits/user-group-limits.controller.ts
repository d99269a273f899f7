import { Controller, Get, Put } from '@nestjs/common';
import { ID_ERRORS } from '../../../core/user-group/group/documented-errors.ts';
import { ProvidedIdParam } from '../../../core/user-group/group/provided-id.ts';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../../platform/common/access/access.decorator.ts';
import { JsonBody } from '../../../platform/common/json/json-body.decorator.ts';
import {
  ApiProblems,
  ApiReadProblems,
  ApiTags,
  Ok,
  Operation,
} from '../../../platform/common/operation.ts';
import { UserGroupLimitsRequest, UserGroupLimitsResponse } from '../dto/usage-limits.dto.ts';
import { UserGroupLimitsService } from './user-group-limits.service.ts';

@ApiTags('Usage')
@Controller('api/v1/user-groups/:id/limits')
export class UserGroupLimitsController {
  constructor(private readonly limits: UserGroupLimitsService) {}

  @Get()
  @RequiresScope('user-groups:read', { inRange: true })
  @Operation(
    'getUserGroupLimits',
    'Get the limits of a user group',
    'The most that the group may use in a day and a month of UTC.',
  )
  @Ok(UserGroupLimitsResponse, 'The limits.')
  @ApiReadProblems(...ID_ERRORS)
  get(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
  ): Promise<UserGroupLimitsResponse> {
    return this.limits.get(caller, id);
  }

  @Put()
  @RequiresScope('user-groups:write')
  @Operation(
    'replaceUserGroupLimits',
    'Replace the limits of a user group',
    'A limit that is not sent is removed. The events `user_group.quota_near` and `user_group.quota_reached` tell of 80 % and 100 %, each once in a day or month. With `refuse_embed_tokens` issuing an embed token then returns 429 `quota_reached` until the day ends. Introspection goes on.',
  )
  @Ok(UserGroupLimitsResponse, 'The limits.')
  @ApiProblems(...ID_ERRORS)
  replace(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @JsonBody(UserGroupLimitsRequest, { needed: true }) dto: UserGroupLimitsRequest,
  ): Promise<UserGroupLimitsResponse> {
    return this.limits.replace(caller, id, dto);
  }
}
