import { ApiSchema } from '../../../platform/common/api-docs.ts';
import {
  choiceOf,
  digits,
  Flag,
  flagViolations,
  Integer,
  QueryOneOf,
  Rule,
  ShortText,
  Text,
} from '../../../platform/common/fields.ts';
import { identifierViolations } from '../../../platform/common/text.ts';
import { SET_NAME, setNameViolations } from '../../bulk/set-name.ts';
import { ReplaceUserGroupRequest } from '../../../core/user-group/resource/dto/user-group-resource.dto.ts';

const isTrueOrFalse = choiceOf(['true', 'false']);

/** The effect of a plan on groups of the set that no line names. */
export const pruneActions = ['suspend', 'delete'] as const;

/** A line of a plan: the whole of a group, as a body of PUT has it. */
@ApiSchema({ additionalProperties: false })
export class DesiredUserGroup extends ReplaceUserGroupRequest {
  @ShortText('Your own id of the user group.', 'acme-emea')
  @Rule(identifierViolations, { required: 'The field provided_id is required.' })
  provided_id!: string;

  @Flag.optional('Whether the group is suspended; false if it is not sent.', false)
  @Rule(flagViolations)
  suspended?: boolean;
}

export class PlanQueryDto {
  @Text('Name of the set.', 'production', {
    pattern: SET_NAME,
  })
  @Rule(setNameViolations, {
    required: 'The query must name the set.',
  })
  set!: string;

  @Flag.optional('`true`: groups of the set that no line names are suspended.')
  @Rule(isTrueOrFalse)
  prune?: 'true' | 'false';

  @QueryOneOf.optional(pruneActions, 'The action of `prune` on these groups.', undefined, {
    default: 'suspend',
  })
  @Rule(choiceOf(pruneActions))
  on_prune?: (typeof pruneActions)[number];

  @Integer.optional(
    'With `prune`: the most groups to suspend or delete. By default a fifth of the set, or 5 if that is more.',
    undefined,
    { minimum: 0, maximum: 999_999_999 },
  )
  @Rule(digits(0))
  max_prune?: string;

  @Flag.optional('`true`: takes over groups of another set or of none.')
  @Rule(isTrueOrFalse)
  adopt?: 'true' | 'false';
}

export class ApplyPlanQueryDto {
  @Integer('Number of the plan.', 284_501_933, { minimum: 1 })
  @Rule(digits(1), { required: 'The query must name the plan.' })
  plan_id!: string;
}
