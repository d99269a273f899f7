import {
  AnyObject,
  orNull,
  Rule,
  ShortText,
  Text,
  Time,
} from '../../../../platform/common/fields.ts';
import type { Violation } from '../../../../platform/common/problem/violation.ts';
import type { JsonObject } from '../../../../platform/common/json/strict-json.ts';
import { textViolations } from '../../../../platform/common/text.ts';
import { timeViolations } from '../../../../platform/common/time.ts';
import { type Mapping, mappingViolations } from '../../group/mapping.ts';
import { propertiesViolations } from '../../group/properties.ts';

const NAME = ['Name of the user group, 1–255 code points.', 'Acme EMEA'] as const;

/** The body of PUT. */
export class ReplaceUserGroupRequest {
  @ShortText(...NAME)
  @Rule(textViolations, { required: 'The field name is required.' })
  name!: string;

  @AnyObject.optionalOrNull(
    'Schema id → data source: at most 200 entries, each value the data source’s own integer id or the id you gave it. Empty if it is not sent.',
    { sales: 'warehouse-emea', billing: 42 },
    {
      additionalProperties: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
      maxProperties: 200,
    },
  )
  @Rule(mappingViolations)
  mapping?: Mapping | null;

  @AnyObject.optionalOrNull(
    'Variables for dashboards and SQL: any JSON object up to 16 KiB and 16 levels. Empty if it is not sent.',
    { region: 'EMEA', seats: 25 },
  )
  @Rule(propertiesViolations)
  properties?: JsonObject | null;

  @Time.optionalOrNull(
    'Time from which on none of its tokens can be introspected; null, or not sent: it does not end.',
    '2030-06-30T22:00:00.000Z',
  )
  @Rule(orNull(timeViolations))
  valid_until?: string | null;

  @Text.optional('The id of the path again; optional.', 'acme-emea')
  @Rule(textViolations)
  user_group_id?: string;
}

/** The body of PATCH: a JSON Merge Patch (RFC 7396). Its result is validated like the body of PUT. */
export class UpdateUserGroupRequest {
  @ShortText.optional(...NAME)
  @Rule(textViolations)
  name?: string;

  @AnyObject.optionalOrNull(
    'Entries to set; null removes an entry, and other entries stay. `null` in place of the object removes all.',
    { sales: 'warehouse-emea', billing: null },
    {
      additionalProperties: { oneOf: [{ type: 'string' }, { type: 'integer' }, { type: 'null' }] },
    },
  )
  @Rule(patchViolations)
  mapping?: JsonObject | null;

  @AnyObject.optionalOrNull(
    'Properties to set; null removes a property, other properties stay, and objects are merged recursively. `null` in place of the object removes all.',
    { seats: 40, trial: null },
  )
  @Rule(patchViolations)
  properties?: JsonObject | null;

  @Time.optionalOrNull(
    'Time from which on none of its tokens can be introspected; null: it does not end.',
    '2030-06-30T22:00:00.000Z',
  )
  @Rule(orNull(timeViolations))
  valid_until?: string | null;
}

function patchViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'object' && !Array.isArray(value)) return [];
  return [{ pointer, code: 'type', detail: 'The value must be an object, or null.' }];
}
