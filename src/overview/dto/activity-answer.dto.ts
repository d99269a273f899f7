import { ApiProperty } from '../../common/api-docs.ts';
import { SUCCESS } from '../../common/http/answer-fields.ts';
import { type ActivityStep, activitySteps } from './activity-query.dto.ts';

export class ActivityPoint {
  @ApiProperty({
    description: 'When the hour or day began, in UTC.',
    format: 'date-time',
    example: '2030-01-01T12:00:00.000Z',
  })
  at!: string;

  @ApiProperty({
    description: 'Tokens that were introspected, active or not.',
    type: 'integer',
    example: 5120,
  })
  introspections!: number;

  @ApiProperty({
    description: 'Tokens of user groups that were replaced.',
    type: 'integer',
    example: 4,
  })
  rotations!: number;

  @ApiProperty({ description: 'User groups that were created.', type: 'integer', example: 12 })
  creations!: number;
}

class ActivityView {
  @ApiProperty({ description: 'What each point counts.', enum: activitySteps, example: 'hour' })
  step!: ActivityStep;

  @ApiProperty({
    description: 'One for each hour or day of the period, also where nothing happened.',
    type: () => [ActivityPoint],
  })
  points!: ActivityPoint[];
}

/** What happened in a workspace, by the hour or day. */
export class ActivityAnswer {
  @ApiProperty(SUCCESS)
  success!: 1;

  @ApiProperty({ description: 'What happened.', type: () => ActivityView })
  activity!: ActivityView;
}
