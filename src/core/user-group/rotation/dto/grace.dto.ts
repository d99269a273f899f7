import { Integer, Rule } from '../../../../platform/common/fields.ts';
import { graceViolations, MAX_GRACE_SECONDS } from '../../../../platform/common/grace.ts';

/** The overlap of a rotation. */
export class RotateUserGroupTokenByIdRequest {
  @Integer.optional(
    'Seconds for which the old token can still be introspected, so that open dashboards keep working. By default the service’s ROTATION_GRACE_SECONDS, which is 0 unless the operator sets it.',
    300,
    { minimum: 0, maximum: MAX_GRACE_SECONDS },
  )
  @Rule(graceViolations)
  grace_period_seconds?: number;
}
