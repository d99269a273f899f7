import { Flag, oneOf, QueryOneOf, Rule, Text } from '../../../common/fields.ts';
import type { Violation } from '../../../common/problem/violation.ts';
import { CountedQueryDto } from '../../../common/http/parameters/total.ts';
import { toScalar } from '../property-value.ts';
import { type UserGroupSort, userGroupSorts } from '../user-group-order.ts';

/** Groups must match every given filter. */
export class UserGroupQueryDto extends CountedQueryDto {
  @Text.optional(
    'The id, the name or a property at the top level that is a string contains this text, in upper or lower case.',
  )
  @Rule(searchViolations)
  search?: string;

  @Text.optional('The name begins with this text, code point by code point.')
  @Rule(searchViolations)
  name_prefix?: string;

  @Text.optional('The group has a property of this name at the top level of `properties`.')
  @Rule(searchViolations)
  property_name?: string;

  @Text.optional(
    'The property that `property_name` names has this value: a JSON scalar such as `25`, `true`, `null` or `"25"`. Any other text is the string itself: `EMEA` is `"EMEA"`.',
  )
  @Rule(propertyValueViolations)
  property_value?: string;

  @Flag.optional('Whether the group is suspended.')
  @Rule(oneOf(['true', 'false']))
  suspended?: 'true' | 'false';

  @Flag.optional(
    'Whether every entry of its mapping names a schema and a data source of the registry, and no two the same schema. A group without a mapping is resolvable.',
  )
  @Rule(oneOf(['true', 'false']))
  resolvable?: 'true' | 'false';

  @QueryOneOf.optional(
    userGroupSorts,
    'The order of the list; `-` reverses it. Texts are in the order of their code points.',
    undefined,
    { default: userGroupSorts[0] },
  )
  @Rule(oneOf(userGroupSorts))
  sort?: UserGroupSort;
}

function searchViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'string' && !value.includes('\0')) return [];
  const detail = 'The text must not contain the character U+0000.';
  return [{ pointer, code: 'nul_character', detail }];
}

function propertyValueViolations(value: unknown, pointer: string): Violation[] {
  const violations = searchViolations(value, pointer);
  if (violations.length > 0) return violations;
  return toScalar(value as string).violations.map((violation) => ({ ...violation, pointer }));
}
