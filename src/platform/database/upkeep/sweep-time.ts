import { Injectable, Logger } from '@nestjs/common';
import { DAY_MS, HOUR_MS, MINUTE_MS, toWireTime } from '../../common/time.ts';
import { statement } from '../statement.ts';
import { Transactor } from '../transactor.ts';
import { DatabaseClock } from './database-clock.ts';

/** Longer than the time between two sweeps of a running service. */
const STEP_MS = 2 * HOUR_MS;
/** Time for which a clock must have run on after a step before rows are removed by it. */
const PROOF_MS = DAY_MS;

const NOW = 'CAST(:now AS bigint)';
/** Time that has passed evenly since the step; another step counts no more than the time between two sweeps, one back ends it. */
const PROOF = `(CASE WHEN ${NOW} < seen_at - ${MINUTE_MS} THEN 0 WHEN ${NOW} < seen_at THEN proof_ms
  WHEN ${NOW} < seen_at + ${STEP_MS} THEN proof_ms + ${NOW} - seen_at ELSE proof_ms + ${STEP_MS} END)`;
const IS_UNPROVEN = `(${NOW} > reached_at + ${STEP_MS} AND ${PROOF} < ${PROOF_MS})`;

const reach = statement<{ now: number }, { reachedAt: number; proofMs: number }>(
  'sweep-time.reach',
  () => `
    UPDATE sweep_time SET
      reached_at = CASE WHEN ${IS_UNPROVEN} THEN reached_at ELSE ${NOW} END,
      proof_ms = CASE WHEN ${IS_UNPROVEN} THEN ${PROOF} ELSE 0 END,
      seen_at = ${NOW}
    WHERE id = 1
    RETURNING reached_at AS "reachedAt", proof_ms AS "proofMs"`,
);

/**
 * The time by which sweeps remove rows, which do not come back when a clock is corrected. A clock that has run on further
 * than between two sweeps, also because no process was running, must have gone on for a day.
 */
@Injectable()
export class SweepTime {
  private readonly logger = new Logger(SweepTime.name);

  constructor(
    private readonly clock: DatabaseClock,
    private readonly transactor: Transactor,
  ) {}

  /** Returns the time of the clock, or the one that sweeps have reached before the clock was set forward. */
  async reach(): Promise<number> {
    const now = await this.clock.ask();
    const [row] = await this.transactor.apply(reach, { now });
    const { reachedAt, proofMs } = row!;
    // The first sweep after the step.
    if (proofMs === STEP_MS) {
      this.logger.warn({
        msg: 'expired rows kept for a day: the clock is far ahead',
        reachedAt: toWireTime(reachedAt),
      });
    }
    return reachedAt;
  }
}
