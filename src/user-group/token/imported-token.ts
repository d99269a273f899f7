import type { Violation } from '../../common/violation.ts';
import { canBeUserGroupToken } from '../../common/secrets.ts';

/** What is wrong with a `token` that is to be kept. */
export function importedTokenViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value !== 'string') {
    return [{ pointer, code: 'type', detail: 'The token must be a string.' }];
  }
  if (canBeUserGroupToken(value)) return [];
  const detail =
    'A token must have 20 to 255 visible ASCII characters and no space; one that begins with ugt_ must have the right checksum, and none begins with uga_.';
  return [{ pointer, code: 'not_acceptable', detail }];
}
