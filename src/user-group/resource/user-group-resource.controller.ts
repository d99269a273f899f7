import {
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
  ApiTags,
} from '../../common/api-docs.ts';
import { DeletedAnswer } from '../../common/http/deleted-answer.dto.ts';
import { Controller, Delete, Get, HttpCode, Patch, Post, Put, Res } from '@nestjs/common';
import type { Response } from 'express';
import { RequiresScope } from '../../common/access.decorator.ts';
import { type Caller, CurrentCaller } from '../../common/caller.ts';
import {
  AuditUnavailable,
  PreconditionFailed,
  PreconditionMalformed,
  UserGroupNotFound,
  ChangeRefused,
  ExtensionUnavailable,
  UserGroupQuotaReached,
} from '../../common/errors.ts';
import { NewProvidedIdParam, ProvidedIdParam } from '../../common/http/path-param.ts';
import {
  entityTagOf,
  setEntityTag,
  Preconditions,
  RequestPreconditions,
} from '../../common/http/preconditions.ts';
import { QueryOf } from '../../common/http/query.decorator.ts';
import type { JsonText } from '../../common/json/json-text.ts';
import { JsonBody } from '../../common/json/json-body.decorator.ts';
import { ApiProblems, ApiReadProblems } from '../../common/problem.dto.ts';
import { UserGroupQueryDto } from './dto/user-group-query.dto.ts';
import { PatchUserGroupDto, ReplaceUserGroupDto } from './dto/user-group-resource.dto.ts';
import { UserGroupResourceAnswer, UserGroupsAnswer } from './dto/user-group-resource-answer.dto.ts';
import { UserGroupList } from './user-group-list.ts';
import { UserGroupResourceService } from './user-group-resource.service.ts';

const PATH = 'api/v1/user-groups';
const ETAG = {
  ETag: { description: 'Names this state of the group.', schema: { type: 'string' } },
};
const LOCATION = {
  Location: { description: 'The path of the group.', schema: { type: 'string' } },
};

@ApiTags('User groups (v1)')
@Controller(PATH)
export class UserGroupResourceController {
  constructor(
    private readonly resources: UserGroupResourceService,
    private readonly groups: UserGroupList,
  ) {}

  @Get()
  @RequiresScope('user-groups:read')
  @ApiOperation({
    operationId: 'listUserGroups',
    summary: 'List user groups',
    description:
      'Without tokens, in the order of `sort`: without it in that of their creation, which is that of their `team_id`. Filters can be combined, with each other and with every order. With filters one call looks at 1,000 groups at most: a page may have fewer groups than asked for, or none, and still a `next_cursor`; the list ends where there is none. A group whose place in the order changes between two pages may appear on both or on neither.',
  })
  @ApiOkResponse({ type: UserGroupsAnswer, description: 'One page of user groups.' })
  @ApiReadProblems()
  list(
    @CurrentCaller() caller: Caller,
    @QueryOf(UserGroupQueryDto) query: UserGroupQueryDto,
  ): Promise<JsonText> {
    return this.groups.list(caller, query);
  }

