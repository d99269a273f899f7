import {
  MAX_RANGE_PROPERTIES,
  type PropertyScalar,
} from '../../../platform/common/access/user-group-range.ts';
import { SchemaName } from '../../../platform/common/api-docs.ts';
import {
  AnyObject,
  type Check,
  ListOf,
  listOf,
  objectOf,
} from '../../../platform/common/fields.ts';
import { toPointer } from '../../../platform/common/json-pointer.ts';
import { identifierViolations } from '../../../platform/common/text.ts';

const MAX_IDS = 1000;
const MAX_LENGTH = 255;

/** Either ids, or values of properties. */
@SchemaName('UserGroupRange')
export class UserGroupRangeDto {
  @ListOf.optional(String, 'Your own ids of the user groups.', ['acme-emea'], {
    minItems: 1,
    maxItems: MAX_IDS,
  })
  ids?: string[];

  @AnyObject.optional(
    'Properties, each with the text, number, true or false that the property of a group must equal. Without `ids`.',
    { environment: 'staging' },
    { minProperties: 1, maxProperties: MAX_RANGE_PROPERTIES },
  )
  where?: Record<string, PropertyScalar>;
}

const isObject = objectOf(
  { ids: listOf(identifierViolations, { least: 1, most: MAX_IDS }), where: whereViolations },
  ['ids', 'where'],
);

/** Accepts ids or values of properties. */
export const userGroupRangeViolations: Check = (value, pointer) => {
  const violations = isObject(value, pointer);
  if (violations.length > 0 || Object.keys(value as object).length === 1) return violations;
  return [{ pointer, code: 'not_acceptable', detail: 'Give either ids or where.' }];
};

function whereViolations(value: unknown, pointer: string): ReturnType<Check> {
  const properties =
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.entries(value)
      : [];
  if (properties.length === 0 || properties.length > MAX_RANGE_PROPERTIES) {
    const detail = `The value must be an object with 1 to ${MAX_RANGE_PROPERTIES} properties.`;
    return [{ pointer, code: 'not_acceptable', detail }];
  }
  return properties
    .filter(([name, one]) => !isComparable(one) || name.length > MAX_LENGTH)
    .map(([name]) => {
      const detail = `The value must be a text, a number, true or false. It, and its name, have at most ${MAX_LENGTH} characters.`;
      return { pointer: pointer + toPointer([name]), code: 'type', detail };
    });
}

function isComparable(value: unknown): boolean {
  if (typeof value === 'string') return value.length <= MAX_LENGTH;
  return typeof value === 'number' || typeof value === 'boolean';
}
