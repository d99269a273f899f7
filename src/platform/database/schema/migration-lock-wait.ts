import { setTimeout as sleep } from 'node:timers/promises';
import { DatabaseUnusable } from '../../common/problem/operator-error.ts';
import type { Config } from '../../config/config.ts';

/** Reports the progress of a start to the operator. */
export type Notify = (
  level: 'info' | 'warn',
  msg: string,
  details?: Record<string, string | number>,
) => void;

const RETRY_MS = 250;
const FIRST_NOTICE_MS = 1000;
const NOTICE_INTERVAL_MS = 60_000;

/**
 * Repeats `attempt` until it succeeds, for at most `MIGRATION_WAIT_SECONDS`. It polls rather than wait inside the
 * database, where a waiting session holds up an index that is being built.
 * @throws OperatorError when the time is over
 */
export async function waitForMigrationLock(
  { migrationWaitSeconds }: Config,
  notify: Notify,
  attempt: () => Promise<boolean>,
): Promise<void> {
  const started = performance.now();
  let nextNotice = FIRST_NOTICE_MS;
  while (!(await attempt())) {
    const waited = performance.now() - started;
    if (waited >= migrationWaitSeconds * 1000) {
      throw new DatabaseUnusable(
        `Another process has been migrating the database for ${migrationWaitSeconds} s (MIGRATION_WAIT_SECONDS); look at it, or try again later.`,
      );
    }
    if (waited >= nextNotice) {
      notify('warn', 'waiting for another process that migrates the database', {
        waited_seconds: Math.round(waited / 1000),
      });
      nextNotice += NOTICE_INTERVAL_MS;
    }
    await sleep(RETRY_MS);
  }
}
