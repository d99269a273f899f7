import { ApiPropertyOptional } from '../../../common/api-docs.ts';
import { graceViolations, MAX_GRACE_SECONDS } from '../../../common/grace.ts';
import { Obeys } from '../../../common/json/obeys.decorator.ts';

/** What can be said about a rotation. */
export class GraceDto {
  @ApiPropertyOptional({
    description:
      'For how many seconds the old token can still be introspected, so that dashboards that are open go on. Without it the service’s ROTATION_GRACE_SECONDS holds, which is 0 unless the operator chose otherwise.',
    type: 'integer',
    minimum: 0,
    maximum: MAX_GRACE_SECONDS,
    example: 300,
  })
  @Obeys(graceViolations)
  grace_period_seconds?: number;
}
