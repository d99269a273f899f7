import { ApiProperty, ApiPropertyOptional } from '../../../common/api-docs.ts';
import { Obeys } from '../../../common/json/obeys.decorator.ts';
import type { JsonObject } from '../../../common/json/strict-json.ts';
import { identifierViolations, textViolations } from '../../../common/text.ts';
import { type Mapping, mappingViolations } from '../mapping.ts';
import { propertiesViolations } from '../properties.ts';

/** The body of GET and PUT. */
export class UserGroupDto {
  @ApiProperty({
    description:
      'Your own id of the user group: 1–255 code points, at most 1,024 bytes of UTF-8, no control characters. Compared code point by code point. That of a new group has no `.` or `..` alone between slashes or backslashes.',
    minLength: 1,
    maxLength: 255,
    example: 'acme-emea',
  })
  @Obeys(identifierViolations, { required: 'The field user_group_id is required.' })
  user_group_id!: string;

  @ApiPropertyOptional({
    description: 'Name of the user group, 1–255 code points. Needed to create a group.',
    minLength: 1,
    maxLength: 255,
    example: 'Acme EMEA',
  })
  @Obeys(textViolations)
  name?: string;

  @ApiPropertyOptional({
    description:
      'Schema id → data source: at most 200 entries, each value the data source’s own integer id or the id you gave it. Replaced as a whole when sent; `{}` or `null` empties it.',
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
      'Variables for dashboards and SQL: any JSON object up to 16 KiB and 16 levels. Replaced as a whole when sent; `{}` or `null` empties it. A number that a double cannot hold exactly is refused.',
    type: 'object',
    nullable: true,
    additionalProperties: true,
    example: { region: 'EMEA', seats: 25 },
  })
  @Obeys(propertiesViolations)
  properties?: JsonObject | null;
}
