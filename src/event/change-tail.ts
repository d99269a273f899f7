import { Injectable, Logger } from '@nestjs/common';
import { Pace } from '../common/pace.ts';
import { type Change, ChangeFeed } from '../database/change-feed.ts';
import {
  type ChangePosition,
  ChangeReader,
  type ChangeRecord,
  PositionLost,
  type ReadChanges,
} from '../database/change-reader.ts';
import { EventCursors } from './event-cursors.ts';
import { EventPage } from './event-page.ts';

/** From one beat to the next. */
const EVERY_MS = 250;
/** Changes that are announced one after the other are read together. */
const GATHERING_MS = 50;
const PAGE = 1000;

export interface TailFollower {
  /** Whose changes it is told of; undefined for those of all workspaces. */
  workspaceId: number | undefined;
  /**
   * Takes what has been committed since the page before. Its first page is empty: what was committed before
   * that one it has to read by itself.
   * @param completeAt by `performance.now()`: everything committed by then has been told; undefined if more is to come
   */
  hear: (page: EventPage, completeAt: number | undefined) => void;
  /** Changes may have been missed; it hears no more. */
  lose: () => void;
}

/**
 * Reads the end of the change log for all who follow it, by one statement at each beat, four times a second. A
 * change that is announced wakes those whose workspace it is before the beat; nobody else can tell that there was one.
 * While nobody follows it reads nothing.
 */
@Injectable()
export class ChangeTail {
  private readonly logger = new Logger(ChangeTail.name);
  /** Those who have had their first page, by workspace. */
  private readonly followers = new Map<number | undefined, Set<TailFollower>>();
  private readonly fresh = new Set<TailFollower>();
  private position: ChangePosition | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** By `performance.now()`, as `beatAt`. */
  private dueAt = Infinity;
  private beatAt = -Infinity;
  private isReading = false;
  private isSubscribed = false;
  private isFailing = false;

  constructor(
    private readonly reader: ChangeReader,
    private readonly changes: ChangeFeed,
    private readonly cursors: EventCursors,
    private readonly pace: Pace,
  ) {}

  /** @returns ends it */
  follow(follower: TailFollower): () => void {
    this.subscribe();
    this.fresh.add(follower);
    this.wake(performance.now());
    return () => {
      this.leave(follower);
    };
  }

  private leave(follower: TailFollower): void {
    const { workspaceId } = follower;
    this.fresh.delete(follower);
    const others = this.followers.get(workspaceId);
    others?.delete(follower);
    if (others?.size === 0) this.followers.delete(workspaceId);
    if (this.count === 0 && !this.isReading) this.rest();
  }

  /** How many follow it. */
  get count(): number {
    return [...this.followers.values()].reduce((sum, { size }) => sum + size, this.fresh.size);
  }

  private rest(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    this.position = undefined;
  }

  /** Looks again by then, never later than it was going to. */
  private wake(dueAt: number): void {
    if (this.isReading || (this.timer !== undefined && this.dueAt <= dueAt)) return;
    clearTimeout(this.timer);
    this.dueAt = dueAt;
    this.timer = setTimeout(() => void this.look(), Math.max(0, dueAt - performance.now()));
  }

  /** Never rejects: while the database is away nobody is told anything. */
  private async look(): Promise<void> {
    this.isReading = true;
    this.timer = undefined;
    const began = performance.now();
    const isBeat = this.dueAt >= this.beatAt;
    if (isBeat) this.beatAt = Math.max(this.beatAt, began - EVERY_MS) + EVERY_MS;
    try {
      await this.readOn(began, isBeat);
      this.isFailing = false;
    } catch (err) {
      // Nobody misses anything where nobody follows any more.
      if (!this.isFailing && this.count > 0) {
        this.logger.warn({ msg: 'the change log cannot be read', err });
      }
      this.isFailing = true;
      if (err instanceof PositionLost) this.loseAll();
    } finally {
      this.isReading = false;
      if (this.count > 0) this.wake(this.beatAt);
      else this.rest();
    }
  }

  private async readOn(began: number, isBeat: boolean): Promise<void> {
    // Those who come while it reads have missed what it has read by then.
    const fresh = [...this.fresh];
    this.position ??= await this.reader.end();
    for (let hasMore = true; hasMore;) {
      const read = await this.reader.read(this.position, { limit: PAGE });
      ({ hasMore } = read);
      this.position = read.position;
      await this.tell(read, hasMore ? undefined : began, isBeat && !hasMore);
      if (read.isRewound) this.loseAll();
    }
    for (const follower of fresh) {
      if (!this.fresh.delete(follower)) continue;
      const { workspaceId } = follower;
      const others = this.followers.get(workspaceId) ?? new Set();
      this.followers.set(workspaceId, others.add(follower));
      follower.hear(this.pageOf([], this.position, workspaceId), undefined);
    }
  }

  /** @param isForAll otherwise only those are told whose workspace has changed */
  private async tell(
    { changes, position }: ReadChanges,
    completeAt: number | undefined,
    isForAll: boolean,
  ): Promise<void> {
    for (const [workspaceId, followers] of this.followers) {
      const own = changes.filter((change) => isOf(change, workspaceId));
      if (own.length === 0 && !isForAll) continue;
      const page = this.pageOf(own, position, workspaceId);
      for (const follower of followers) {
        await this.pace.next();
        if (followers.has(follower)) follower.hear(page, completeAt);
      }
    }
  }

  private pageOf(
    changes: readonly ChangeRecord[],
    position: ChangePosition,
    workspaceId: number | undefined,
  ): EventPage {
    return new EventPage(changes, position, () => this.cursors.toCursor(position, workspaceId!));
  }

  private loseAll(): void {
    const lost = [...this.fresh, ...[...this.followers.values()].flatMap((some) => [...some])];
    this.fresh.clear();
    this.followers.clear();
    for (const follower of lost) follower.lose();
  }

  /** At the first use: the command line follows nothing. */
  private subscribe(): void {
    if (this.isSubscribed) return;
    this.isSubscribed = true;
    this.changes.subscribe({
      invalidate: ({ workspaceId }: Change) => {
        if (this.followers.has(workspaceId) || this.followers.has(undefined)) this.wakeSoon();
      },
      invalidateAll: () => {
        this.wakeSoon();
      },
    });
  }

  private wakeSoon(): void {
    if (this.timer !== undefined) this.wake(performance.now() + GATHERING_MS);
  }
}

/** Whether those who follow the workspace are told of the change. */
function isOf(change: ChangeRecord, workspaceId: number | undefined): boolean {
  if (workspaceId === undefined || change.workspaceId === null) return true;
  return change.workspaceId === workspaceId;
}
