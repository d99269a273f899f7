import {
  Constant,
  Flag,
  flagViolations,
  Integer,
  ListOf,
  listOf,
  Nested,
  OneOf,
  choiceOf,
  Rule,
  Text,
  Time,
} from '../../../platform/common/fields.ts';
import { graceViolations, MAX_GRACE_SECONDS } from '../../../platform/common/grace.ts';
import { identifierViolations } from '../../../platform/common/text.ts';
import { timeViolations } from '../../../platform/common/time.ts';
import { Ending, RefusedGroup } from './import-response.dto.ts';
import { TOKEN_EXAMPLE } from '../../../core/user-group/group/dto/user-group-response.dto.ts';

const bulkActions = ['suspend', 'resume', 'rotate', 'delete'] as const;
export type BulkAction = (typeof bulkActions)[number];

const MAX_IDS = 1000;

/** An action for many groups: those of `ids`, those that pass the filters of the query, or all. */
export class ChangeUserGroupsRequest {
  @OneOf(bulkActions, 'The action on each group.', 'rotate')
  @Rule(choiceOf(bulkActions), { required: 'The field action is required.' })
  action!: BulkAction;

  @ListOf.optional(
    String,
    'These groups, by your own ids. Then the query has no filter.',
    ['acme-emea'],
    {
      minItems: 1,
      maxItems: MAX_IDS,
      uniqueItems: true,
    },
  )
  @Rule(listOf(identifierViolations, { least: 1, most: MAX_IDS }))
  ids?: string[];

  @Flag.optional(
    '`true`: every group of the workspace. It is required if there are no `ids` and no filter.',
    true,
  )
  @Rule(flagViolations)
  all?: boolean;

  @Integer.optional(
    'For `rotate`: for how many seconds the old tokens can still be introspected. By default the service’s ROTATION_GRACE_SECONDS.',
    3600,
    { minimum: 0, maximum: MAX_GRACE_SECONDS },
  )
  @Rule(graceViolations)
  grace_period_seconds?: number;

  @Time.optional(
    'For `rotate`: tokens issued at this time or later stay. By default the time of the call. To go on after a response that was cut off, send the `started_at` of that response.',
  )
  @Rule(timeViolations)
  issued_before?: string;
}

class BulkChangeStart {
  @OneOf(bulkActions, 'The action for each group.', 'rotate')
  action!: BulkAction;

  @Time('When the change began. Groups that are created later are left out.')
  started_at!: string;
}

/** The first line of the response. */
export class BulkChangeStarted {
  @Nested(BulkChangeStart, 'The change that has begun.')
  started!: BulkChangeStart;
}

/** The result of a group that is as the action leaves it. */
export class ChangedUserGroupLine {
  @Constant(1, '1: the result of the action is durable.', undefined, { type: 'integer' })
  success!: 1;

  @Text('Your own id of the group.', 'acme-emea')
  provided_id!: string;

  @OneOf(
    ['changed', 'unchanged'],
    '`unchanged`: it needed no change, or its token was issued too late.',
    'changed',
  )
  result!: 'changed' | 'unchanged';

  @Text.optional('The new token of the group, after `rotate`.', TOKEN_EXAMPLE)
  token?: string;
}

/** The result of a group that was not changed. */
export class RefusedUserGroupLine extends RefusedGroup {
  @Text('Your own id of the group.', 'acme-emea')
  provided_id!: string;
}

class BulkChangeCounts extends Ending {
  @Integer('Number of groups that were changed.', 300)
  changed!: number;

  @Integer('Number of groups that needed no change.', 0)
  unchanged!: number;

  @Integer('Number of refused groups.', 0)
  failed!: number;
}

/** The last line of the response; a response without it is incomplete. */
export class BulkChangeSummary {
  @Nested(BulkChangeCounts, 'The totals of all groups.')
  summary!: BulkChangeCounts;
}

export type BulkChangeLine =
  BulkChangeStarted | ChangedUserGroupLine | RefusedUserGroupLine | BulkChangeSummary;
