import {
  type BeforeApplicationShutdown,
  Injectable,
  type OnApplicationBootstrap,
} from '@nestjs/common';
import { Extensions } from '../common/extensions.ts';
import { Config } from '../config/config.ts';
import { ChangeFeed } from '../database/change-feed.ts';
import { ChangeReader, reachedAt } from '../database/change-reader.ts';
import { type ChangeConsumer, ChangeRetention } from '../database/upkeep/change-retention.ts';
import type { OnLastAnswer } from '../database/upkeep/last-work.ts';
import { EventConsumer, type UserGroupSubscription } from './event-consumer.ts';
import { EventConsumerRepository } from './event-consumer.repository.ts';
import { typesViolations } from './event-types.ts';

const NAME = /^[\w.-]{1,100}$/;
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Durable consumers of the change log: of each name one process at a time handles what changes. */
@Injectable()
export class EventConsumers
  implements ChangeConsumer, OnApplicationBootstrap, BeforeApplicationShutdown, OnLastAnswer
{
  readonly name = 'consumers';
  private readonly running = new Map<string, EventConsumer>();
  /** What nobody has handled is kept for so long. */
  private readonly keptForMs: number;
  private isSubscribed = false;
  private isEnding = false;

  constructor(
    private readonly reader: ChangeReader,
    private readonly consumers: EventConsumerRepository,
    private readonly changes: ChangeFeed,
    private readonly retention: ChangeRetention,
    private readonly extensions: Extensions,
    { eventRetentionHours, webhookRetentionDays }: Config,
  ) {
    this.keptForMs = Math.max(eventRetentionHours * HOUR_MS, webhookRetentionDays * DAY_MS);
  }

  /** Every process removes old events, and so has to know of every consumer. */
  onApplicationBootstrap(): void {
    this.retention.keepFor(this);
  }

  /** Of the slowest; one that is further behind than anything is kept holds up nothing any more. */
  async readUntil(): Promise<number | undefined> {
    const keptSince = Date.now() - this.keptForMs;
    const reached = (await this.consumers.findPositions())
      .map(reachedAt)
      .filter((at) => at >= keptSince);
    return reached.length === 0 ? undefined : Math.min(...reached);
  }

  /**
   * Begins the consumer, or goes on where it stood.
   * @returns ends it in this process, when its handler has ended; others can go on at once
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
    else this.listen();
    return end;
  }

  beforeApplicationShutdown(): void {
    this.isEnding = true;
    for (const consumer of this.running.values()) consumer.abort();
  }

  /** Waits for the handlers under way; what lasts longer is handled again by another process. */
  async onLastAnswer(): Promise<void> {
    await Promise.all([...this.running.values()].map((consumer) => consumer.end()));
  }

  /** At the first use: most processes have none. */
  private listen(): void {
    if (this.isSubscribed) return;
    this.isSubscribed = true;
    const soon = (): void => {
      for (const consumer of this.running.values()) consumer.hint();
    };
    this.changes.subscribe({ invalidate: soon, invalidateAll: soon });
  }
}

function requireUsable({
  name,
  types,
  leaseSeconds = 1,
  limitSeconds = 1,
}: UserGroupSubscription): void {
  if (!NAME.test(name)) throw new TypeError('the name must be 1 to 100 of A-Z a-z 0-9 . _ -');
  if (types && typesViolations(types.join(','), '').length > 0) {
    throw new TypeError('each of the types must match one of docs/events.md');
  }
  if (!(leaseSeconds >= 1)) throw new TypeError('leaseSeconds must be 1 at least');
  if (!(limitSeconds >= 1)) throw new TypeError('limitSeconds must be 1 at least');
}
