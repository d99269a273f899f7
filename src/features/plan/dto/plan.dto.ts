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
import { PROVIDED_ID } from '../../../core/user-group/group/dto/user-group.dto.ts';
import { ReplaceUserGroupRequest } from '../../../core/user-group/resource/dto/user-group-resource.dto.ts';

const isTrueOrFalse = choiceOf(['true', 'false']);

/** The effect of a plan on groups of the set that no line names. */
export const pruneActions = ['suspend', 'delete'] as const;

/** A line of a plan: the whole of a group, as a body of PUT has it. */
export class DesiredUserGroup extends ReplaceUserGroupRequest {
  @ShortText(...PROVIDED_ID)
  @Rule(identifierViolations, { required: 'The field provided_id is required.' })
  provided_id!: string;

  @Flag.optional('Whether the group is suspended. Not sent: it is not.', false)
  @Rule(flagViolations)
  suspended?: boolean;
}

export class PlanQueryDto {
  @Text('Name of the set, to which every group of the lines belongs.', 'production', {
    pattern: SET_NAME,
  })
  @Rule(setNameViolations, {
    required: 'The query must name the set.',
  })
  set!: string;

  @Flag.optional('`true`: groups of the set that no line names are suspended.')
  @Rule(isTrueOrFalse)
  prune?: 'true' | 'false';

  @QueryOneOf.optional(
    pruneActions,
    'With `prune`: whether these groups are suspended, or deleted with their tokens.',
    undefined,
    { default: 'suspend' },
  )
  @Rule(choiceOf(pruneActions))
  on_prune?: (typeof pruneActions)[number];

  @Integer.optional(
    'With `prune`: how many groups may be suspended or deleted. By default a fifth of the set, or 5 if that is more.',
    undefined,
    { minimum: 0, maximum: 999_999_999 },
  )
  @Rule(digits(0))
  max_prune?: string;

  @Flag.optional(
    '`true`: groups of the lines that belong to another set or to none are taken over.',
  )
  @Rule(isTrueOrFalse)
  adopt?: 'true' | 'false';
}

export class ApplyPlanQueryDto {
  @Integer('Number of the plan.', 284_501_933, { minimum: 1 })
  @Rule(digits(1), { required: 'The query must name the plan.' })
  plan_id!: string;
}
