import process from 'node:process';

/** Whether times count: with `LONG_TESTS`, for the release check on a machine that does nothing else. */
export const timesCount = Boolean(process.env.LONG_TESTS);

/** The bound of a time that is promised; none while times do not count. */
export function promisedMs(ms) {
  return timesCount ? ms : Infinity;
}