  @Get(':id')
  @RequiresScope('user-groups:read', { gated: false })
  @ApiOperation({
    operationId: 'getUserGroup',
    summary: 'Get a user group',
    description:
      'Reads and never writes. The answer holds no token, so it has an `ETag`: send it in `If-Match` with a write, and the write is done only if nobody else has changed the group since.',
  })
  @ApiOkResponse({ type: UserGroupResourceAnswer, description: 'The group.', headers: ETAG })
  @ApiResponse({ status: 304, description: 'It is in a state that If-None-Match names.' })
  @ApiReadProblems(PreconditionMalformed, UserGroupNotFound, PreconditionFailed)
  async get(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @RequestPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserGroupResourceAnswer | undefined> {
    const answer = await this.resources.get(caller, id);
    const entityTag = entityTagOf(answer.user_group);
    preconditions.requireMatch(entityTag);
    setEntityTag(response, entityTag);
    if (!preconditions.isKnown(entityTag)) return answer;
    response.status(304);
    return undefined;
  }

  @Put(':id')
  @RequiresScope('user-groups:write', { gated: false })
  @ApiOperation({
    operationId: 'replaceUserGroup',
    summary: 'Create or replace a user group',
    description:
      'Makes the group exactly what the body says: unlike PUT /api/user, a `mapping` or `properties` that is not sent is emptied, and an unknown field is refused. The token never changes and is not answered. With `If-None-Match: *` it only creates, with `If-Match` it only replaces.',
  })
  @ApiOkResponse({ type: UserGroupResourceAnswer, description: 'The group was there.' })
  @ApiCreatedResponse({
    type: UserGroupResourceAnswer,
    description: 'The group is new.',
    headers: LOCATION,
  })
  @ApiProblems(
    PreconditionMalformed,
    UserGroupQuotaReached,
    ChangeRefused,
    ExtensionUnavailable,
    PreconditionFailed,
    AuditUnavailable,
  )
  async replace(
    @CurrentCaller() caller: Caller,
    @NewProvidedIdParam() id: string,
    @JsonBody(ReplaceUserGroupDto) dto: ReplaceUserGroupDto,
    @RequestPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserGroupResourceAnswer> {
    const { created, answer } = await this.resources.replace(caller, id, dto, preconditions);
    // No ETag: it would say that the group's representation is the body that was sent (RFC 9110, section 9.3.4).
    if (created) response.status(201).set('Location', `/${PATH}/${encodeURIComponent(id)}`);
    return answer;
  }

  @Patch(':id')
  @RequiresScope('user-groups:write', { gated: false })
  @ApiOperation({
    operationId: 'patchUserGroup',
    summary: 'Change parts of a user group',
    description:
      'A JSON Merge Patch (RFC 7396): a member that is null is removed, an object is merged, anything else replaces. Patches of different members that arrive together are all kept.',
  })
  @ApiOkResponse({ type: UserGroupResourceAnswer, description: 'The group.', headers: ETAG })
  @ApiProblems(
    PreconditionMalformed,
    UserGroupNotFound,
    ChangeRefused,
    ExtensionUnavailable,
    PreconditionFailed,
    AuditUnavailable,
  )
  async patch(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @JsonBody(PatchUserGroupDto) dto: PatchUserGroupDto,
    @RequestPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserGroupResourceAnswer> {
    const answer = await this.resources.patch(caller, id, dto, preconditions);
    setEntityTag(response, entityTagOf(answer.user_group));
    return answer;
  }

  @Delete(':id')
  @RequiresScope('user-groups:write')
  @ApiOperation({
    operationId: 'deleteUserGroup',
    summary: 'Delete a user group',
    description:
      'Removes the group with its tokens for good: none of them is valid from then on, and a group of the same id that is created later has another `team_id` and another token. To end its tokens for a while, suspend it.',
  })
  @ApiOkResponse({ type: DeletedAnswer, description: 'It is gone.' })
  @ApiReadProblems(
    PreconditionMalformed,
    UserGroupNotFound,
    ChangeRefused,
    ExtensionUnavailable,
    PreconditionFailed,
    AuditUnavailable,
  )
  delete(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @RequestPreconditions() preconditions: Preconditions,
  ): Promise<DeletedAnswer> {
    return this.resources.delete(caller, id, preconditions);
  }

  @Post(':id/suspend')
  @HttpCode(200)
  @RequiresScope('user-groups:write', { gated: false })
  @ApiOperation({
    operationId: 'suspendUserGroup',
    summary: 'Suspend a user group',
    description:
      'No token of the group can be introspected until it is resumed. It can still be looked up, written and rotated. Suspending it again changes nothing. The call has no body.',
  })
  @ApiOkResponse({ type: UserGroupResourceAnswer, description: 'The suspended group.' })
  @ApiReadProblems(UserGroupNotFound, ChangeRefused, AuditUnavailable, ExtensionUnavailable)
  suspend(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
  ): Promise<UserGroupResourceAnswer> {
    return this.resources.suspend(caller, id);
  }

  @Post(':id/resume')
  @HttpCode(200)
  @RequiresScope('user-groups:write', { gated: false })
  @ApiOperation({
    operationId: 'resumeUserGroup',
    summary: 'Resume a user group',
    description:
      'Its current token can be introspected again; a token that was replaced meanwhile cannot, beyond its grace period. Resuming a group that is not suspended changes nothing. The call has no body.',
  })
  @ApiOkResponse({ type: UserGroupResourceAnswer, description: 'The group.' })
  @ApiReadProblems(UserGroupNotFound, ChangeRefused, AuditUnavailable, ExtensionUnavailable)
  resume(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
  ): Promise<UserGroupResourceAnswer> {
    return this.resources.resume(caller, id);
  }
}
