import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { HOUR_MS, MINUTE_MS, currentTime } from '../../platform/common/time.ts';
import { statement } from '../../platform/database/statement.ts';
import {
  BATCH,
  ExpirySweep,
  type RemoveExpired,
} from '../../platform/database/upkeep/expiry-sweep.ts';

/** Longer than any transaction: a change older than this has already been read by everybody at that position. */
const MARGIN_MS = 600_000;

/** A reader of the change log that must not miss a change, however long it is disconnected. */
export interface ChangeConsumer {
  name: string;
  /** Returns the time before which it needs no changes, in milliseconds since 1970; undefined while it needs none. */
  readUntil(): Promise<number | undefined>;
}

/** Checks the oldest only: ids are assigned nearly in the order of time. */
const removeExpired = statement<{ now: number; limit: number }, { occurredAt: number }>(
  'change-event.remove-expired',
  ({ isAmong }) => `
    DELETE FROM change_event
    WHERE ${isAmong(
      'id',
      `SELECT id FROM (SELECT id, occurred_at FROM change_event ORDER BY id LIMIT :limit) AS oldest
       WHERE occurred_at < CAST(:now AS bigint)`,
    )}
    RETURNING occurred_at AS "occurredAt"`,
);

const noteRemoval = statement<{ until: number }>(
  'change-event.note-removal',
  () => `
    INSERT INTO change_removal (id, removed_until) VALUES (1, :until)
    ON CONFLICT (id) DO UPDATE SET removed_until = excluded.removed_until
    WHERE excluded.removed_until > change_removal.removed_until`,
);

/** Removes the events of changes after their retention period, if every consumer has read them. */
@Injectable()
export class ChangeRetention extends ExpirySweep implements OnModuleDestroy {
  /** Lag of each consumer in seconds, measured once a minute by this process. */
  readonly lagSeconds: Record<string, number> = {};
  private readonly consumers: ChangeConsumer[] = [];
  private isClosing = false;
  private measuring: NodeJS.Timeout | undefined;

  protected readonly removeExpired: RemoveExpired = removeExpired;
  protected override readonly retentionMs = this.config.eventRetentionHours * HOUR_MS;

  /** Keeps changes until the consumer has read them, from now on. */
  keepFor(consumer: ChangeConsumer): void {
    this.consumers.push(consumer);
    this.measuring ??= setInterval(() => {
      // A measurement that fails is repeated a minute later.
      for (const one of this.consumers) this.look(one).catch(() => undefined);
    }, MINUTE_MS).unref();
    this.look(consumer).catch((err: unknown) => {
      // A command may end before the position is known.
      if (this.isClosing) return;
      this.logger.warn({
        msg: "could not read a consumer's position; keeping events",
        consumer: consumer.name,
        err,
      });
    });
  }

  onModuleDestroy(): void {
    this.isClosing = true;
    clearInterval(this.measuring);
  }

  protected override async expiredBefore(now: number): Promise<number> {
    let before = await super.expiredBefore(now);
    for (const consumer of this.consumers) {
      const read = await this.look(consumer);
      if (read === undefined || read - MARGIN_MS >= before) continue;
      before = read - MARGIN_MS;
      const readAt = new Date(read).toISOString();
      this.logger.warn({
        msg: 'events kept past their retention: a consumer is behind',
        consumer: consumer.name,
        readAt,
      });
    }
    return before;
  }

  /** Notes with each batch up to where events are removed: a reader may have another retention period. */
  protected override async *removeBatches(now: number): AsyncGenerator<number> {
    for (let batch = BATCH; batch > 0; yield batch) {
      const removed = await this.transactor.run(async (manager) => {
        const rows = await this.statements.run(manager, removeExpired, { now, limit: BATCH });
        const until = rows.reduce((latest, { occurredAt }) => Math.max(latest, occurredAt), 0);
        if (rows.length > 0) await this.statements.run(manager, noteRemoval, { until });
        return rows;
      });
      batch = removed.length;
    }
  }

  private async look(consumer: ChangeConsumer): Promise<number | undefined> {
    const read = await consumer.readUntil();
    // A consumer that needs no changes is not behind.
    this.lagSeconds[consumer.name] = read === undefined ? 0 : (currentTime() - read) / 1000;
    return read;
  }
}
