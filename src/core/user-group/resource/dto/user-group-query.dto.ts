import {
  Flag,
  choiceOf,
  QueryOneOf,
  Rule,
  Text,
  Time,
} from '../../../../platform/common/fields.ts';
import type { Violation } from '../../../../platform/common/problem/violation.ts';
import { searchViolations } from '../../../../platform/common/text.ts';
import { timeViolations } from '../../../../platform/common/time.ts';
import { Cursor, Limit } from '../../../../platform/common/http/parameters/page.dto.ts';
import { Count } from '../../../../platform/common/http/parameters/total.ts';
import { type GroupStatus, groupStatuses } from '../../status/user-group-status.ts';
import { toScalar } from '../property-value.ts';
import { type UserGroupSort, userGroupSorts } from '../user-group-order.ts';

/** Groups must match every given filter. */
export class UserGroupFilterDto {
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

  @QueryOneOf.optional(
    groupStatuses,
    'Only groups of this status. After a change of what the workspace requires, `incomplete` and `unresolved` follow within seconds.',
  )
  @Rule(choiceOf(groupStatuses))
  status?: GroupStatus;

  @Time.optional('The `valid_until` of the group is later than this time.')
  @Rule(timeViolations)
  valid_until_after?: string;

  @Time.optional('The `valid_until` of the group is earlier than this time.')
  @Rule(timeViolations)
  valid_until_before?: string;

  @Flag.optional('Whether a rotation has left an old token that is still in its overlap.')
  @Rule(choiceOf(['true', 'false']))
  in_overlap?: 'true' | 'false';
}

export class UserGroupQueryDto extends UserGroupFilterDto {
  @Limit()
  limit?: string;

  @Cursor()
  cursor?: string;

  @Count()
  count?: 'true' | 'false';

  @QueryOneOf.optional(
    userGroupSorts,
    'The order of the list; `-` reverses it. Texts are in the order of their code points. `status`: the most severe first, in order of creation.',
    undefined,
    { default: userGroupSorts[0] },
  )
  @Rule(choiceOf(userGroupSorts))
  sort?: UserGroupSort;
}

function propertyValueViolations(value: unknown, pointer: string): Violation[] {
  const violations = searchViolations(value, pointer);
  if (violations.length > 0) return violations;
  return toScalar(value as string).violations.map((violation) => ({ ...violation, pointer }));
}
