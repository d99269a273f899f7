import { SchemaName } from '../../../platform/common/api-docs.ts';
import { Integer, ListOf, OneOf, Time } from '../../../platform/common/fields.ts';
import { response } from '../../../platform/common/http/responses/response.ts';
import { type ActivityStep, activitySteps } from './activity-query.dto.ts';

export class ActivityPoint {
  @Time('When the hour or day began, in UTC.')
  at!: string;

  @Integer('Tokens that were introspected, active or not.', 5120)
  introspections!: number;

  @Integer('Tokens of user groups that were replaced.', 4)
  rotations!: number;

  @Integer('User groups that were created.', 12)
  creations!: number;
}

@SchemaName('Activity')
class ActivityView {
  @OneOf(activitySteps, 'The length of a point.', 'hour')
  step!: ActivityStep;

  @ListOf(ActivityPoint, 'One for each hour or day of the period, even if nothing happened.')
  points!: ActivityPoint[];
}

export class ActivityResponse extends response('activity', ActivityView, 'The counts.') {}
