import { randomInt } from 'node:crypto';
import { HOUR_MS, MINUTE_MS } from '../../../platform/common/time.ts';

const SECOND = 1000;

/** The waits between attempts: those of Standard Webhooks 1.0, and a short one for a receiver that restarts; about three days in all. */
const WAITS = [
  5 * SECOND,
  30 * SECOND,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  14 * HOUR_MS,
  20 * HOUR_MS,
  24 * HOUR_MS,
];

/** Exceeds the longest wait with its jitter. */
export const LONGEST_WAIT_MS = 27 * HOUR_MS;

/** Waits become longer by up to a tenth, so that attempts that failed together are not retried together. */
const JITTER = [1000, 1101] as const;

/** Minimum pause of an endpoint that cannot be reached, or asks for fewer calls without a `Retry-After`. */
const MIN_PAUSE_MS = 5 * SECOND;
const MAX_PAUSE_MS = 5 * MINUTE_MS;
/** Statuses that ask for fewer calls. */
const BUSY = [429, 502, 503, 504];

/**
 * Returns the wait after a failed attempt; undefined after the last one.
 * @param attempts number of attempts on this schedule
 * @param retryAfterMs the receiver's `Retry-After`, or null
 */
export function waitAfter(attempts: number, retryAfterMs: number | null): number | undefined {
  const wait = WAITS[attempts - 1];
  if (wait === undefined) return undefined;
  return Math.max(Math.round((wait * randomInt(...JITTER)) / 1000), retryAfterMs ?? 0);
}

/**
 * Returns the pause of an endpoint after a failed attempt: the time it has been failing, so that pauses grow; undefined
 * for no pause.
 * @param status null if there was no response
 * @param retryAfterMs the receiver's `Retry-After`, or null
 * @param failingMs time since the first failure
 */
export function pauseAfter(
  status: number | null,
  retryAfterMs: number | null,
  failingMs: number,
): number | undefined {
  if (status !== null && !BUSY.includes(status)) return undefined;
  return retryAfterMs ?? Math.min(Math.max(failingMs, MIN_PAUSE_MS), MAX_PAUSE_MS);
}
