import { setTimeout as sleep } from 'node:timers/promises';
import { OperatorError } from '../../common/operator-error';
import type { Config } from '../../config/config';

/** Reports to the operator on a start that is still under way. */
export type Tell = (
  level: 'info' | 'warn',
  msg: string,
  details?: Record<string, string | number>,
) => void;

const STEP_MS = 250;
const FIRST_WORD_MS = 1000;
const NEXT_WORD_MS = 60_000;

/**
 * Repeats `attempt` until it succeeds, for at most `MIGRATION_WAIT_SECONDS`. It polls rather than
 * wait inside the database, where a waiting session holds up an index that is being built.
 * @throws OperatorError when the time is over
 */
export async function waitForTurn(
  { migrationWaitSeconds }: Config,
  tell: Tell,
  attempt: () => Promise<boolean>,
): Promise<void> {
  const started = performance.now();
  let nextWord = FIRST_WORD_MS;
  while (!(await attempt())) {
    const waited = performance.now() - started;
    if (waited >= migrationWaitSeconds * 1000) {
      throw new OperatorError(
        `Another process has been migrating the database for ${migrationWaitSeconds} s (MIGRATION_WAIT_SECONDS); look at it, or try again later.`,
      );
    }
    if (waited >= nextWord) {
      tell('warn', 'waiting for another process that migrates the database', {
        waited_seconds: Math.round(waited / 1000),
      });
      nextWord += NEXT_WORD_MS;
    }
    await sleep(STEP_MS);
  }
}
