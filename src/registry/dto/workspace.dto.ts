import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Obeys } from '../../common/json/obeys.decorator';
import {
  MAX_REQUIRED_PROPERTIES,
  MAX_REQUIRED_SCHEMAS,
  policyViolations,
  requiredPropertiesViolations,
  requiredSchemasViolations,
} from '../declarations';
import {
  type MappingPolicy,
  mappingPolicies,
  type PropertyType,
  propertyTypes,
  type Rules,
} from '../rules';
import type { Findings } from '../unresolvable-mappings';
import { NEXT_CURSOR, SUCCESS } from './registered-answer.dto';

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

/** The body that changes the settings of the workspace: what is not sent stays. */
export class UpdateWorkspaceDto {
  @ApiPropertyOptional(POLICY)
  @Obeys(policyViolations)
  mapping_policy?: MappingPolicy;

  @ApiPropertyOptional(REQUIRED_PROPERTIES)
  @Obeys(requiredPropertiesViolations)
  required_properties?: RequiredPropertyDto[];

  @ApiPropertyOptional(REQUIRED_SCHEMAS)
  @Obeys(requiredSchemasViolations)
  required_schemas?: string[];
}

/** What a workspace asks of its user groups. */
export class WorkspaceView {
  @ApiProperty(POLICY)
  mapping_policy!: MappingPolicy;

  @ApiProperty(REQUIRED_PROPERTIES)
  required_properties!: RequiredPropertyDto[];

  @ApiProperty(REQUIRED_SCHEMAS)
  required_schemas!: string[];
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

export function toWorkspaceView(rules: Omit<Rules, 'schemas'>): WorkspaceView {
  return {
    mapping_policy: rules.policy,
    required_properties: rules.requiredProperties.map(({ name, type }) => ({ name, type })),
    required_schemas: [...rules.requiredSchemas],
  };
}

export function toFlawedGroupViews({ groups }: Findings): FlawedGroupView[] {
  return groups.map(({ id, providedId, violations }) => ({
    team_id: id,
    provided_id: providedId,
    errors: violations,
  }));
}
