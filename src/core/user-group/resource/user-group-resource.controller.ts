import {
  ApiProblems,
  ApiReadProblems,
  ApiTags,
  Created,
  Ok,
  Operation,
} from '../../../platform/common/operation.ts';
import { DeletedResponse } from '../../../platform/common/http/responses/response.ts';
import { Controller, Delete, Get, HttpCode, Patch, Post, Put, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../../platform/common/access/access.decorator.ts';
import {
  HistoryBeginsLater,
  UserGroupNotFound,
  UserGroupQuotaReached,
} from '../group/user-group.errors.ts';
import { QueryOf } from '../../../platform/common/http/parameters/request-params.ts';
import { NewProvidedIdParam, ProvidedIdParam } from '../group/provided-id.ts';
import {
  ETAG,
  NotModified,
  PRECONDITION_ERRORS,
  Preconditions,
  RequestPreconditions,
  setEntityTag,
} from '../../../platform/common/http/parameters/preconditions.ts';
import type { JsonText } from '../../../platform/common/json/json-text.ts';
import { JsonBody } from '../../../platform/common/json/json-body.decorator.ts';
import { ID_ERRORS, WRITE_ERRORS } from '../group/documented-errors.ts';
import { GetUserGroupResponse, UserGroupAtQueryDto } from './dto/past-response.dto.ts';
import { UserGroupQueryDto } from './dto/user-group-query.dto.ts';
import { UpdateUserGroupRequest, ReplaceUserGroupRequest } from './dto/user-group-resource.dto.ts';
import { UserGroupResponse, UserGroupsResponse } from './dto/user-group-resource-response.dto.ts';
import { UserGroupPast } from './user-group-past.ts';
import { UserGroupList } from './user-group-list.ts';
import { UserGroupResourceService } from './user-group-resource.service.ts';

const PATH = 'api/v1/user-groups';

@ApiTags('User groups (v1)')
@Controller(PATH)
export class UserGroupResourceController {
  constructor(
    private readonly resources: UserGroupResourceService,
    private readonly groups: UserGroupList,
    private readonly past: UserGroupPast,
  ) {}

  @Get()
  @RequiresScope('user-groups:read', { inRange: true })
  @Operation(
    'listUserGroups',
    'List user groups',
    'Without tokens, in the order of `sort`; by default in order of creation, which is that of `team_id`. Filters can be combined. With filters one call looks at 1,000 groups at most: a page may have fewer groups than asked for, or none, and still a `next_cursor`. A group whose place in the order changes between two pages may appear on both or on neither.',
  )
  @Ok(UserGroupsResponse, 'One page of user groups.')
  @ApiReadProblems()
  list(
    @CurrentCaller() caller: Caller,
    @QueryOf(UserGroupQueryDto) query: UserGroupQueryDto,
  ): Promise<JsonText> {
    return this.groups.list(caller, query);
  }

  @Get(':id')
  @RequiresScope('user-groups:read', { inRange: true, gated: false })
  @Operation(
    'getUserGroup',
    'Get a user group',
    'Reads and never writes. The response contains no token, so it has an `ETag`: send it in `If-Match` with a write, and the write is performed only if the group has not changed since. With `at` the response is the group at that time, without an `ETag`, and says which of its tokens were accepted.',
  )
  @Ok(GetUserGroupResponse, 'The group.', ETAG)
  @NotModified()
  @ApiReadProblems(...ID_ERRORS, HistoryBeginsLater, ...PRECONDITION_ERRORS)
  async get(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @QueryOf(UserGroupAtQueryDto) { at }: UserGroupAtQueryDto,
    @RequestPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<GetUserGroupResponse | undefined> {
    if (at !== undefined) return this.past.getAt(caller, id, at);
    const { body, entityTag } = await this.resources.get(caller, id);
    return preconditions.respond(response, entityTag, body);
  }

  @Put(':id')
  @RequiresScope('user-groups:write', { inRange: true, gated: false })
  @Operation(
    'replaceUserGroup',
    'Create or replace a user group',
    'Makes the group exactly what the body says: unlike PUT /api/user, a `mapping` or `properties` that is not sent is emptied, and an unknown field is refused. The token never changes and is not returned. With `If-None-Match: *` it only creates, with `If-Match` it only replaces.',
  )
  @Ok(UserGroupResponse, 'The group existed and was replaced.')
  @Created(UserGroupResponse, 'The group was created.', { Location: 'Path of what was created.' })
  @ApiProblems(UserGroupQuotaReached, ...WRITE_ERRORS, ...PRECONDITION_ERRORS)
  async replace(
    @CurrentCaller() caller: Caller,
    @NewProvidedIdParam() id: string,
    @JsonBody(ReplaceUserGroupRequest) dto: ReplaceUserGroupRequest,
    @RequestPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserGroupResponse> {
    const { created, body } = await this.resources.replace(caller, id, dto, preconditions);
    // Leaves out ETag: it would say that the group's representation is the body that was sent (RFC 9110, section 9.3.4).
    if (created) response.status(201).set('Location', `/${PATH}/${encodeURIComponent(id)}`);
    return body;
  }

  @Patch(':id')
  @RequiresScope('user-groups:write', { inRange: true, gated: false })
  @Operation(
    'updateUserGroup',
    'Change parts of a user group',
    'A JSON Merge Patch (RFC 7396): a member that is null is removed, an object is merged, anything else replaces. Patches of different members that arrive together are all kept.',
  )
  @Ok(UserGroupResponse, 'The group.', ETAG)
  @ApiProblems(UserGroupNotFound, ...WRITE_ERRORS, ...PRECONDITION_ERRORS)
  async patch(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @JsonBody(UpdateUserGroupRequest) dto: UpdateUserGroupRequest,
    @RequestPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserGroupResponse> {
    const { body, entityTag } = await this.resources.patch(caller, id, dto, preconditions);
    setEntityTag(response, entityTag);
    return body;
  }

  @Delete(':id')
  @RequiresScope('user-groups:write', { inRange: true })
  @Operation(
    'deleteUserGroup',
    'Delete a user group',
    'Removes the group with its tokens for good: none of them is valid from then on, and a group of the same id that is created later has another `team_id` and another token. To end its tokens for a while, suspend it.',
  )
  @Ok(DeletedResponse, 'Deleted.')
  @ApiReadProblems(UserGroupNotFound, ...WRITE_ERRORS, ...PRECONDITION_ERRORS)
  delete(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @RequestPreconditions() preconditions: Preconditions,
  ): Promise<DeletedResponse> {
    return this.resources.delete(caller, id, preconditions);
  }

  @Post(':id/suspend')
  @HttpCode(200)
  @RequiresScope('user-groups:write', { inRange: true, gated: false })
  @Operation(
    'suspendUserGroup',
    'Suspend a user group',
    'No token of the group can be introspected until it is resumed. It can still be looked up, written and rotated. Suspending it again changes nothing. The call has no body.',
  )
  @Ok(UserGroupResponse, 'The suspended group.')
  @ApiReadProblems(UserGroupNotFound, ...WRITE_ERRORS)
  suspend(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
  ): Promise<UserGroupResponse> {
    return this.resources.suspend(caller, id);
  }

  @Post(':id/resume')
  @HttpCode(200)
  @RequiresScope('user-groups:write', { inRange: true, gated: false })
  @Operation(
    'resumeUserGroup',
    'Resume a user group',
    'Its current token can be introspected again; a token that was replaced meanwhile cannot, beyond its grace period. Resuming a group that is not suspended changes nothing. The call has no body.',
  )
  @Ok(UserGroupResponse, 'The group.')
  @ApiReadProblems(UserGroupNotFound, ...WRITE_ERRORS)
  resume(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
  ): Promise<UserGroupResponse> {
    return this.resources.resume(caller, id);
  }
}
