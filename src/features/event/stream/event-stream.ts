import type { ServerResponse } from 'node:http';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { writeEventStreamHead } from '../../../platform/common/http/responses/event-stream.ts';
import type { Pace } from '../../../platform/common/concurrency/pace.ts';
import { currentTime, toWireTime } from '../../../platform/common/time.ts';
import type { ChangePosition } from '../../../core/change-log/change-reader.ts';
import type { TailSubscriber } from '../feed/change-tail.ts';
import type { LogPage } from '../feed/event-log.ts';
import { type EventPage, messageOf } from '../feed/event-page.ts';
import type { KindFilter } from '../../../platform/common/globs.ts';

/** Maximum of unread bytes, or one page if nothing else is unread. */
const UNREAD_BYTES = 64 * 1024;
const UNREAD_MS = 3000;
const TURN_MS = 10;
/** Interval of positions, sent even if nothing happens. */
const POSITION_EVERY_MS = 30_000;
const RETRY_MS = 500;

export type EndReason = 'renew' | 'shutting_down' | 'too_slow' | 'lost' | 'unauthorized';

export interface StreamOptions {
  workspaceId: number;
  isWanted: KindFilter;
  toCursor: (position: ChangePosition) => string;
  readOn: (position: ChangePosition) => Promise<LogPage>;
  pace: Pace;
}

/**
 * Writes the events of one workspace to one reader, as server-sent events: `change`, and four times a second `current`,
 * which says up to when everything has been sent. Both count time by the clock of this process, whose time `open` sends
 * first. A page is written once the reader has read nearly everything before it. A slow reader gets nothing until then,
 * and then reads on from the log at its own pace. The stream thus holds one page in memory at most, however much is
 * committed.
 */
export class EventStream implements TailSubscriber {
  readonly workspaceId: number;
  private phase: 'opening' | 'catching up' | 'live' | 'ended' = 'opening';
  /** The position after everything written. */
  private position: ChangePosition;
  /** Whether the tail has sent changes since the last read of the log. */
  private hasHeard = false;
  /** The first `current` has a position, however long the process has been up. */
  private toldPositionAt = -Infinity;

  /** @param first the page after the cursor of the reader */
  constructor(
    private readonly response: ServerResponse,
    private readonly first: EventPage,
    private readonly options: StreamOptions,
    private readonly onEnd: (reason: EndReason) => void,
  ) {
    this.workspaceId = options.workspaceId;
    this.position = first.position;
  }

  /**
   * @param openedAt by `performance.now()`, before anything was read
   * @param from the position at which the reader resumes or begins. It is sent first, so that a reader that is
   *   disconnected before the next position resumes there
   */
  open(openedAt: number, from: ChangePosition): void {
    const { response, first } = this;
    writeEventStreamHead(response);
    const id = this.options.toCursor(from);
    response.write(`retry: ${RETRY_MS}\nid: ${id}\n${messageOf('open', { at: openedAt })}`);
    this.write(first);
  }

  onBatch(page: EventPage, completeAt: number | undefined): void {
    if (this.phase === 'ended') return;
    if (this.phase === 'live' && this.hasRoomFor(page)) {
      this.write(page);
      if (completeAt !== undefined) this.writeCurrent(completeAt);
      return;
    }
    this.hasHeard ||= page.changes.length > 0;
    if (this.phase === 'catching up') return;
    this.phase = 'catching up';
    void this.catchUp();
  }

  onGap(): void {
    this.end('lost');
  }

  end(reason: EndReason): void {
    if (this.phase === 'ended') return;
    this.phase = 'ended';
    this.response.end(messageOf('end', { reason }));
    this.onEnd(reason);
  }

  /** Returns true also if the reader is gone. */
  private hasEnded(): boolean {
    return this.phase === 'ended' || this.response.destroyed;
  }

  private hasRoomFor(page: EventPage): boolean {
    const { length } = page.bytesOf(this.options.isWanted);
    return this.response.writableLength + length <= UNREAD_BYTES;
  }

  /** Reads all commits since the position; a later page may repeat some. Never rejects. */
  private async catchUp(): Promise<void> {
    const { readOn, pace } = this.options;
    try {
      for (let hasMore = true; hasMore || this.hasHeard;) {
        const isRead = await this.isRead();
        if (this.hasEnded()) return;
        if (!isRead) {
          this.end('too_slow');
          return;
        }
        this.hasHeard = false;
        const read = await readOn(this.position);
        await pace.next();
        if (this.hasEnded()) return;
        this.write(read.page);
        ({ hasMore } = read);
        if (!hasMore) this.writeCurrent(read.readAt);
      }
      this.phase = 'live';
    } catch {
      this.end('lost');
    }
  }

  private write(page: EventPage): void {
    const bytes = page.bytesOf(this.options.isWanted);
    this.position = page.position;
    if (bytes.length === 0) return;
    this.toldPositionAt = performance.now();
    this.response.write(bytes);
  }

  private writeCurrent(completeAt: number): void {
    const message = messageOf('current', { at: completeAt, time: toWireTime(currentTime()) });
    const isDue = performance.now() - this.toldPositionAt > POSITION_EVERY_MS;
    if (isDue) this.toldPositionAt = performance.now();
    this.response.write(
      isDue ? `id: ${this.options.toCursor(this.position)}\n${message}` : message,
    );
  }

  /** Waits for the reader; returns false if it takes too long. */
  private async isRead(): Promise<boolean> {
    // New bytes reach the connection in the next turn.
    await setImmediate();
    const isBehind = () => this.response.writableLength > 0;
    // Counts turns, not time: while the process is blocked, nobody can read.
    for (let waited = 0; isBehind() && waited < UNREAD_MS; waited += TURN_MS) {
      if (this.hasEnded()) break;
      await sleep(TURN_MS);
    }
    return !isBehind();
  }
}
