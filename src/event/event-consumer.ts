import { Logger } from '@nestjs/common';
import { handled } from '../common/handled.ts';
import { ANYTHING, type Extension } from '../common/extensions.ts';
import { type ChangePosition, type ChangeReader, reachedAt } from '../database/change-reader.ts';
import { KEEP_FRESH_MS, readHeld } from '../database/held-changes.ts';
import { ConsumerLease } from './consumer-lease.ts';
import type { EventConsumerRepository } from './event-consumer.repository.ts';
import { type KindFilter, kindsMatching } from './event-types.ts';
import { toUserGroupEvent, type UserGroupEvent } from './user-group-event.ts';

/** Code that must not miss what changes. */
export interface UserGroupSubscription {
  /** The same for good, in every process that does this work: 1 to 100 of `A-Z a-z 0-9 . _ -`. */
  name: string;
  /** Globs of the types of events, such as `user_group.*`; all by default. */
  types?: readonly string[];
  /**
   * Called with the next events, about 500 at most, in the order of the changes; when it has returned they are
   * never told again. If it throws, they are told again, after a second first and after a minute at most.
   * @param context.signal says that the process ends or another may have taken over: what is done from then on may
   *   be done twice
   */
  handle(events: readonly UserGroupEvent[], context: { signal: AbortSignal }): void | Promise<void>;
  /** Called before the events that follow, where some before them may be missing; if it throws, again. */
  lose?(): void | Promise<void>;
  /** For how long a process that is killed keeps others from taking over; 30 by default, 1 at least. */
  leaseSeconds?: number;
  /** How long `handle` and `lose` may take; then it counts as thrown. 300 by default, 1 at least. */
  limitSeconds?: number;
}

const EVERY_MS = 1000;
/** Changes that are announced one after the other are handled together. */
const GATHERING_MS = 50;
const PAGE = 500;
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;
const LEASE_SECONDS = 30;
const LIMIT_SECONDS = 300;

/** Has one subscription handle what changes, while this process has the lease of its consumer. */
export class EventConsumer {
  private readonly logger = new Logger(EventConsumer.name);
  private readonly lease: ConsumerLease;
  private readonly isWanted: KindFilter;
  private readonly ending = new AbortController();
  private looking: Promise<void> | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** When it looks next, by `performance.now()`. */
  private dueAt = Infinity;
  private failures = 0;
  private storedAt = -Infinity;

  /** @param keptForMs what is older may be removed although nobody has handled it */
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

  /** What is committed when this has resolved is handled, in whichever process. @throws DatabaseUnavailable */
  async begin(): Promise<void> {
    const { name } = this.subscription;
    if (!(await this.consumers.find(name))) {
      await this.consumers.begin(name, await this.reader.end());
    }
    this.wake(0);
  }

  /** Something has changed. */
  hint(): void {
    if (this.lease.isHeld && this.failures === 0) this.wake(GATHERING_MS);
  }

  /** Tells the handler to end. */
  abort(): void {
    this.ending.abort();
    clearTimeout(this.timer);
  }

  /** Ends when the handler has ended; then another process can go on at once. Never rejects. */
  async end(): Promise<void> {
    this.abort();
    await this.looking;
    await this.release();
  }

  /** Looks again within this time, never later than it was going to. */
  private wake(afterMs: number): void {
    if (this.ending.signal.aborted || this.looking) return;
    const dueAt = performance.now() + afterMs;
    if (this.timer !== undefined && this.dueAt <= dueAt) return;
    clearTimeout(this.timer);
    this.dueAt = dueAt;
    this.timer = setTimeout(() => {
      this.timer = undefined;
      this.looking = handled(
        this.look().then((nextMs) => {
          this.looking = undefined;
          this.wake(nextMs);
        }),
      );
    }, afterMs).unref();
  }

  /** Never rejects. @returns in how many milliseconds to look again */
  private async look(): Promise<number> {
    try {
      const position = await this.lease.take(() => this.reader.start());
      const hasMore = position !== undefined && (await this.handleNext(position));
      this.failures = 0;
      return hasMore ? 0 : EVERY_MS;
    } catch (err) {
      const { name: consumer } = this.subscription;
      const retryMs = Math.min(FIRST_RETRY_MS * 2 ** this.failures++, LONGEST_RETRY_MS);
      this.logger.warn({ msg: 'events are not handled for now', consumer, retryMs, err });
      // Another process may be able to handle them.
      await this.release();
      return retryMs;
    }
  }

  /** @returns whether more can follow at once */
  private async handleNext(last: ChangePosition): Promise<boolean> {
    const { name } = this.subscription;
    // Looked at first: what is too old afterwards has been read.
    const isTooOld = reachedAt(last) < Date.now() - this.keptForMs;
    const { changes, position, hasMore, lost } = await readHeld(this.reader, last, PAGE);
    const isLost = isTooOld || lost !== undefined;
    const events = changes.filter(({ kind }) => this.isWanted(kind)).map(toUserGroupEvent);
    if (isLost) this.logger.warn({ msg: 'events may be missing', consumer: name, err: lost });
    if (isLost || events.length > 0) {
      await this.lease.during(this.ending.signal, (signal) => this.tell(events, isLost, signal));
    }
    const isFresh = performance.now() - this.storedAt < KEEP_FRESH_MS;
    if (isLost || changes.length > 0 || hasMore || !isFresh) {
      await this.lease.advance(position);
      this.storedAt = performance.now();
    }
    return hasMore;
  }

  /** @throws what the subscription throws; ExtensionUnavailable if it does not return in time, and the signal says so */
  private async tell(
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
      if (isLost) await within('lose', () => this.subscription.lose?.());
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
      this.logger.warn({ msg: 'others have to wait for the lease to end', consumer, err });
    }
  }
}
