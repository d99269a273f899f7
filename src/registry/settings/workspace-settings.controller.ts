import { Controller, Get, HttpCode, Patch, Post } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiTags } from '../../common/api-docs.ts';
import { RequiresScope } from '../../common/access.decorator.ts';
import { type Caller, CurrentCaller } from '../../common/caller.ts';
import { AuditUnavailable, MappingsUnresolvable } from '../../common/errors.ts';
import { PageQueryDto } from '../../common/http/page.dto.ts';
import { QueryOf } from '../../common/http/query.decorator.ts';
import { JsonBody } from '../../common/json/json-body.decorator.ts';
import { ApiProblems, ApiReadProblems } from '../../common/problem.dto.ts';
import {
  FlawedGroupsAnswer,
  RequirementsDto,
  UpdateWorkspaceDto,
  WorkspaceAnswer,
} from './dto/workspace.dto.ts';
import { WorkspaceSettingsService } from './workspace-settings.service.ts';

@ApiTags('Workspace')
@Controller('api/v1/workspace')
export class WorkspaceSettingsController {
  constructor(private readonly settings: WorkspaceSettingsService) {}

  @Get()
  @RequiresScope('registry:read')
  @ApiOperation({
    operationId: 'getWorkspace',
    summary: 'Read the settings of the workspace',
    description:
      'What the workspace of the API token asks of every user group; and its id, the issuer and the audiences of its embed tokens.',
  })
  @ApiOkResponse({ type: WorkspaceAnswer, description: 'The settings.' })
  @ApiReadProblems()
  get(@CurrentCaller() caller: Caller): Promise<WorkspaceAnswer> {
    return this.settings.get(caller);
  }

  @Patch()
  @RequiresScope('registry:write')
  @ApiOperation({
    operationId: 'updateWorkspace',
    summary: 'Change the settings of the workspace',
    description:
      'Stores every setting that is sent. A change to `registered` resolves every stored mapping and is refused if one cannot be; a change to `open` forgets what they were resolved to. A new requirement is never refused for groups that do not meet it: their tokens are inactive until they do. Writes of user groups wait meanwhile.',
  })
  @ApiOkResponse({ type: WorkspaceAnswer, description: 'The settings as they are now.' })
  @ApiProblems(MappingsUnresolvable, AuditUnavailable)
  update(
    @CurrentCaller() caller: Caller,
    @JsonBody(UpdateWorkspaceDto) dto: UpdateWorkspaceDto,
  ): Promise<WorkspaceAnswer> {
    return this.settings.update(caller, dto);
  }

  @Get('unresolvable-mappings')
  @RequiresScope('registry:read')
  @ApiOperation({
    operationId: 'listUnresolvableMappings',
    summary: 'List what stands in the way of the policy `registered`',
    description:
      'The user groups whose mappings name what is not registered, or one schema by two keys; none while the policy is `registered`.',
  })
  @ApiOkResponse({ type: FlawedGroupsAnswer, description: 'One page of user groups.' })
  @ApiReadProblems()
  listUnresolvable(
    @CurrentCaller() caller: Caller,
    @QueryOf(PageQueryDto) query: PageQueryDto,
  ): Promise<FlawedGroupsAnswer> {
    return this.settings.listUnresolvable(caller, query);
  }

  @Get('incomplete-user-groups')
  @RequiresScope('registry:read')
  @ApiOperation({
    operationId: 'listIncompleteUserGroups',
    summary: 'List the user groups that lack what is required',
    description:
      'Their tokens are inactive until a write gives them what they lack. Of each group it tells every requirement that it does not meet.',
  })
  @ApiOkResponse({ type: FlawedGroupsAnswer, description: 'One page of user groups.' })
  @ApiReadProblems()
  listIncomplete(
    @CurrentCaller() caller: Caller,
    @QueryOf(PageQueryDto) query: PageQueryDto,
  ): Promise<FlawedGroupsAnswer> {
    return this.settings.listIncomplete(caller, query);
  }

  @Post('incomplete-user-groups/preview')
  @HttpCode(200)
  @RequiresScope('registry:write')
  @ApiOperation({
    operationId: 'previewIncompleteUserGroups',
    summary: 'List the user groups that a new requirement would make incomplete',
    description:
      'Those that have what is required now, and would lack something if the body were what is required: their tokens would become inactive. Of each group it tells every requirement that it would not meet. Nothing is changed.',
  })
  @ApiOkResponse({ type: FlawedGroupsAnswer, description: 'One page of user groups.' })
  @ApiProblems()
  previewIncomplete(
    @CurrentCaller() caller: Caller,
    @QueryOf(PageQueryDto) query: PageQueryDto,
    @JsonBody(RequirementsDto) dto: RequirementsDto,
  ): Promise<FlawedGroupsAnswer> {
    return this.settings.previewIncomplete(caller, query, dto);
  }
}
