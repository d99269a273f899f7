import { randomInt } from 'node:crypto';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The waits between attempts: those of Standard Webhooks 1.0, and one for a receiver that restarts; about three days in all. */
const WAITS = [
  5 * SECOND,
  30 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
];

/** Waits become longer by up to a tenth, so that what has failed together does not come again together. */
const JITTER = [1000, 1101] as const;

/** An endpoint that cannot be reached, or asks for fewer calls without saying for how long, gets none for so long. */
const LEAST_PAUSE_MS = 5 * SECOND;
const MOST_PAUSE_MS = 5 * MINUTE;
/** Statuses that ask for fewer calls. */
const BUSY = [429, 502, 503, 504];

/**
 * How long to wait after an attempt that has failed; undefined when it was the last.
 * @param attempts how many there have been on this schedule
 * @param retryAfterMs what the receiver has asked for; null for nothing
 */
export function waitAfter(attempts: number, retryAfterMs: number | null): number | undefined {
  const wait = WAITS[attempts - 1];
  if (wait === undefined) return undefined;
  return Math.max(Math.round((wait * randomInt(...JITTER)) / 1000), retryAfterMs ?? 0);
}

/**
 * Returns for how long to send nothing at all to an endpoint after an attempt that has failed: as long as the endpoint
 * has been failing, so that the pauses grow; undefined to go on.
 * @param status null if there was no response
 * @param retryAfterMs what the receiver has asked for; null for nothing
 * @param failingMs for how long each attempt has failed
 */
export function pauseAfter(
  status: number | null,
  retryAfterMs: number | null,
  failingMs: number,
): number | undefined {
  if (status !== null && !BUSY.includes(status)) return undefined;
  return retryAfterMs ?? Math.min(Math.max(failingMs, LEAST_PAUSE_MS), MOST_PAUSE_MS);
}
