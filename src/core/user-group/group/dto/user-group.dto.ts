import { AnyObject, Rule, ShortText } from '../../../../platform/common/fields.ts';
import type { JsonObject } from '../../../../platform/common/json/strict-json.ts';
import { identifierViolations, textViolations } from '../../../../platform/common/text.ts';
import { type Mapping, mappingViolations } from '../mapping.ts';
import { propertiesViolations } from '../properties.ts';

export const PROVIDED_ID = [
  'Your own id of the user group: 1–255 code points, at most 1,024 bytes of UTF-8, no control characters. Compared code point by code point. The id of a new group must not have `.` or `..` alone between slashes or backslashes.',
  'acme-emea',
] as const;

/** The content of a user group. */
export class UserGroupContentInput {
  @ShortText.optional(
    'Name of the user group, 1–255 code points. Needed to create a group.',
    'Acme EMEA',
  )
  @Rule(textViolations)
  name?: string;

  @AnyObject.optionalOrNull(
    'Schema id → data source: at most 200 entries, each value the data source’s own integer id or the id you gave it. Replaced as a whole when sent; `{}` or `null` empties it.',
    { sales: 'warehouse-emea', billing: 42 },
    {
      additionalProperties: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
      maxProperties: 200,
    },
  )
  @Rule(mappingViolations)
  mapping?: Mapping | null;

  @AnyObject.optionalOrNull(
    'Variables for dashboards and SQL: any JSON object up to 16 KiB and 16 levels. Replaced as a whole when sent; `{}` or `null` empties it. A number that a double cannot hold exactly is refused.',
    { region: 'EMEA', seats: 25 },
  )
  @Rule(propertiesViolations)
  properties?: JsonObject | null;
}

/** The body of GET and PUT. */
export class UserGroupInput extends UserGroupContentInput {
  @ShortText(...PROVIDED_ID)
  @Rule(identifierViolations, { required: 'The field user_group_id is required.' })
  user_group_id!: string;
}
