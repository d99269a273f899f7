import { ApiPropertyOptional } from '../../common/api-docs.ts';
import { Obeys } from '../../common/json/obeys.decorator.ts';
import { timeViolations } from '../../common/time.ts';
import type { Violation } from '../../common/violation.ts';

export const activitySteps = ['hour', 'day'] as const;

export type ActivityStep = (typeof activitySteps)[number];

/** Which period, in which steps. */
export class ActivityQueryDto {
  @ApiPropertyOptional({
    description:
      'The first point is of the hour or day, in UTC, of this moment; without it there are 24 hours or 30 days before `to`.',
    format: 'date-time',
  })
  @Obeys(timeViolations)
  from?: string;

  @ApiPropertyOptional({
    description: 'The last point is of the hour or day before this moment; by default now.',
    format: 'date-time',
  })
  @Obeys(timeViolations)
  to?: string;

  @ApiPropertyOptional({
    description: 'What each point counts.',
    enum: activitySteps,
    default: activitySteps[0],
  })
  @Obeys(stepViolations)
  step?: ActivityStep;
}

function stepViolations(value: unknown, pointer: string): Violation[] {
  if (activitySteps.some((step) => step === value)) return [];
  const detail = `The step must be one of ${activitySteps.join(', ')}.`;
  return [{ pointer, code: 'not_acceptable', detail }];
}
