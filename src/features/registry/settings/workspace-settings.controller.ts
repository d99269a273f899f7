import { Controller, Get, HttpCode, Patch, Post, Res } from '@nestjs/common';
import type { Response } from 'express';
import {
  ApiProblems,
  ApiReadProblems,
  ApiTags,
  Ok,
  Operation,
} from '../../../platform/common/operation.ts';
import {
  AnyScope,
  type Caller,
  CurrentCaller,
  RequiresScope,
} from '../../../platform/common/access/access.decorator.ts';
import { AuditUnavailable } from '../../../core/audit/audit.errors.ts';
import { MappingsUnresolvable } from '../../group-checks/group-checks.errors.ts';
import {
  entityTagOf,
  ETAG,
  NotModified,
  PRECONDITION_ERRORS,
  Preconditions,
  RequestPreconditions,
  setEntityTag,
} from '../../../platform/common/http/parameters/preconditions.ts';
import { PageQueryDto } from '../../../platform/common/http/parameters/page.dto.ts';
import { QueryOf } from '../../../platform/common/http/parameters/request-params.ts';
import { JsonBody } from '../../../platform/common/json/json-body.decorator.ts';
import {
  UserGroupIssuesResponse,
  WorkspaceRequirements,
  UpdateWorkspaceRequest,
  WorkspaceIdentityResponse,
  WorkspaceResponse,
} from './dto/workspace.dto.ts';
import { UserGroupIssuesService } from './user-group-issues.service.ts';
import { WorkspaceSettingsService } from './workspace-settings.service.ts';

@ApiTags('Workspace')
@Controller('api/v1/workspace')
export class WorkspaceSettingsController {
  constructor(
    private readonly settings: WorkspaceSettingsService,
    private readonly issues: UserGroupIssuesService,
  ) {}

  @Get()
  @RequiresScope('registry:read')
  @Operation(
    'getWorkspace',
    'Read the settings of the workspace',
    'The workspace of the API token: its id, its requirements for every user group, the issuer and the audiences of its embed tokens, and whether somebody can view as a user group.',
  )
  @Ok(WorkspaceResponse, 'The settings.', ETAG)
  @NotModified()
  @ApiReadProblems(...PRECONDITION_ERRORS)
  async get(
    @CurrentCaller() caller: Caller,
    @RequestPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WorkspaceResponse | undefined> {
    const body = await this.settings.get(caller);
    return preconditions.respond(response, entityTagOf(body.workspace), body);
  }

  @Get('identity')
  @AnyScope({ inRange: true })
  @Operation(
    'getWorkspaceIdentity',
    'Read the id of the workspace',
    'The id of the workspace of the API token, and the issuer of its embed tokens. A program that verifies embed tokens offline needs both. Every API token may read it, whatever its scopes.',
  )
  @Ok(WorkspaceIdentityResponse, 'The id and the issuer.')
  @ApiReadProblems()
  getIdentity(@CurrentCaller() caller: Caller): Promise<WorkspaceIdentityResponse> {
    return this.settings.getIdentity(caller);
  }

  @Patch()
  @RequiresScope('registry:write')
  @Operation(
    'updateWorkspace',
    'Change the settings of the workspace',
    'Stores every setting that is sent. A change to `registered` resolves every stored mapping and is refused if one cannot be; a change to `open` forgets what they were resolved to. A new requirement is never refused for groups that do not meet it: their tokens are inactive until they do.',
  )
  @Ok(WorkspaceResponse, 'The settings as they are now.', ETAG)
  @ApiProblems(MappingsUnresolvable, AuditUnavailable, ...PRECONDITION_ERRORS)
  async update(
    @CurrentCaller() caller: Caller,
    @JsonBody(UpdateWorkspaceRequest) dto: UpdateWorkspaceRequest,
    @RequestPreconditions() preconditions: Preconditions,
    @Res({ passthrough: true }) response: Response,
  ): Promise<WorkspaceResponse> {
    const body = await this.settings.update(caller, dto, preconditions);
    setEntityTag(response, entityTagOf(body.workspace));
    return body;
  }

  @Get('unresolvable-mappings')
  @RequiresScope('registry:read')
  @Operation(
    'listUnresolvableMappings',
    'List the user groups that prevent the policy `registered`',
    'The user groups whose mappings name what is not registered, or one schema by two keys; none while the policy is `registered`.',
  )
  @Ok(UserGroupIssuesResponse, 'One page of user groups.')
  @ApiReadProblems()
  listUnresolvable(
    @CurrentCaller() caller: Caller,
    @QueryOf(PageQueryDto) query: PageQueryDto,
  ): Promise<UserGroupIssuesResponse> {
    return this.issues.listUnresolvable(caller, query);
  }

  @Post('incomplete-user-groups/preview')
  @HttpCode(200)
  @RequiresScope('registry:write')
  @Operation(
    'previewIncompleteUserGroups',
    'List the user groups that a new requirement would make incomplete',
    'The user groups that meet the present requirements but not those of the body: their tokens would become inactive. Each is listed with every requirement that it would not meet. Nothing is changed.',
  )
  @Ok(UserGroupIssuesResponse, 'One page of user groups.')
  @ApiProblems()
  previewIncomplete(
    @CurrentCaller() caller: Caller,
    @QueryOf(PageQueryDto) query: PageQueryDto,
    @JsonBody(WorkspaceRequirements) dto: WorkspaceRequirements,
  ): Promise<UserGroupIssuesResponse> {
    return this.issues.previewIncomplete(caller, query, dto);
  }
}
