import { SchemaName } from '../../../../platform/common/api-docs.ts';
import {
  Integer,
  ListOf,
  listOf,
  OneOf,
  choiceOf,
  Rule,
  Text,
} from '../../../../platform/common/fields.ts';
import { page, response } from '../../../../platform/common/http/responses/response.ts';
import { FieldError } from '../../../../platform/common/problem/problem.dto.ts';
import { identifierViolations, textViolations } from '../../../../platform/common/text.ts';
import { issuerViolations } from '../workspace-settings.rules.ts';
import { variablesViolations } from '../variables.rules.ts';
import { type MappingPolicy, mappingPolicies } from '../../../../core/mapping/user-group-rules.ts';
import type { FlawedGroups } from '../../../group-checks/unresolvable-mappings.ts';
import type { WorkspaceSettings } from '../workspace-settings.ts';
import { MAX_VARIABLES, toVariableView, VariableDto } from './variable.dto.ts';

const MAX_REQUIRED_SCHEMAS = 200;
const MAX_AUDIENCES = 100;

const WORKSPACE_ID = [
  'The `workspace_id` of its embed tokens: compare it when you verify one. Random, and never changes.',
  'ws_6f1d0a0c5b7e4a39b1c2d3e4f5a60718',
] as const;
const POLICY = [
  mappingPolicies,
  '`open`: a mapping takes any ids. `registered`: only ids of the registry, and the renderer gets what they name.',
  'registered',
] as const;
const REQUIRED_SCHEMAS = [
  String,
  'The schemas that every user group must map; under `registered` by your own ids of them.',
  ['sales'],
  { maxItems: MAX_REQUIRED_SCHEMAS },
] as const;

const VARIABLES = [
  VariableDto,
  'The variables of every user group, each name once. They are found in its properties.',
  [{ name: 'region', type: 'string', required: true, is_secret: false }],
  { maxItems: MAX_VARIABLES },
] as const;

const ISSUER = [
  'Issuer (`iss`) of its embed tokens, or null for the default, `{PUBLIC_URL}/workspaces/{id}`. A change invalidates the tokens that were issued. Tools that read `openid-configuration` need the default.',
  'https://groups.example.com/acme',
  { maxLength: 255 },
] as const;
const AUDIENCES = [
  String,
  'The audiences that embed tokens may be issued for, compared code point by code point; empty for any.',
  ['https://dashboards.example.com'],
  { maxItems: MAX_AUDIENCES },
] as const;

const VIEW_AS = [
  ['allowed', 'forbidden'],
  '`allowed`: embed tokens can be issued with `acting_for`, for somebody who views as a user group. `forbidden`: they cannot, and those that were are inactive.',
  'allowed',
] as const;

/** Requirements for every user group; those that are not sent stay as they are. */
export class WorkspaceRequirements {
  @ListOf.optional(...VARIABLES)
  @Rule(variablesViolations)
  variables?: VariableDto[];

  @ListOf.optional(...REQUIRED_SCHEMAS)
  @Rule(listOf(textViolations, { most: MAX_REQUIRED_SCHEMAS }))
  required_schemas?: string[];
}

/** Settings that are not sent stay as they are. */
export class UpdateWorkspaceRequest extends WorkspaceRequirements {
  @OneOf.optional(...POLICY)
  @Rule(choiceOf(mappingPolicies))
  mapping_policy?: MappingPolicy;

  @Text.optionalOrNull(...ISSUER)
  @Rule(issuerViolations)
  embed_token_issuer?: string | null;

  @ListOf.optional(...AUDIENCES)
  @Rule(listOf(identifierViolations, { most: MAX_AUDIENCES }))
  embed_token_audiences?: string[];

  @OneOf.optional(...VIEW_AS)
  @Rule(choiceOf(VIEW_AS[0]))
  view_as?: (typeof VIEW_AS)[0][number];
}

@SchemaName('Workspace')
export class WorkspaceView {
  @Text(...WORKSPACE_ID)
  id!: string;

  @OneOf(...POLICY)
  mapping_policy!: MappingPolicy;

  @ListOf(...VARIABLES)
  variables!: VariableDto[];

  @ListOf(...REQUIRED_SCHEMAS)
  required_schemas!: string[];

  @Text.orNull(...ISSUER)
  embed_token_issuer!: string | null;

  @ListOf(...AUDIENCES)
  embed_token_audiences!: string[];

  @OneOf(...VIEW_AS)
  view_as!: (typeof VIEW_AS)[0][number];

  @Integer.orNull(
    'Maximum number of user groups of the workspace, or null for no limit. The operator sets it on the command line.',
    10_000,
  )
  user_group_quota!: number | null;
}

/** The names of a workspace in its embed tokens. */
class WorkspaceIdentity {
  @Text(...WORKSPACE_ID)
  id!: string;

  @Text('Issuer (`iss`) of the embed tokens of the workspace.', 'https://groups.example.com/acme')
  issuer!: string;
}

export class WorkspaceIdentityResponse extends response(
  'workspace',
  WorkspaceIdentity,
  'The workspace.',
) {}

export class WorkspaceResponse extends response(
  'workspace',
  WorkspaceView,
  'The settings of the workspace.',
) {}

export class UserGroupIssues {
  @Integer('Internal id of the user group.', 1)
  team_id!: number;

  @Text('Your own id of the user group.', 'acme-emea')
  provided_id!: string;

  @ListOf(FieldError, 'The violations, at least one, as a write of the group would return them.')
  errors!: FieldError[];
}

export class UserGroupIssuesResponse extends page(
  'user_groups',
  UserGroupIssues,
  'User groups in the order of team_id; a page can have few or none and still not be the last.',
) {}

export function toWorkspaceView(settings: WorkspaceSettings): WorkspaceView {
  return {
    id: settings.publicId,
    mapping_policy: settings.policy,
    variables: settings.variables.map(toVariableView),
    required_schemas: [...settings.requiredSchemas],
    embed_token_issuer: settings.embedTokenIssuer,
    embed_token_audiences: [...settings.embedTokenAudiences],
    view_as: settings.viewAs,
    user_group_quota: settings.userGroupQuota,
  };
}

export function toUserGroupIssues({ groups }: FlawedGroups): UserGroupIssues[] {
  return groups.map(({ id, providedId, violations }) => ({
    team_id: id,
    provided_id: providedId,
    errors: violations,
  }));
}
