import { Rule, ShortText } from '../../platform/common/fields.ts';
import type { Violation } from '../../platform/common/problem/violation.ts';
import { dotSegmentViolations, identifierViolations } from '../../platform/common/text.ts';

export class RenameUserGroupRequest {
  @ShortText('The new id, of the form of any `provided_id`.', 'acme-emea-2030')
  @Rule(newIdViolations, { required: 'The field provided_id is required.' })
  provided_id!: string;
}

function newIdViolations(value: unknown, pointer: string): Violation[] {
  const violations = identifierViolations(value, pointer);
  return violations.length > 0 ? violations : dotSegmentViolations(value as string, pointer);
}
