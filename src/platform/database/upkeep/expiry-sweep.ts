import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { handled } from '../../common/concurrency/handled.ts';
import { HOUR_MS } from '../../common/time.ts';
import { Config } from '../../config/config.ts';
import { type Statement, unnamedStatement } from '../statement.ts';
import { Statements } from '../statements.ts';
import { Transactor } from '../transactor.ts';
import { SweepTime } from './sweep-time.ts';
import { onDrained, type OnDrained } from './shutdown-phases.ts';

/** Small enough that no caller waits for it. */
export const BATCH = 1000;

/** Removes at most `limit` rows that have expired at `now`, and returns something for each. */
export type RemoveExpired = Statement<{ now: number; limit: number }, object>;

/** Removes the rows of `table` whose `time` lies before `now`, the oldest first. */
export function removeOldest(table: string, time: string, ...key: string[]): RemoveExpired {
  const columns = key.join(', ');
  const oldest = `
    SELECT ${columns} FROM ${table} WHERE ${time} < CAST(:now AS bigint) ORDER BY ${time} LIMIT :limit`;
  return unnamedStatement(({ isAmong }) => {
    const isOldest = key.length === 1 ? isAmong(columns, oldest) : `(${columns}) IN (${oldest})`;
    return `DELETE FROM ${table} WHERE ${isOldest} RETURNING ${columns}`;
  });
}

/**
 * Removes expired rows once an hour, in batches, by a time that no wrong clock can have moved; several replicas may do so
 * at once.
 */
@Injectable()
export abstract class ExpirySweep implements OnApplicationBootstrap, OnDrained {
  protected readonly logger = new Logger(this.constructor.name);
  private timer: NodeJS.Timeout | undefined;
  private swept = Promise.resolve(0);
  private isEnding = false;

  protected abstract readonly removeExpired: RemoveExpired;
  /** Age at which a row expires; 0 if its table holds the time at which it does. */
  protected readonly retentionMs: number = 0;

  constructor(
    protected readonly transactor: Transactor,
    protected readonly statements: Statements,
    protected readonly config: Config,
    private readonly time: SweepTime,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), HOUR_MS).unref();
  }

  async [onDrained](): Promise<void> {
    this.isEnding = true;
    clearInterval(this.timer);
    await this.swept;
  }

  /** Returns the `now` of `removeExpired`, in milliseconds since 1970. @param now the time that sweeps have reached */
  protected expiredBefore(now: number): Promise<number> {
    return Promise.resolve(now - this.retentionMs);
  }

  /** Removes expired rows in batches; yields the number of rows of each. */
  protected async *removeBatches(now: number): AsyncGenerator<number> {
    for (let batch = BATCH; batch > 0; yield batch) {
      const rows = await this.transactor.apply(this.removeExpired, { now, limit: BATCH });
      batch = rows.length;
    }
  }

  /**
   * Removes expired rows, after the previous sweep.
   * @returns the number of rows; rows that fail are left for the next hour
   */
  sweep(): Promise<number> {
    this.swept = handled(this.swept.then(() => (this.isEnding ? 0 : this.removeAll())));
    return this.swept;
  }

  private async removeAll(): Promise<number> {
    let removed = 0;
    try {
      for await (const batch of this.removeBatches(
        await this.expiredBefore(await this.time.reach()),
      )) {
        removed += batch;
        if (this.isEnding) break;
      }
      if (removed > 0) this.logger.log({ msg: 'expired rows removed', removed });
    } catch (err) {
      this.logger.warn({ msg: 'expired rows not removed', err });
    }
    return removed;
  }
}
