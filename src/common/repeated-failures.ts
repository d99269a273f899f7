import type { Logger } from '@nestjs/common';

/** Between two lines of a failure that goes on. */
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
  /** How often it has happened, and how often since the last line. */
  times: number;
  unreported: number;
  /** The cause that it had last. */
  err: unknown;
}

/** By the message. */
const ongoing = new Map<string, Ongoing>();

/**
 * Logs a failure that can repeat many times a second, such as that of each call while the database is
 * away: a line when it begins, a line a minute with how often it has happened, and a line when it has ended,
 * 10 seconds after it happened last. Failures are the same if they have the same `msg`.
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
    if (hasEnded(begun)) {
      clearInterval(timer);
      ongoing.delete(msg);
      const seconds = Math.round((begun.lastAt - begun.since) / 1000);
      logger.log({ msg: `${msg}: over`, times: begun.times, seconds });
    } else if (performance.now() - begun.reportedAt >= REPORT_EVERY_MS) {
      const { unreported: times, err: last } = begun;
      Object.assign(begun, { reportedAt: performance.now(), unreported: 0 });
      logger[level]({ msg: `${msg}: goes on`, times, err: last });
    }
  }, QUIET_MS).unref();
}

function hasEnded({ lastAt }: Ongoing): boolean {
  return performance.now() - lastAt >= QUIET_MS;
}
