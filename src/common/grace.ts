import type { Violation } from './violation.ts';

/** The longest overlap of an old token with the new one: a day. */
export const MAX_GRACE_SECONDS = 86_400;

/** Validates a `grace_period_seconds`: a whole number of seconds from 0 to a day. */
export function graceViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value !== 'number') {
    const detail = 'The grace_period_seconds must be a number.';
    return [{ pointer, code: 'type', detail }];
  }
  if (Number.isInteger(value) && value >= 0 && value <= MAX_GRACE_SECONDS) return [];
  const detail = `The grace_period_seconds must be a whole number from 0 to ${MAX_GRACE_SECONDS}.`;
  return [{ pointer, code: 'not_acceptable', detail }];
}
