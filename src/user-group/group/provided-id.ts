import { UserGroupNotFound } from '../../common/errors.ts';
import { identifierViolations } from '../../common/text.ts';

/** @throws UserGroupNotFound for a text that can be the id of no group */
export function requirePossibleId(providedId: string): void {
  if (identifierViolations(providedId, '').length > 0) throw new UserGroupNotFound();
}
