import { ApiProperty, ApiPropertyOptional } from '../../../common/api-docs.ts';
import type { Violation } from '../../../common/violation.ts';
import { Obeys } from '../../../common/json/obeys.decorator.ts';
import type { JsonObject } from '../../../common/json/strict-json.ts';
import { textViolations } from '../../../common/text.ts';
import { type Mapping, mappingViolations } from '../../group/mapping.ts';
import { propertiesViolations } from '../../group/properties.ts';

const NAME = {
  description: 'Name of the user group, 1–255 code points.',
  minLength: 1,
  maxLength: 255,
  example: 'Acme EMEA',
};

/** The body of PUT: the whole of a group. */
export class ReplaceUserGroupDto {
  @ApiProperty(NAME)
  @Obeys(textViolations, { required: 'The field name is required.' })
  name!: string;

  @ApiPropertyOptional({
    description:
      'Schema id → data source: at most 200 entries, each value the data source’s own integer id or the id you gave it. Empty if it is not sent.',
    type: 'object',
    nullable: true,
    additionalProperties: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    maxProperties: 200,
    example: { sales: 'warehouse-emea', billing: 42 },
  })
  @Obeys(mappingViolations)
  mapping?: Mapping | null;

  @ApiPropertyOptional({
    description:
      'Variables for dashboards and SQL: any JSON object up to 16 KiB and 16 levels. Empty if it is not sent.',
    type: 'object',
    nullable: true,
    additionalProperties: true,
    example: { region: 'EMEA', seats: 25 },
  })
  @Obeys(propertiesViolations)
  properties?: JsonObject | null;

  @ApiPropertyOptional({
    description: 'The id of the path once more; it need not be sent.',
    example: 'acme-emea',
  })
  @Obeys(textViolations)
  user_group_id?: string;
}

/** The body of PATCH: a JSON Merge Patch (RFC 7396). Its result is validated like the body of PUT. */
export class PatchUserGroupDto {
  @ApiPropertyOptional(NAME)
  @Obeys(textViolations)
  name?: string;

  @ApiPropertyOptional({
    description:
      'Entries to set; those that are null are removed, and those that are not named stay. `null` removes all.',
    type: 'object',
    nullable: true,
    additionalProperties: { oneOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
    example: { sales: 'warehouse-emea', billing: null },
  })
  @Obeys(patchViolations)
  mapping?: JsonObject | null;

  @ApiPropertyOptional({
    description:
      'Properties to set; those that are null are removed, those that are not named stay, and objects are merged in turn. `null` removes all.',
    type: 'object',
    nullable: true,
    additionalProperties: true,
    example: { seats: 40, trial: null },
  })
  @Obeys(patchViolations)
  properties?: JsonObject | null;
}

function patchViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'object' && !Array.isArray(value)) return [];
  return [{ pointer, code: 'type', detail: 'The value must be an object, or null.' }];
}
