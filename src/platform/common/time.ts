import type { Violation } from './problem/violation.ts';

export const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** Milliseconds by which the database's clock is ahead of the clock of this process. */
let ahead = 0;

/** One moment by the clock of this process, and by one that nobody sets but may stop while the machine sleeps. */
export interface Moment {
  wall: number;
  monotonic: number;
}

export function moment(): Moment {
  return { wall: Date.now(), monotonic: performance.now() };
}

/** Difference of the two clocks by which one of them was set. */
const STEP_MS = 50;

/** The clock of the database, if it has one of its own: that is the time of every process of an installation. */
export const databaseClock = {
  /**
   * Changes the time of this process no further than the response proves: it can have taken its way in either direction.
   * @param told the time of the database, between when it was asked and now
   */
  hear(told: number, asked: Moment): void {
    const { wall, monotonic } = moment();
    const isSet = Math.abs(wall - asked.wall - (monotonic - asked.monotonic)) > STEP_MS;
    if (!isSet) ahead = Math.min(Math.max(ahead, told - wall), told - asked.wall);
  },
};

/** Returns the time, in milliseconds since 1970, by the database's clock as far as this process knows it. */
export function currentTime(): number {
  return Date.now() + ahead;
}

const RFC_3339 =
  /^(\d{4})-(\d\d)-(\d\d)T([01]\d|2[0-3]):[0-5]\d:[0-5]\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/i;
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
  if (violations.length > 0 || fromWireTime(value as string) <= currentTime()) return violations;
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
