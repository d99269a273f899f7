import { randomInt } from 'node:crypto';

const SECOND = 1000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** The waits between attempts, as Standard Webhooks 1.0 recommends: about three days in all. */
const WAITS = [
  5 * SECOND,
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

/** An endpoint that asks for fewer calls without saying for how long gets none for so long. */
const PAUSE_MS = 5 * SECOND;
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

/** For how long to send nothing at all to an endpoint that has answered so; undefined to go on. */
export function pauseAfter(status: number, retryAfterMs: number | null): number | undefined {
  return BUSY.includes(status) ? (retryAfterMs ?? PAUSE_MS) : undefined;
}
