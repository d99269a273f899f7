import { ApiProperty, ApiPropertyOptional } from '../../../common/api-docs.ts';
import { NEXT_CURSOR, SUCCESS } from '../../../common/http/answer-fields.ts';
import { Obeys } from '../../../common/json/obeys.decorator.ts';
import {
  audiencesViolations,
  issuerViolations,
  MAX_AUDIENCES,
  MAX_REQUIRED_PROPERTIES,
  MAX_REQUIRED_SCHEMAS,
  policyViolations,
  requiredPropertiesViolations,
  requiredSchemasViolations,
} from '../declarations.ts';
import {
  type MappingPolicy,
  mappingPolicies,
  type PropertyType,
  propertyTypes,
} from '../../mapping/user-group-rules.ts';
import type { Findings } from '../../../user-group/conformance/unresolvable-mappings.ts';
import type { WorkspaceSettings } from '../workspace-settings.ts';

const POLICY = {
  description:
    '`open`: a mapping takes any ids. `registered`: those of the registry, and the renderer gets what they name.',
  enum: mappingPolicies,
  example: 'registered',
};
const REQUIRED_SCHEMAS = {
  description:
    'The schemas that every user group must map; under `registered` by your own ids of them.',
  type: String,
  isArray: true,
  maxItems: MAX_REQUIRED_SCHEMAS,
  example: ['sales'],
};

/** A property that every user group must have. */
export class RequiredPropertyDto {
  @ApiProperty({
    description: 'Name of the property, 1–255 code points.',
    minLength: 1,
    maxLength: 255,
    example: 'region',
  })
  name!: string;

  @ApiProperty({
    description: 'Its JSON type; `integer` is a number without a fraction, and null is of no type.',
    enum: propertyTypes,
    example: 'string',
  })
  type!: PropertyType;
}

const REQUIRED_PROPERTIES = {
  description: 'The properties that every user group must have, no name twice.',
  type: () => RequiredPropertyDto,
  isArray: true,
  maxItems: MAX_REQUIRED_PROPERTIES,
  example: [{ name: 'region', type: 'string' }],
};

const ISSUER = {
  description:
    'What the embed tokens of the workspace name as their issuer (`iss`); null for the EMBED_TOKEN_ISSUER of the service. With another one the embed tokens that are out become invalid. It does not prove whose a token is, since other workspaces may choose the same: compare `workspace_id`.',
  type: String,
  nullable: true,
  maxLength: 255,
  example: 'https://groups.example.com/acme',
};
const AUDIENCES = {
  description:
    'The audiences that embed tokens may be issued for, compared code point by code point; empty for any.',
  type: String,
  isArray: true,
  maxItems: MAX_AUDIENCES,
  example: ['https://dashboards.example.com'],
};

/** What could be required of every user group; what is not sent stays as it is. */
export class RequirementsDto {
  @ApiPropertyOptional(REQUIRED_PROPERTIES)
  @Obeys(requiredPropertiesViolations)
  required_properties?: RequiredPropertyDto[];

  @ApiPropertyOptional(REQUIRED_SCHEMAS)
  @Obeys(requiredSchemasViolations)
  required_schemas?: string[];
}

/** The body that changes the settings of the workspace; settings that are not sent stay as they are. */
export class UpdateWorkspaceDto extends RequirementsDto {
  @ApiPropertyOptional(POLICY)
  @Obeys(policyViolations)
  mapping_policy?: MappingPolicy;

  @ApiPropertyOptional(ISSUER)
  @Obeys(issuerViolations)
  embed_token_issuer?: string | null;

  @ApiPropertyOptional(AUDIENCES)
  @Obeys(audiencesViolations)
  embed_token_audiences?: string[];
}

/** The settings of a workspace: what it requires of its user groups, and what its embed tokens contain. */
export class WorkspaceView {
  @ApiProperty({
    description:
      'The `workspace_id` of its embed tokens, which whoever verifies one compares with this. Random, and never changes.',
    example: 'ws_6f1d0a0c5b7e4a39b1c2d3e4f5a60718',
  })
  id!: string;

  @ApiProperty(POLICY)
  mapping_policy!: MappingPolicy;

  @ApiProperty(REQUIRED_PROPERTIES)
  required_properties!: RequiredPropertyDto[];

  @ApiProperty(REQUIRED_SCHEMAS)
  required_schemas!: string[];

  @ApiProperty(ISSUER)
  embed_token_issuer!: string | null;

  @ApiProperty(AUDIENCES)
  embed_token_audiences!: string[];

  @ApiProperty({
    description:
      'How many user groups the workspace may have; null for any number. The operator sets it at the command line.',
    type: 'integer',
    nullable: true,
    example: 10_000,
  })
  user_group_quota!: number | null;
}

export class WorkspaceAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({ description: 'The settings of the workspace.', type: () => WorkspaceView })
  workspace!: WorkspaceView;
}

/** One thing wrong with a user group. */
export class FlawView {
  @ApiProperty({
    description: 'JSON Pointer (RFC 6901) of the place in the group’s body.',
    example: '/properties/region',
  })
  pointer!: string;

  @ApiProperty({
    description: 'What is wrong there, as a write of the group would be told.',
    example: 'required',
  })
  code!: string;

  @ApiProperty({
    description: 'The same for people.',
    example: 'The workspace requires every user group to have this property, of the type string.',
  })
  detail!: string;
}

/** A user group, and what is wrong with it. */
export class FlawedGroupView {
  @ApiProperty({ description: 'Internal id of the user group.', type: 'integer', example: 1 })
  team_id!: number;

  @ApiProperty({ description: 'Your own id of the user group.', example: 'acme-emea' })
  provided_id!: string;

  @ApiProperty({ description: 'What is wrong, at least one.', type: () => [FlawView] })
  errors!: FlawView[];
}

export class FlawedGroupsAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({
    description:
      'User groups in the order of team_id; a page can have few or none and still not be the last.',
    type: () => [FlawedGroupView],
  })
  user_groups!: FlawedGroupView[];

  @ApiPropertyOptional(NEXT_CURSOR)
  next_cursor?: string;
}

export function toWorkspaceView(settings: WorkspaceSettings): WorkspaceView {
  return {
    id: settings.publicId,
    mapping_policy: settings.policy,
    required_properties: settings.requiredProperties.map(({ name, type }) => ({ name, type })),
    required_schemas: [...settings.requiredSchemas],
    embed_token_issuer: settings.embedTokenIssuer,
    embed_token_audiences: [...settings.embedTokenAudiences],
    user_group_quota: settings.userGroupQuota,
  };
}

export function toFlawedGroupViews({ groups }: Findings): FlawedGroupView[] {
  return groups.map(({ id, providedId, violations }) => ({
    team_id: id,
    provided_id: providedId,
    errors: violations,
  }));
}
