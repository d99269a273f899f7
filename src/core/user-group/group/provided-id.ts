import { UserGroupNotFound, ValidationFailed } from '../../../platform/common/problem/errors.ts';
import { dotSegmentViolations, identifierViolations } from '../../../platform/common/text.ts';

/** @throws UserGroupNotFound for a text that no group can have as its id */
export function requirePossibleId(providedId: string): void {
  if (identifierViolations(providedId, '').length > 0) throw new UserGroupNotFound();
}

/** @throws ValidationFailed for an id that no new group can have, although older groups may */
export function requireNewId(providedId: string): void {
  const violations = dotSegmentViolations(providedId, '/user_group_id');
  if (violations.length > 0) throw new ValidationFailed(violations);
}
