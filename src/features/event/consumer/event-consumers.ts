import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { DAY_MS, HOUR_MS, currentTime } from '../../../platform/common/time.ts';
import { Extensions } from '../../../platform/common/extension/extensions.ts';
import { Config } from '../../../platform/config/config.ts';
import { ChangeFeed, type ChangeListener } from '../../../core/change-log/change-feed.ts';
import { ChangeReader, reachedAt } from '../../../core/change-log/change-reader.ts';
import { type ChangeConsumer, ChangeRetention } from '../../../core/change-log/change-retention.ts';
import { onDrained, type OnDrained } from '../../../platform/database/upkeep/shutdown-phases.ts';
import { EventConsumer, type UserGroupSubscription } from './event-consumer.ts';
import { EventConsumerRepository } from './event-consumer.repository.ts';
import { EventSettings } from '../event.settings.ts';
import { eventTypesViolations } from '../feed/event-types.ts';

const NAME = /^[\w.-]{1,100}$/;

/** Durable consumers of the change log. One process at a time handles the changes for each name. */
@Injectable()
export class EventConsumers
  implements ChangeConsumer, OnApplicationBootstrap, BeforeApplicationShutdown, OnDrained
{
  readonly name = 'consumers';
  private readonly running = new Map<string, EventConsumer>();
  /** Retention of events that nobody has handled. */
  private readonly keptForMs: number;
  private readonly wakeUp: ChangeListener;
  private isEnding = false;

  constructor(
    private readonly reader: ChangeReader,
    private readonly consumers: EventConsumerRepository,
    private readonly changes: ChangeFeed,
    private readonly retention: ChangeRetention,
    private readonly extensions: Extensions,
    { eventRetentionHours }: Config,
    { webhookRetentionDays }: EventSettings,
  ) {
    const hint = (): void => {
      for (const consumer of this.running.values()) consumer.hint();
    };
    this.wakeUp = { invalidate: hint, invalidateAll: hint };
    this.keptForMs = Math.max(eventRetentionHours * HOUR_MS, webhookRetentionDays * DAY_MS);
  }

  /** Every process removes old events, and so needs the positions of all consumers. */
  onApplicationBootstrap(): void {
    this.retention.keepFor(this);
  }

  /** The slowest consumer's position. One beyond retention no longer holds events back. */
  async readUntil(): Promise<number | undefined> {
    const keptSince = currentTime() - this.keptForMs;
    const reached = (await this.consumers.findPositions())
      .map(reachedAt)
      .filter((at) => at >= keptSince);
    return reached.length === 0 ? undefined : Math.min(...reached);
  }

  /**
   * Starts the consumer, or continues at its position.
   * @returns a function that ends it in this process once its handler has ended; others can continue at once
   * @throws TypeError, DatabaseUnavailable
   */
  async run(subscription: UserGroupSubscription): Promise<() => Promise<void>> {
    const { name } = subscription;
    requireUsable(subscription);
    if (this.running.has(name)) throw new TypeError(`${name} is subscribed already`);
    const consumer = new EventConsumer(
      subscription,
      this.reader,
      this.consumers,
      this.keptForMs,
      this.extensions.named(`consumer ${name}`),
    );
    this.running.set(name, consumer);
    const end = async () => {
      await consumer.end();
      if (this.running.get(name) === consumer) this.running.delete(name);
    };
    try {
      await consumer.begin();
    } catch (err) {
      await end();
      throw err;
    }
    if (this.isEnding) await end();
    // Subscribes at the first use: most processes have no consumer.
    else this.changes.subscribe(this.wakeUp);
    return end;
  }

  beforeApplicationShutdown(): void {
    this.isEnding = true;
    for (const consumer of this.running.values()) consumer.abort();
  }

  /** Waits for running handlers. Another process handles the events of those that do not end in time again. */
  async [onDrained](): Promise<void> {
    await Promise.all([...this.running.values()].map((consumer) => consumer.end()));
  }
}

function requireUsable({
  name,
  types,
  leaseSeconds = 1,
  limitSeconds = 1,
}: UserGroupSubscription): void {
  if (!NAME.test(name)) throw new TypeError('the name must be 1 to 100 of A-Z a-z 0-9 . _ -');
  if (types && eventTypesViolations(types.join(','), '').length > 0) {
    throw new TypeError('each of the types must match a type of event');
  }
  if (!(leaseSeconds >= 1)) throw new TypeError('leaseSeconds must be 1 at least');
  if (!(limitSeconds >= 1)) throw new TypeError('limitSeconds must be 1 at least');
}
