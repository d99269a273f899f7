import { choiceOf, QueryOneOf, Rule, Text } from '../../../platform/common/fields.ts';
import { timeViolations } from '../../../platform/common/time.ts';

export const activitySteps = ['hour', 'day'] as const;

export type ActivityStep = (typeof activitySteps)[number];

export class ActivityQueryDto {
  @Text.optional(
    'The first point is the hour or day, in UTC, of this moment; by default 24 hours or 30 days before `to`.',
    undefined,
    { format: 'date-time' },
  )
  @Rule(timeViolations)
  from?: string;

  @Text.optional(
    'The last point is the hour or day before this moment; by default now.',
    undefined,
    {
      format: 'date-time',
    },
  )
  @Rule(timeViolations)
  to?: string;

  @QueryOneOf.optional(activitySteps, 'The length of a point.', undefined, {
    default: activitySteps[0],
  })
  @Rule(choiceOf(activitySteps))
  step?: ActivityStep;
}
