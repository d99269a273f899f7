import { Injectable } from '@nestjs/common';
import type { DeclaredVariable } from '../../../core/mapping/variables.ts';
import { WorkspaceRules } from '../../../core/mapping/workspace-rules.ts';
import type { Caller } from '../../../platform/common/access/caller.ts';
import {
  limitOf,
  nextAfter,
  type PageQueryDto,
  positionOf,
} from '../../../platform/common/http/parameters/page.dto.ts';
import { IncompleteGroups } from '../../group-checks/incomplete-groups.ts';
import {
  type FlawedGroups,
  UnresolvableMappings,
} from '../../group-checks/unresolvable-mappings.ts';
import { fromVariable } from './dto/variable.dto.ts';
import {
  toUserGroupIssues,
  type UserGroupIssuesResponse,
  type WorkspaceRequirements,
} from './dto/workspace.dto.ts';
import { resolveRequiredSchemas } from './workspace-settings.rules.ts';

/** Lists the user groups that do not meet the settings of their workspace, or other settings. */
@Injectable()
export class UserGroupIssuesService {
  constructor(
    private readonly rules: WorkspaceRules,
    private readonly unresolvable: UnresolvableMappings,
    private readonly incomplete: IncompleteGroups,
  ) {}

  /** Lists one page of the groups whose mappings prevent the policy `registered`. */
  async listUnresolvable(
    { workspaceId }: Caller,
    query: PageQueryDto,
  ): Promise<UserGroupIssuesResponse> {
    const { policy } = await this.rules.read(workspaceId);
    // Under this policy every mapping is resolved, and stays resolved whatever its text names now.
    if (policy === 'registered') return { success: 1, user_groups: [], has_more: false };
    const [after = 0] = positionOf(query, ['number']) ?? [];
    return toResponse(await this.unresolvable.list(workspaceId, after, limitOf(query)));
  }

  /**
   * Lists one page of the groups that would become incomplete under the requirements of `dto`. Changes nothing.
   * @throws ValidationFailed as `WorkspaceSettingsService.update`
   */
  async previewIncomplete(
    { workspaceId }: Caller,
    query: PageQueryDto,
    dto: WorkspaceRequirements,
  ): Promise<UserGroupIssuesResponse> {
    const present = await this.rules.read(workspaceId);
    const required = dto.required_schemas ?? present.requiredSchemas;
    const wanted = {
      ...present,
      variables:
        dto.variables?.map(fromVariable).map(withoutGuesses(present.variables)) ??
        present.variables,
      requiredSchemas:
        present.policy === 'open' ? required : resolveRequiredSchemas(required, present.schemas),
    };
    const [after = 0] = positionOf(query, ['number']) ?? [];
    return toResponse(
      await this.incomplete.preview(workspaceId, { present, wanted }, after, limitOf(query)),
    );
  }
}

/** Drops `enum` from secret variables: a preview could otherwise be used to guess values. */
function withoutGuesses(present: readonly DeclaredVariable[]) {
  const secrets = new Set(present.filter(({ isSecret }) => isSecret).map(({ name }) => name));
  return ({ enum: allowed, ...variable }: DeclaredVariable): DeclaredVariable =>
    allowed && !secrets.has(variable.name) ? { ...variable, enum: allowed } : variable;
}

function toResponse(flawed: FlawedGroups): UserGroupIssuesResponse {
  const { lookedUntil } = flawed;
  return {
    success: 1,
    user_groups: toUserGroupIssues(flawed),
    ...nextAfter(lookedUntil === undefined ? undefined : [lookedUntil]),
  };
}
