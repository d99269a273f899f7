import { Injectable, Logger } from '@nestjs/common';
import { Pace } from '../../../platform/common/concurrency/pace.ts';
import { WakeableLoop } from '../../../platform/common/concurrency/wakeable-loop.ts';
import {
  type Change,
  ChangeFeed,
  type ChangeListener,
} from '../../../core/change-log/change-feed.ts';
import {
  type ChangePosition,
  ChangeReader,
  type ChangeRecord,
  PositionLost,
  type ReadChanges,
} from '../../../core/change-log/change-reader.ts';
import { EventCursors } from './event-cursors.ts';
import { EventPage } from './event-page.ts';

const EVERY_MS = 250;
/** Gathers changes that are announced one after the other. */
const GATHERING_MS = 50;
const PAGE = 1000;

export interface TailSubscriber {
  /** The workspace of its changes; undefined for all. */
  workspaceId: number | undefined;
  /**
   * Receives all commits since the last page. The first page is empty: the subscriber has to read earlier commits itself.
   * @param completeAt by `performance.now()`: all commits until then have been sent; undefined if more is to come
   */
  onBatch: (page: EventPage, completeAt: number | undefined) => void;
  /** Changes may have been missed, and no more will be sent. */
  onGap: () => void;
}

/**
 * Reads the end of the change log for all subscribers, with one statement four times a second. An announced change wakes the
 * subscribers of its workspace earlier; nobody else can tell that there was one. Without subscribers it reads nothing.
 */
@Injectable()
export class ChangeTail implements ChangeListener {
  private readonly logger = new Logger(ChangeTail.name);
  /** Subscribers that have received their first page, by workspace. */
  private readonly subscribers = new Map<number | undefined, Set<TailSubscriber>>();
  private readonly fresh = new Set<TailSubscriber>();
  private position: ChangePosition | undefined;
  private readonly loop = new WakeableLoop(
    (dueAt) => this.look(dueAt),
    (err) => this.fail(err),
  );
  private beatAt = -Infinity;

  constructor(
    private readonly reader: ChangeReader,
    private readonly changes: ChangeFeed,
    private readonly cursors: EventCursors,
    private readonly pace: Pace,
  ) {}

  /** @returns a function that unsubscribes */
  subscribe(subscriber: TailSubscriber): () => void {
    this.changes.subscribe(this);
    this.fresh.add(subscriber);
    this.loop.wake(0);
    return () => {
      this.remove(subscriber);
    };
  }

  invalidate({ workspaceId }: Change): void {
    if (this.subscribers.has(workspaceId) || this.subscribers.has(undefined)) {
      this.loop.wake(GATHERING_MS);
    }
  }

  invalidateAll(): void {
    if (this.count > 0) this.loop.wake(GATHERING_MS);
  }

  private remove(subscriber: TailSubscriber): void {
    const { workspaceId } = subscriber;
    this.fresh.delete(subscriber);
    const others = this.subscribers.get(workspaceId);
    others?.delete(subscriber);
    if (others?.size === 0) this.subscribers.delete(workspaceId);
  }

  get count(): number {
    return [...this.subscribers.values()].reduce((sum, { size }) => sum + size, this.fresh.size);
  }

  private async look(dueAt: number): Promise<number | undefined> {
    if (this.count > 0) {
      const began = performance.now();
      const isBeat = dueAt >= this.beatAt;
      if (isBeat) this.beatAt = Math.max(this.beatAt, began - EVERY_MS) + EVERY_MS;
      await this.readOn(began, isBeat);
    }
    return this.nextMs();
  }

  /** Sends nothing while the database is unavailable. */
  private fail(err: unknown): number | undefined {
    // Without subscribers, nobody misses anything.
    if (this.loop.failures === 1 && this.count > 0) {
      this.logger.warn({ msg: 'could not read the change log; retrying', err });
    }
    if (err instanceof PositionLost) this.endAll();
    return this.nextMs();
  }

  /** @returns undefined, and forgets the position, without subscribers */
  private nextMs(): number | undefined {
    if (this.count > 0) return Math.max(0, this.beatAt - performance.now());
    this.position = undefined;
    return undefined;
  }

  private async readOn(began: number, isBeat: boolean): Promise<void> {
    // Read before: a subscriber that arrives during the read has missed its beginning.
    const fresh = [...this.fresh];
    this.position ??= await this.reader.end();
    for (let hasMore = true; hasMore;) {
      const read = await this.reader.read(this.position, { limit: PAGE });
      ({ hasMore } = read);
      this.position = read.position;
      await this.publish(read, hasMore ? undefined : began, isBeat && !hasMore);
      if (read.isRewound) this.endAll();
    }
    for (const subscriber of fresh) {
      if (!this.fresh.delete(subscriber)) continue;
      const { workspaceId } = subscriber;
      const others = this.subscribers.get(workspaceId) ?? new Set();
      this.subscribers.set(workspaceId, others.add(subscriber));
      subscriber.onBatch(this.pageOf([], this.position, workspaceId), undefined);
    }
  }

  /** @param isForAll if false, only subscribers whose workspace has changed get a page */
  private async publish(
    { changes, position }: ReadChanges,
    completeAt: number | undefined,
    isForAll: boolean,
  ): Promise<void> {
    for (const [workspaceId, subscribers] of this.subscribers) {
      const own = changes.filter((change) => isOf(change, workspaceId));
      if (own.length === 0 && !isForAll) continue;
      const page = this.pageOf(own, position, workspaceId);
      for (const subscriber of subscribers) {
        await this.pace.next();
        if (subscribers.has(subscriber)) subscriber.onBatch(page, completeAt);
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

  private endAll(): void {
    const lost = [...this.fresh, ...[...this.subscribers.values()].flatMap((some) => [...some])];
    this.fresh.clear();
    this.subscribers.clear();
    for (const subscriber of lost) subscriber.onGap();
  }
}

function isOf(change: ChangeRecord, workspaceId: number | undefined): boolean {
  if (workspaceId === undefined || change.workspaceId === null) return true;
  return change.workspaceId === workspaceId;
}
