import { Injectable, Logger } from '@nestjs/common';
import { setImmediate } from 'node:timers/promises';
import { ChangeFeed } from '../database/change-feed.ts';
import {
  type ChangePosition,
  ChangeReader,
  type ChangeRecord,
  PositionLost,
} from '../database/change-reader.ts';

/** From one look at the change log to the next. */
const EVERY_MS = 250;
/** Changes that are announced one after the other are read together. */
const GATHERING_MS = 50;
const PAGE = 5000;

/** What has been committed since the batch before. */
export interface TailBatch {
  changes: readonly ChangeRecord[];
  /** Behind the changes. */
  position: ChangePosition;
  /** By `performance.now()`: everything committed by then has been told; undefined if more is to come. */
  completeAt: number | undefined;
}

export interface TailFollower {
  /** Its first batch is empty: what was committed before that one it has to read by itself. */
  hear: (batch: TailBatch) => void;
  /** Changes may have been missed; it hears no more. */
  lose: () => void;
}

/**
 * Reads the end of the change log for all who follow it, by one statement four times a second, and
 * at once when a change is announced. While nobody follows it reads nothing.
 */
@Injectable()
export class ChangeTail {
  private readonly logger = new Logger(ChangeTail.name);
  /** Whether each has had its first batch. */
  private readonly followers = new Map<TailFollower, boolean>();
  private position: ChangePosition | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** When it looks next, by `performance.now()`. */
  private dueAt = Infinity;
  private isReading = false;
  private isSubscribed = false;
  private isFailing = false;

  constructor(
    private readonly reader: ChangeReader,
    private readonly changes: ChangeFeed,
  ) {}

  /** @returns ends it */
  follow(follower: TailFollower): () => void {
    this.subscribe();
    this.followers.set(follower, false);
    this.wake(0);
    return () => {
      this.followers.delete(follower);
    };
  }

  /** Looks again within this time, if anybody follows; never later than it was going to. */
  private wake(afterMs: number): void {
    if (this.isReading) return;
    const dueAt = performance.now() + afterMs;
    if (this.timer !== undefined && this.dueAt <= dueAt) return;
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.followers.size === 0) {
      this.position = undefined;
    } else {
      this.dueAt = dueAt;
      this.timer = setTimeout(() => void this.look(), afterMs);
    }
  }

  /** Never rejects: while the database is away nobody is told anything. */
  private async look(): Promise<void> {
    this.isReading = true;
    this.timer = undefined;
    const began = performance.now();
    try {
      await this.readOn(began);
      this.isFailing = false;
    } catch (err) {
      if (!this.isFailing) this.logger.warn({ msg: 'the change log cannot be read', err });
      this.isFailing = true;
      if (err instanceof PositionLost) this.loseAll();
    } finally {
      this.isReading = false;
      this.wake(Math.max(0, EVERY_MS - (performance.now() - began)));
    }
  }

  private async readOn(began: number): Promise<void> {
    // Those who come while it reads have missed what it has read by then.
    const known = [...this.followers].filter(([, hasBegun]) => hasBegun).map(([one]) => one);
    const fresh = [...this.followers].filter(([, hasBegun]) => !hasBegun).map(([one]) => one);
    this.position ??= await this.reader.end();
    for (let hasMore = true; hasMore;) {
      const read = await this.reader.read(this.position, { limit: PAGE });
      ({ hasMore } = read);
      this.position = read.position;
      const { changes, position } = read;
      this.tell(known, { changes, position, completeAt: hasMore ? undefined : began });
      if (read.isRewound) this.loseAll();
      // SQLite's statements take no turn of the event loop: readers get one to take in what they were sent.
      if (hasMore) await setImmediate();
    }
    this.tell(fresh, { changes: [], position: this.position, completeAt: began });
  }

  private tell(followers: readonly TailFollower[], batch: TailBatch): void {
    for (const follower of followers) {
      if (!this.followers.has(follower)) continue;
      this.followers.set(follower, true);
      follower.hear(batch);
    }
  }

  private loseAll(): void {
    const lost = [...this.followers.keys()];
    this.followers.clear();
    for (const follower of lost) follower.lose();
  }

  /** At the first use: the command line follows nothing. */
  private subscribe(): void {
    if (this.isSubscribed) return;
    this.isSubscribed = true;
    const soon = () => {
      if (this.timer !== undefined) this.wake(GATHERING_MS);
    };
    this.changes.subscribe({ invalidate: soon, invalidateAll: soon });
  }
}
