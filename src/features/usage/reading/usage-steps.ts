import { ValidationFailed } from '../../../platform/common/problem/errors.ts';
import {
  currentTime,
  DAY_MS,
  fromWireTime,
  HOUR_MS,
  toWireTime,
} from '../../../platform/common/time.ts';
import type { UsagePeriodQueryDto } from '../dto/usage-query.dto.ts';
import { dayNamer, periodOf, type UsagePeriod } from '../usage-periods.ts';

const DEFAULT_STEPS = { hour: 24, day: 30 };
/** Longer than the default retention. */
const MAX_PERIOD_MS = 1100 * DAY_MS;
/** No time zone is further away from UTC. */
const FARTHEST_ZONE_MS = 15 * HOUR_MS;

/** The entries of a query by the hour or day: numbers a step apart, each of which stands for an hour or a day. */
export interface UsageSteps {
  first: number;
  last: number;
  stepMs: number;
  /** The counts that make them up, and whether these know distinct users. */
  unit: 'hour' | 'day';
  hasUsers: boolean;
  /** Returns the times between which the counts of some steps begin. */
  readFrom: (first: number, last: number) => { from: number; to: number };
  /** Returns the step to which counts belong. */
  stepOf: (startAt: number) => number;
  nameOf: (step: number) => string;
}

/** @throws ValidationFailed */
export function stepsOf(by: 'hour' | 'day', query: UsagePeriodQueryDto): UsageSteps {
  const stepMs = by === 'hour' ? HOUR_MS : DAY_MS;
  const { from, to } = periodOfQuery(query, DEFAULT_STEPS[by] * stepMs);
  const zone = query.tz ?? 'UTC';
  if (by === 'hour') {
    if (zone !== 'UTC') throw notAcceptable('/tz', 'Hours are those of UTC.');
    return {
      ...ofUtc(by, stepMs, from, to),
      hasUsers: false,
      nameOf: toWireTime,
    };
  }
  if (zone === 'UTC') return { ...ofUtc(by, stepMs, from, to), hasUsers: true, nameOf: toDate };
  const nameDay = dayNamer(zone);
  const stepOf = (startAt: number) => Date.parse(nameDay(startAt));
  return {
    first: stepOf(from),
    last: stepOf(to - 1),
    stepMs,
    unit: 'hour',
    hasUsers: false,
    readFrom: (first, last) => ({
      from: first - FARTHEST_ZONE_MS,
      to: last + stepMs + FARTHEST_ZONE_MS,
    }),
    stepOf,
    nameOf: toDate,
  };
}

function ofUtc(unit: 'hour' | 'day', stepMs: number, from: number, to: number) {
  return {
    first: periodOf(unit, from).startAt,
    last: periodOf(unit, to - 1).startAt,
    stepMs,
    unit,
    readFrom: (first: number, last: number) => ({ from: first, to: last + stepMs }),
    stepOf: (startAt: number) => startAt,
  };
}

function periodOfQuery(
  query: UsagePeriodQueryDto,
  defaultMs: number,
): { from: number; to: number } {
  const to = query.to === undefined ? currentTime() : fromWireTime(query.to);
  const from = query.from === undefined ? Math.max(0, to - defaultMs) : fromWireTime(query.from);
  if (from >= to) throw notAcceptable('/to', 'The end must lie behind the beginning.');
  if (to - from > MAX_PERIOD_MS) {
    throw notAcceptable('/from', 'The period must have at most 1,100 days.');
  }
  return { from, to };
}

/** Returns the day or the month that a query encloses. @throws ValidationFailed for any other period */
export function enclosedPeriod(query: UsagePeriodQueryDto): UsagePeriod {
  if ((query.tz ?? 'UTC') !== 'UTC') {
    throw notAcceptable('/tz', 'The days and months of groups are those of UTC.');
  }
  const from =
    query.from === undefined
      ? periodOf('month', query.to === undefined ? currentTime() : fromWireTime(query.to) - 1)
          .startAt
      : fromWireTime(query.from);
  const to = query.to === undefined ? periodOf('month', from).endAt : fromWireTime(query.to);
  const enclosed = (['month', 'day'] as const)
    .map((unit) => periodOf(unit, from))
    .find(({ startAt, endAt }) => startAt === from && endAt === to);
  if (enclosed) return enclosed;
  throw notAcceptable(
    '/from',
    'With by=group the period must be one day or one calendar month of UTC, such as from=2030-01-01T00:00:00Z and to=2030-02-01T00:00:00Z.',
  );
}

function toDate(step: number): string {
  return toWireTime(step).slice(0, 'yyyy-mm-dd'.length);
}

function notAcceptable(pointer: string, detail: string): ValidationFailed {
  return new ValidationFailed([{ in: 'query', pointer, code: 'not_acceptable', detail }]);
}
