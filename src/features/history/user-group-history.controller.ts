import { Controller, Get, HttpCode, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
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
import { NumberParam, QueryOf } from '../../platform/common/http/parameters/request-params.ts';
import { ProvidedIdParam } from '../../core/user-group/group/provided-id.ts';
import {
  ApiReadProblems,
  ApiTags,
  Created,
  Ok,
  Operation,
} from '../../platform/common/operation.ts';
import {
  UserGroupNotFound,
  UserGroupQuotaReached,
} from '../../core/user-group/group/user-group.errors.ts';
import { UserGroupVersionNotFound } from './history.errors.ts';
import { ID_ERRORS, WRITE_ERRORS } from '../../core/user-group/group/documented-errors.ts';
import { UserGroupResponse } from '../../core/user-group/resource/dto/user-group-resource-response.dto.ts';
import { TeamQueryDto, VersionQueryDto, VersionsQueryDto } from './dto/versions-query.dto.ts';
import {
  UserGroupVersionResponse,
  UserGroupVersionsResponse,
} from './dto/versions-response.dto.ts';
import { UserGroupHistory } from './user-group-history.service.ts';

const GROUPS = 'api/v1/user-groups';

@ApiTags('User groups (v1)')
@Controller(`${GROUPS}/:id/versions`)
export class UserGroupHistoryController {
  constructor(private readonly history: UserGroupHistory) {}

  @Get()
  @RequiresScope('user-groups:read', { inRange: true })
  @Operation(
    'listUserGroupVersions',
    'List the versions of a user group',
    'Every state of the group, newest first, including the present one. A rotation of its token adds none. A renamed group is listed by its present id, and after it each deleted group that has had the id. Replaced states are kept for `HISTORY_RETENTION_DAYS`.',
  )
  @Ok(UserGroupVersionsResponse, 'One page of versions.')
  @ApiReadProblems(...ID_ERRORS)
  list(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @QueryOf(VersionsQueryDto) query: VersionsQueryDto,
  ): Promise<UserGroupVersionsResponse> {
    return this.history.list(caller, id, query);
  }

  @Get(':version')
  @RequiresScope('user-groups:read', { inRange: true })
  @Operation(
    'getUserGroupVersion',
    'Get a version of a user group',
    'The state as stored. `compare_with` adds the differences from another version.',
  )
  @Ok(UserGroupVersionResponse, 'The version.')
  @ApiReadProblems(...ID_ERRORS, UserGroupVersionNotFound)
  get(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @NumberParam('version', UserGroupVersionNotFound) version: number,
    @QueryOf(VersionQueryDto) query: VersionQueryDto,
  ): Promise<UserGroupVersionResponse> {
    return this.history.get(caller, id, version, query);
  }

  @Post(':version/restore')
  @HttpCode(200)
  @RequiresScope('user-groups:write', { inRange: true })
  @Operation(
    'restoreUserGroupVersion',
    'Restore a version of a user group',
    "Writes the name, the mapping and the properties of the version, which have to keep the present rules of the workspace. Its token and its suspension stay as they are. A deleted group is created again, with another `team_id` and token, and suspended if it was. Send `If-Match` with the `ETag` of the group, so that nobody else's change is lost; `If-None-Match: *` restores only a deleted group. The call has no body.",
  )
  @Ok(UserGroupResponse, 'The group.', ETAG)
  @Created(UserGroupResponse, 'The group was created again.', {
    Location: 'Path of what was created.',
  })
  @ApiReadProblems(
    UserGroupNotFound,
    UserGroupVersionNotFound,
    UserGroupQuotaReached,
    ...WRITE_ERRORS,
    ...PRECONDITION_ERRORS,
  )
  async restore(
    @CurrentCaller() caller: Caller,
    @ProvidedIdParam() id: string,
    @NumberParam('version', UserGroupVersionNotFound) version: number,
    @QueryOf(TeamQueryDto) query: TeamQueryDto,
    @RequestPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<UserGroupResponse> {
    const { created, body, entityTag } = await this.history.restore(
      caller,
      id,
      version,
      query,
      preconditions,
    );
    setEntityTag(response, entityTag);
    if (created) response.status(201).set('Location', `/${GROUPS}/${encodeURIComponent(id)}`);
    return body;
  }
}
