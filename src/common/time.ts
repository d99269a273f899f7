import type { Violation } from './problem/violation.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

const RFC_3339 = /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
const START_OF_YEAR_1 = -62_135_596_800_000;
const END_OF_YEAR_9999 = 253_402_300_800_000;

/** Validates a time on the wire: a string of RFC 3339, such as 2030-12-31T00:00:00Z. */
export function timeViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'string' && isTimestamp(value) && fromWireTime(value) >= 0) return [];
  const detail = 'The time must be in the form of RFC 3339, such as 2030-12-31T00:00:00Z.';
  return [{ pointer, code: typeof value === 'string' ? 'not_acceptable' : 'type', detail }];
}

/** Validates a time on the wire that has passed. */
export function pastTimeViolations(value: unknown, pointer: string): Violation[] {
  const violations = timeViolations(value, pointer);
  if (violations.length > 0 || fromWireTime(value as string) <= Date.now()) return violations;
  return [{ pointer, code: 'not_acceptable', detail: 'The time must not lie in the future.' }];
}

/**
 * Whether the text is a real time of RFC 3339, in UTC one of the years 1 to 9999. `Date` alone would take the 31st of
 * February for the 3rd of March.
 */
export function isTimestamp(text: string): boolean {
  const [, year, month, day] = RFC_3339.exec(text) ?? [];
  const daysOfMonth = new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
  const moment = Date.parse(text);
  const isInRange = moment >= START_OF_YEAR_1 && moment < END_OF_YEAR_9999;
  return Number(year) > 0 && Number(day) > 0 && Number(day) <= daysOfMonth && isInRange;
}

/** Whether the text is a real date of RFC 3339, such as 2030-12-31. */
export function isDate(text: string): boolean {
  return isTimestamp(`${text}T00:00:00Z`);
}

/** Converts a valid time into milliseconds since 1970. */
export function fromWireTime(time: string): number {
  return Date.parse(time);
}

/** Formats a time for the wire, in UTC with milliseconds. */
export function toWireTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

export function toWireTimeOrNull(milliseconds: number | null): string | null {
  return milliseconds === null ? null : toWireTime(milliseconds);
}
