import { Logger } from '@nestjs/common';
import { WakeableLoop } from '../../../platform/common/concurrency/wakeable-loop.ts';
import { ANYTHING, type Extension } from '../../../platform/common/extension/extensions.ts';
import {
  type ChangePosition,
  type ChangeReader,
  reachedAt,
} from '../../../core/change-log/change-reader.ts';
import { KEEP_FRESH_MS, readRetained } from '../../../core/change-log/retained-changes.ts';
import { ConsumerLease } from './consumer-lease.ts';
import type { EventConsumerRepository } from './event-consumer.repository.ts';
import { type KindFilter, kindsMatching } from '../../../platform/common/globs.ts';
import { currentTime } from '../../../platform/common/time.ts';
import { toUserGroupEvent, type UserGroupEvent } from '../feed/user-group-event.ts';

/** A durable subscription to events of user groups. */
export interface UserGroupSubscription {
  /** The consumer's name. Must be constant and equal in every process that does this work: 1 to 100 of `A-Z a-z 0-9 . _ -`. */
  name: string;
  /** Globs of the types of events, such as `user_group.*`; all by default. */
  types?: readonly string[];
  /**
   * Called with the next events, about 500 at most, in the order of the changes. Once it returns, they are not delivered
   * again. If it throws, they are delivered again: after a second first, and after a minute at most.
   * @param context.signal aborts when the process ends or another may have taken over: work after that may be done twice
   */
  handle(events: readonly UserGroupEvent[], context: { signal: AbortSignal }): void | Promise<void>;
  /** Called before the next events if some before them may be missing. If it throws, it is called again. */
  onGap?(): void | Promise<void>;
  /** Time until others take over from a killed process; 30 by default, 1 at least. */
  leaseSeconds?: number;
  /** Time limit of `handle` and `onGap`, after which they count as failed. 300 by default, 1 at least. */
  limitSeconds?: number;
}

const EVERY_MS = 1000;
/** Gathers changes that are announced one after the other. */
const GATHERING_MS = 50;
const PAGE = 500;
const FIRST_RETRY_MS = 1000;
const MAX_RETRY_MS = 60_000;
const LEASE_SECONDS = 30;
const LIMIT_SECONDS = 300;

/** Delivers changes to one subscription while this process has the lease of its consumer. */
export class EventConsumer {
  private readonly logger = new Logger(EventConsumer.name);
  private readonly lease: ConsumerLease;
  private readonly isWanted: KindFilter;
  private readonly ending = new AbortController();
  private readonly loop = new WakeableLoop(
    () => this.look(),
    (err) => this.fail(err),
  );
  private storedAt = -Infinity;

  /** @param keptForMs older events may be removed although nobody has handled them */
  constructor(
    private readonly subscription: UserGroupSubscription,
    private readonly reader: ChangeReader,
    private readonly consumers: EventConsumerRepository,
    private readonly keptForMs: number,
    private readonly extension: Extension,
  ) {
    const { name, types = ['*'], leaseSeconds = LEASE_SECONDS } = subscription;
    this.isWanted = kindsMatching(types);
    this.lease = new ConsumerLease(consumers, name, leaseSeconds * 1000);
  }

  /** Once this has resolved, every later commit is handled by some process. @throws DatabaseUnavailable */
  async begin(): Promise<void> {
    const { name } = this.subscription;
    if (!(await this.consumers.find(name))) {
      await this.consumers.begin(name, await this.reader.end());
    }
    this.loop.wake(0);
  }

  hint(): void {
    if (this.lease.isHeld && this.loop.failures === 0) this.loop.wake(GATHERING_MS);
  }

  abort(): void {
    this.ending.abort();
    void this.loop.stop();
  }

  /** Waits for the handler, then releases the lease, so that another process can continue at once. Never rejects. */
  async end(): Promise<void> {
    this.abort();
    await this.loop.stop();
    await this.release();
  }

  private async look(): Promise<number> {
    const position = await this.lease.take(() => this.reader.start());
    return position !== undefined && (await this.handleNext(position)) ? 0 : EVERY_MS;
  }

  private async fail(err: unknown): Promise<number> {
    const { name: consumer } = this.subscription;
    const retryMs = Math.min(FIRST_RETRY_MS * 2 ** (this.loop.failures - 1), MAX_RETRY_MS);
    this.logger.warn({ msg: 'event handler failed; retrying', consumer, retryMs, err });
    // Another process may be able to handle them.
    await this.release();
    return retryMs;
  }

  /** @returns whether more can follow at once */
  private async handleNext(last: ChangePosition): Promise<boolean> {
    const { name } = this.subscription;
    // Checked first: events that become too old afterwards have been read.
    const isTooOld = reachedAt(last) < currentTime() - this.keptForMs;
    const { changes, position, hasMore, lost } = await readRetained(this.reader, last, PAGE);
    const isLost = isTooOld || lost !== undefined;
    const events = changes.filter(({ kind }) => this.isWanted(kind)).map(toUserGroupEvent);
    if (isLost) {
      this.logger.warn({
        msg: 'change log was replaced; events may be missing',
        consumer: name,
        reason: lost?.message,
      });
    }
    if (isLost || events.length > 0) {
      await this.lease.during(this.ending.signal, (signal) => this.deliver(events, isLost, signal));
    }
    const isFresh = performance.now() - this.storedAt < KEEP_FRESH_MS;
    if (isLost || changes.length > 0 || hasMore || !isFresh) {
      await this.lease.advance(position);
      this.storedAt = performance.now();
    }
    return hasMore;
  }

  /** @throws errors of the subscription; ExtensionUnavailable, and aborts the signal, if it does not return in time */
  private async deliver(
    events: readonly UserGroupEvent[],
    isLost: boolean,
    lost: AbortSignal,
  ): Promise<void> {
    const { limitSeconds = LIMIT_SECONDS } = this.subscription;
    const late = new AbortController();
    const signal = AbortSignal.any([lost, late.signal]);
    const within = (call: string, run: () => unknown) =>
      this.extension.within(call, limitSeconds * 1000, run, ANYTHING);
    try {
      if (isLost) await within('onGap', () => this.subscription.onGap?.());
      if (events.length > 0) {
        await within('handle', () => this.subscription.handle(events, { signal }));
      }
    } catch (error) {
      late.abort();
      throw error;
    }
  }

  private async release(): Promise<void> {
    try {
      await this.lease.release();
    } catch (err) {
      const { name: consumer } = this.subscription;
      this.logger.warn({ msg: 'could not release the lease; it will expire', consumer, err });
    }
  }
}
