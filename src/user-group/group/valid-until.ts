import type { Violation } from '../../common/problem/violation.ts';
import { timeViolations } from '../../common/time.ts';

/** Validates the end of a group, which may have passed; null for a group that does not end. */
export function validUntilViolations(value: unknown, pointer: string): Violation[] {
  return value === null ? [] : timeViolations(value, pointer);
}
