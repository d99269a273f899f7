import { Injectable, type OnModuleDestroy } from '@nestjs/common';
import { Config } from '../../config/config.ts';
import { statement } from '../statement.ts';
import { Statements } from '../statements.ts';
import { Transactor } from '../transactor.ts';
import { ExpirySweep, type RemoveExpired } from './expiry-sweep.ts';

const HOUR_MS = 3_600_000;
/** Longer than any transaction stays open: what happened so long before a position was reached lies before it. */
const MARGIN_MS = 600_000;

/** A reader of the change log that may not miss a change, however long it is away. */
export interface ChangeConsumer {
  name: string;
  /** The time before which it wants no change any more, in milliseconds since 1970; undefined while it wants none. */
  readUntil(): Promise<number | undefined>;
}

/** Looks at the oldest alone: ids are given out nearly in the order of time. */
const removeExpired: RemoveExpired = statement(
  'change-event.remove-expired',
  ({ isAmong }) => `
    DELETE FROM change_event
    WHERE ${isAmong(
      'id',
      `SELECT id FROM (SELECT id, occurred_at FROM change_event ORDER BY id LIMIT :limit) AS oldest
       WHERE occurred_at < CAST(:now AS bigint)`,
    )}
    RETURNING id`,
);

/** Removes the events of changes whose retention period is over, once every consumer has read them. */
@Injectable()
export class ChangeRetention extends ExpirySweep implements OnModuleDestroy {
  /** How many seconds each consumer was behind when this process looked last, once an hour. */
  readonly lagSeconds: Record<string, number> = {};
  private readonly consumers: ChangeConsumer[] = [];
  private isClosing = false;

  constructor(transactor: Transactor, statements: Statements, config: Config) {
    super(transactor, statements, removeExpired, config.eventRetentionHours * HOUR_MS);
  }

  /** From now on keeps what the consumer has not read. */
  keepFor(consumer: ChangeConsumer): void {
    this.consumers.push(consumer);
    this.look(consumer).catch((err: unknown) => {
      // A command may end before it is known.
      if (this.isClosing) return;
      this.logger.warn({ msg: 'unknown how far events are read', consumer: consumer.name, err });
    });
  }

  /** The first hook of an end. */
  onModuleDestroy(): void {
    this.isClosing = true;
  }

  protected override async expiredBefore(): Promise<number> {
    let before = await super.expiredBefore();
    for (const consumer of this.consumers) {
      const read = await this.look(consumer);
      if (read === undefined || read - MARGIN_MS >= before) continue;
      before = read - MARGIN_MS;
      const readAt = new Date(read).toISOString();
      this.logger.warn({
        msg: 'events are kept for longer: not read yet',
        consumer: consumer.name,
        readAt,
      });
    }
    return before;
  }

  private async look(consumer: ChangeConsumer): Promise<number | undefined> {
    const read = await consumer.readUntil();
    // Who wants no changes is not behind.
    this.lagSeconds[consumer.name] = read === undefined ? 0 : (Date.now() - read) / 1000;
    return read;
  }
}
