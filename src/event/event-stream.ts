import type { ServerResponse } from 'node:http';
import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { COMMON_HEADERS, UNTRANSFORMED } from '../common/http/http-settings.ts';
import { requestId } from '../common/http/request-id.ts';
import type { Pace } from '../common/pace.ts';
import { toWireTime } from '../common/time.ts';
import type { ChangePosition } from '../database/change-reader.ts';
import type { TailFollower } from './change-tail.ts';
import type { LogPage } from './event-log.ts';
import { type EventPage, messageOf } from './event-page.ts';
import type { KindFilter } from './event-types.ts';

/** How much may lie unread; of a page more, if nothing else does. */
const UNREAD_BYTES = 64 * 1024;
const UNREAD_MS = 3000;
const TURN_MS = 10;
/** How often the reader is told where it stands, even where nothing happens. */
const POSITION_EVERY_MS = 30_000;
const RETRY_MS = 500;

/** What a stream says when it ends. */
export type EndReason = 'renew' | 'shutting_down' | 'too_slow' | 'lost' | 'unauthorized';

export interface StreamOptions {
  workspaceId: number;
  isWanted: KindFilter;
  toCursor: (position: ChangePosition) => string;
  /** Reads the next page behind a position. */
  readOn: (position: ChangePosition) => Promise<LogPage>;
  pace: Pace;
}

/**
 * Writes the events of one workspace to one reader, as server-sent events: `change`, and four times a second
 * `current`, which says up to when all has been told. Both count time by the clock of this process, which `open`
 * begins with.
 *
 * A page is written when the reader has read what it was sent, or nearly so; until then the reader gets no more, and
 * then reads on from the log at its own pace. So it has no more than one page in memory, however much is committed.
 */
export class EventStream implements TailFollower {
  readonly workspaceId: number;
  private phase: 'opening' | 'catching up' | 'live' | 'ended' = 'opening';
  /** Behind what has been written. */
  private position: ChangePosition;
  /** Whether the tail has told of changes since the log was read last. */
  private hasHeard = false;
  /** The first `current` has a position, however long the process has been up. */
  private toldPositionAt = -Infinity;

  /** @param first what is behind the cursor of the reader */
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
   * @param from where the reader resumes or begins: it is sent first, so that a reader which is cut before the next
   *   position resumes there
   */
  open(openedAt: number, from: ChangePosition): void {
    const { response, first } = this;
    response.writeHead(200, {
      ...COMMON_HEADERS,
      'Cache-Control': UNTRANSFORMED,
      'X-Request-Id': requestId(response.req),
      'Content-Type': 'text/event-stream; charset=utf-8',
      // nginx would keep events back.
      'X-Accel-Buffering': 'no',
    });
    const id = this.options.toCursor(from);
    response.write(`retry: ${RETRY_MS}\nid: ${id}\n${messageOf('open', { at: openedAt })}`);
    this.write(first);
  }

  hear(page: EventPage, completeAt: number | undefined): void {
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

  lose(): void {
    this.end('lost');
  }

  /** Says why, and ends the answer. */
  end(reason: EndReason): void {
    if (this.phase === 'ended') return;
    this.phase = 'ended';
    this.response.end(messageOf('end', { reason }));
    this.onEnd(reason);
  }

  /** Also if its reader has gone. */
  private hasEnded(): boolean {
    return this.phase === 'ended' || this.response.destroyed;
  }

  private hasRoomFor(page: EventPage): boolean {
    const { length } = page.bytesOf(this.options.isWanted);
    return this.response.writableLength + length <= UNREAD_BYTES;
  }

  /** Reads what has been committed since the position; some of it may come again with a later page. Never rejects. */
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
    const message = messageOf('current', { at: completeAt, time: toWireTime(Date.now()) });
    const isDue = performance.now() - this.toldPositionAt > POSITION_EVERY_MS;
    if (isDue) this.toldPositionAt = performance.now();
    this.response.write(
      isDue ? `id: ${this.options.toCursor(this.position)}\n${message}` : message,
    );
  }

  /** Waits for the reader; false if it takes too long. */
  private async isRead(): Promise<boolean> {
    // What has just been written reaches the connection in the next turn.
    await setImmediate();
    const isBehind = () => this.response.writableLength > 0;
    // Turns are counted, not time: while the process is held up, nobody can read.
    for (let waited = 0; isBehind() && waited < UNREAD_MS; waited += TURN_MS) {
      if (this.hasEnded()) break;
      await sleep(TURN_MS);
    }
    return !isBehind();
  }
}
