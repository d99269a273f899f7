import { DAY_MS, HOUR_MS } from '../../platform/common/time.ts';

export const usageUnits = ['hour', 'day', 'month'] as const;

export type UsageUnit = (typeof usageUnits)[number];

/** An hour, a day or a month of UTC, in milliseconds since 1970. */
export interface UsagePeriod {
  unit: UsageUnit;
  startAt: number;
  /** Exclusive. */
  endAt: number;
}

/** Returns the hour, day or month that a time belongs to. */
export function periodOf(unit: UsageUnit, at: number): UsagePeriod {
  if (unit === 'month') {
    const date = new Date(at);
    const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
    return { unit, startAt: Date.UTC(year, month), endAt: Date.UTC(year, month + 1) };
  }
  const length = unit === 'day' ? DAY_MS : HOUR_MS;
  const startAt = at - (at % length);
  return { unit, startAt, endAt: startAt + length };
}

/** Whether the text names a time zone, such as Europe/Berlin. */
export function isTimeZone(text: string): boolean {
  try {
    dayNamer(text);
    return true;
  } catch {
    return false;
  }
}

/** Makes a function that returns the day of a time in a time zone, as a date of RFC 3339. */
export function dayNamer(timeZone: string): (at: number) => string {
  const parts = { year: 'numeric', month: '2-digit', day: '2-digit' } as const;
  const format = new Intl.DateTimeFormat('en-CA', { timeZone, ...parts });
  return (at) => format.format(at);
}
