import { Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import { ID_ERRORS, WRITE_ERRORS } from '../../core/user-group/group/documented-errors.ts';
import { ProvidedIdParam } from '../../core/user-group/group/provided-id.ts';
import { UserGroupResponse } from '../../core/user-group/resource/dto/user-group-resource-response.dto.ts';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../platform/common/access/access.decorator.ts';
import {
  ETAG,
  PRECONDITION_ERRORS,
  Preconditions,
  RequestPreconditions,
  setEntityTag,
} from '../../platform/common/http/parameters/preconditions.ts';
import {
  IDEMPOTENCY_ERRORS,
  IdempotencyKeyHeader,
} from '../../platform/common/http/parameters/request-params.ts';
import { JsonBody } from '../../platform/common/json/json-body.decorator.ts';
import { ApiProblems, ApiTags, Ok, Operation } from '../../platform/common/operation.ts';
import { RenameUserGroupRequest } from './rename.dto.ts';
import { UserGroupIdTaken } from './rename.errors.ts';
import { UserGroupRenames } from './rename.service.ts';

@ApiTags('User groups (v1)')
@Controller('api/v1/user-groups')
export class RenameController {
  constructor(private readonly renames: UserGroupRenames) {}

  @Post(':id/rename')
  @HttpCode(200)
  @RequiresScope('user-groups:write', { inRange: true })
  @Operation(
    'renameUserGroup',
    'Rename a user group',
    'Gives the group another id. Its `team_id`, tokens, history and usage stay. For 30 days calls by the former id get 409 `user_group_renamed` with the new id, and no other group can get it.',
  )
  @Ok(UserGroupResponse, 'The group, by its new id.', ETAG)
  @ApiProblems(
    ...ID_ERRORS,
    UserGroupIdTaken,
    ...WRITE_ERRORS,
    ...PRECONDITION_ERRORS,
    ...IDEMPOTENCY_ERRORS,
  )
  async rename(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @JsonBody(RenameUserGroupRequest) { provided_id: newId }: RenameUserGroupRequest,
    @RequestPreconditions() preconditions: Preconditions,
    @IdempotencyKeyHeader() key: string | undefined,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserGroupResponse> {
    const { body, entityTag } = await this.renames.rename(caller, id, newId, preconditions, key);
    setEntityTag(response, entityTag);
    return body;
  }
}
