import type { Logger } from '@nestjs/common';

/** Interval of the lines of a continuing failure. */
const REPORT_EVERY_MS = 60_000;
/** A failure that has not happened for this long has ended. */
const QUIET_MS = 10_000;

interface Failure {
  msg: string;
  err: unknown;
  [field: string]: unknown;
}

interface Ongoing {
  since: number;
  lastAt: number;
  reportedAt: number;
  /** Total, and since the last line. */
  times: number;
  unreported: number;
  /** The latest cause. */
  err: unknown;
}

/** Keyed by message. */
const ongoing = new Map<string, Ongoing>();

/**
 * Logs a failure that can repeat many times a second, such as that of each call while the database is down: a line when
 * it begins, a line a minute with the number of failures, and a line when it has ended, 10 seconds after the last.
 * Failures are the same if they have the same `msg`.
 */
export function logRepeated(logger: Logger, level: 'warn' | 'error', failure: Failure): void {
  const { msg, err } = failure;
  const now = performance.now();
  const known = ongoing.get(msg);
  if (known) {
    Object.assign(known, { lastAt: now, err });
    known.times++;
    known.unreported++;
    return;
  }
  logger[level](failure);
  const begun: Ongoing = { since: now, lastAt: now, reportedAt: now, times: 1, unreported: 0, err };
  ongoing.set(msg, begun);
  const timer = setInterval(() => {
    if (performance.now() - begun.lastAt >= QUIET_MS) {
      clearInterval(timer);
      ongoing.delete(msg);
      const seconds = Math.round((begun.lastAt - begun.since) / 1000);
      logger.log({ msg: `${msg}: ended`, times: begun.times, seconds });
    } else if (performance.now() - begun.reportedAt >= REPORT_EVERY_MS) {
      const { unreported: times, err: last } = begun;
      Object.assign(begun, { reportedAt: performance.now(), unreported: 0 });
      logger[level]({ msg: `${msg}: continues`, times, err: last });
    }
  }, QUIET_MS).unref();
}
