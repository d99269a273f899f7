import { Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { handled } from '../../common/handled.ts';
import type { Statement } from '../statement.ts';
import type { Statements } from '../statements.ts';
import type { Transactor } from '../transactor.ts';
import type { OnLastAnswer } from './last-work.ts';

const EVERY_MS = 3_600_000;
/** Small enough that no caller waits for it. */
const BATCH = 1000;

/** Removes at most `limit` rows that have expired at `now`, and returns something for each. */
export type RemoveExpired = Statement<{ now: number; limit: number }, object>;

/** Removes expired rows once an hour, in batches; several replicas may do so at once. */
export abstract class ExpirySweep implements OnApplicationBootstrap, OnLastAnswer {
  protected readonly logger = new Logger(this.constructor.name);
  private timer: NodeJS.Timeout | undefined;
  private swept = Promise.resolve(0);
  private isEnding = false;

  constructor(
    protected readonly transactor: Transactor,
    protected readonly statements: Statements,
    private readonly removeExpired: RemoveExpired,
    /** How long before `now` a row has to lie, where its table does not say so itself. */
    private readonly retentionMs = 0,
  ) {}

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.sweep(), EVERY_MS).unref();
  }

  async onLastAnswer(): Promise<void> {
    this.isEnding = true;
    clearInterval(this.timer);
    await this.swept;
  }

  /** The `now` of `removeExpired`, in milliseconds since 1970. */
  protected expiredBefore(): Promise<number> {
    return Promise.resolve(Date.now() - this.retentionMs);
  }

  /** Removes batch after batch of what has expired at `now`; yields how many rows each has had. */
  protected async *removeBatches(now: number): AsyncGenerator<number> {
    for (let batch = BATCH; batch > 0; yield batch) {
      const rows = await this.transactor.run((manager) =>
        this.statements.run(manager, this.removeExpired, { now, limit: BATCH }),
      );
      batch = rows.length;
    }
  }

  /**
   * Removes what has expired, once the sweep before has ended.
   * @returns how many rows; what fails is left for the next hour
   */
  sweep(): Promise<number> {
    this.swept = handled(this.swept.then(() => (this.isEnding ? 0 : this.removeAll())));
    return this.swept;
  }

  private async removeAll(): Promise<number> {
    let removed = 0;
    try {
      for await (const batch of this.removeBatches(await this.expiredBefore())) {
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
