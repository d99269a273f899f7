import { BaseSchema, SchemaName } from '../../../platform/common/api-docs.ts';
import {
  AnyValue,
  CodeOf,
  Integer,
  ListOf,
  Nested,
  Text,
  Time,
} from '../../../platform/common/fields.ts';
import { response } from '../../../platform/common/http/responses/response.ts';
import type { JsonValue } from '../../../platform/common/json/strict-json.ts';

const planActionNames = ['create', 'update', 'suspend', 'delete'] as const;
export type PlanAction = (typeof planActionNames)[number];

/** Numbers of groups by what a plan does with them. */
@SchemaName('UserGroupPlanCounts')
export class PlanCounts {
  @Integer('Groups that are created.', 1)
  create!: number;

  @Integer('Groups that are changed.', 1)
  update!: number;

  @Integer('Groups without a line that are suspended.', 0)
  suspend!: number;

  @Integer('Groups without a line that are deleted.', 0)
  delete!: number;

  @Integer('Groups that need no change.', 40)
  unchanged!: number;

  @Integer('Groups of another set or of none.', 0)
  conflict!: number;
}

@SchemaName('PlannedDifference')
export class PlannedDifferenceView {
  @Text('JSON Pointer of the place in the group.', '/properties/plan')
  pointer!: string;

  @AnyValue.optional('The value now; cut if it is long.', 'trial')
  was?: JsonValue;

  @AnyValue.optional('The value to store; cut if it is long.', 'team')
  is?: JsonValue;
}

@SchemaName('PlannedChange')
export class PlannedChangeView {
  @CodeOf(planActionNames, 'The action on the group.', 'update')
  action!: PlanAction;

  @Text('Your own id of the group.', 'acme-emea')
  provided_id!: string;

  @Text('Its name.', 'Acme EMEA')
  name!: string;

  @Integer.optional('The line that names the group, from 1.', 3)
  line?: number;

  @ListOf.optional(PlannedDifferenceView, 'The places that differ, at most 50.')
  differences?: PlannedDifferenceView[];

  @Integer.optional('Further places.', 2)
  more_differences?: number;
}

@SchemaName('PlanConflict')
export class PlanConflictView {
  @Text('Your own id of the group.', 'initech')
  provided_id!: string;

  @Integer('The line that names it, from 1.', 7)
  line!: number;

  @Text.orNull('The set that the group belongs to, or null.', 'staging')
  managed_by!: string | null;
}

@BaseSchema('UserGroupPlan')
class PlanHead {
  @Integer('Number of the plan.', 284_501_933)
  id!: number;

  @Text('The set of the groups.', 'production')
  set!: string;

  @Nested(PlanCounts, 'Number of groups that it changes.')
  counts!: PlanCounts;
}

class PlanView extends PlanHead {
  @Time('When it was made.')
  created_at!: string;

  @Time('The end of the time to apply it.')
  expires_at!: string;

  @ListOf(PlannedChangeView, 'Every group that it changes.')
  changes!: PlannedChangeView[];

  @ListOf(PlanConflictView, 'Groups of another set or of none.')
  conflicts!: PlanConflictView[];
}

class AppliedPlanView extends PlanHead {
  @Time('When it was applied.')
  applied_at!: string;
}

export class PlanResponse extends response('user_group_plan', PlanView, 'The plan.') {}

export class AppliedPlanResponse extends response(
  'user_group_plan',
  AppliedPlanView,
  'The plan, which is applied.',
) {}
