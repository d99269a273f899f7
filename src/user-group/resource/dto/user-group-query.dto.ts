import { ApiPropertyOptional } from '../../../common/api-docs.ts';
import type { Violation } from '../../../common/violation.ts';
import { PageQueryDto } from '../../../common/http/page.dto.ts';
import { Obeys } from '../../../common/json/obeys.decorator.ts';
import { toScalar } from '../property-value.ts';
import { type UserGroupSort, userGroupSorts } from '../user-group-order.ts';

/** The query of the list: groups that match every filter given. */
export class UserGroupQueryDto extends PageQueryDto {
  @ApiPropertyOptional({
    description:
      'The id, the name or a property at the top level that is a string contains this text, in upper or lower case.',
  })
  @Obeys(searchViolations)
  search?: string;

  @ApiPropertyOptional({
    description: 'The name begins with this text, code point by code point.',
  })
  @Obeys(searchViolations)
  name_prefix?: string;

  @ApiPropertyOptional({
    description: 'There is a property of this name at the top level of `properties`.',
  })
  @Obeys(searchViolations)
  property_name?: string;

  @ApiPropertyOptional({
    description:
      'The property that `property_name` names has this value: a JSON scalar such as `25`, `true`, `null` or `"25"`. Any other text is the string itself: `EMEA` is `"EMEA"`.',
  })
  @Obeys(propertyValueViolations)
  property_value?: string;

  @ApiPropertyOptional({
    description: 'Whether the group is suspended.',
    enum: ['true', 'false'],
  })
  @Obeys(booleanViolations)
  suspended?: 'true' | 'false';

  @ApiPropertyOptional({
    description:
      'Whether every entry of its mapping names a schema and a data source of the registry, and no two the same schema. A group without a mapping is resolvable.',
    enum: ['true', 'false'],
  })
  @Obeys(booleanViolations)
  resolvable?: 'true' | 'false';

  @ApiPropertyOptional({
    description:
      'The order of the list; `-` turns it round. Texts are in the order of their code points.',
    enum: userGroupSorts,
    default: userGroupSorts[0],
  })
  @Obeys(sortViolations)
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

function booleanViolations(value: unknown, pointer: string): Violation[] {
  if (value === 'true' || value === 'false') return [];
  return [{ pointer, code: 'not_acceptable', detail: 'The value must be true or false.' }];
}

function sortViolations(value: unknown, pointer: string): Violation[] {
  if (userGroupSorts.some((sort) => sort === value)) return [];
  const detail = `The sort must be one of ${userGroupSorts.join(', ')}.`;
  return [{ pointer, code: 'not_acceptable', detail }];
}
