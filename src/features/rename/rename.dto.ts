import { PROVIDED_ID } from '../../core/user-group/group/dto/user-group.dto.ts';
import { Rule, ShortText } from '../../platform/common/fields.ts';
import type { Violation } from '../../platform/common/problem/violation.ts';
import { dotSegmentViolations, identifierViolations } from '../../platform/common/text.ts';

export class RenameUserGroupRequest {
  @ShortText(PROVIDED_ID[0], 'acme-emea-2030')
  @Rule(newIdViolations, { required: 'The field provided_id is required.' })
  provided_id!: string;
}

function newIdViolations(value: unknown, pointer: string): Violation[] {
  const violations = identifierViolations(value, pointer);
  return violations.length > 0 ? violations : dotSegmentViolations(value as string, pointer);
}
