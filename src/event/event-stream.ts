import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMON_HEADERS } from '../common/http/http-settings.ts';
import { requestId } from '../common/http/request-id.ts';
import { toWireTime } from '../common/time.ts';
import type { ChangePosition, ChangeRecord, ReadChanges } from '../database/change-reader.ts';
import type { TailBatch, TailFollower } from './change-tail.ts';
import { toEventView } from './dto/event-answer.dto.ts';
import { isOf } from './event.service.ts';
import type { KindFilter } from './event-types.ts';

/** How much may lie unread, and for how long. */
const UNREAD_BYTES = 64 * 1024;
const UNREAD_MS = 3000;
const TURN_MS = 10;
/** Of changes that are committed while it catches up; more are read again. */
const MOST_QUEUED = 20_000;
/** How often the reader is told where it stands, even where nothing happens. */
const POSITION_EVERY_MS = 30_000;
const RETRY_MS = 500;

/** What a stream says when it ends. */
export type EndReason = 'renew' | 'shutting_down' | 'too_slow' | 'lost' | 'unauthorized';

export interface StreamOptions {
  workspaceId: number;
  isWanted: KindFilter;
  toCursor: (position: ChangePosition) => string;
  /** Reads on from a position. */
  readOn: (position: ChangePosition) => Promise<ReadChanges>;
}

/**
 * Writes the events of one workspace to one reader, as server-sent events (the HTML standard, section
 * 9.2): `change`, and after each look at the change log `current`, which says up to when all has been
 * told. Both count time by the clock of this process, which `open` begins with.
 *
 * A reader that has not read what it was sent gets no more until it has, and then reads on from the
 * log at its own pace: however much is committed at once, no more than one page of it waits here.
 */
export class EventStream implements TailFollower {
  private phase: 'opening' | 'catching up' | 'live' | 'ended' = 'opening';
  /** Behind what has been written. */
  private position: ChangePosition;
  /** Batches that wait until everything before them has been read. */
  private queue: TailBatch[] = [];
  private queued = 0;
  /** The first `current` has a position, however long the process has been up. */
  private toldPositionAt = -Infinity;

  /** @param first what is behind the cursor of the reader */
  constructor(
    private readonly response: ServerResponse,
    private readonly first: ReadChanges,
    private readonly options: StreamOptions,
    private readonly onEnd: (reason: EndReason) => void,
  ) {
    this.position = first.position;
  }

  /** @param openedAt by `performance.now()`, before anything was read */
  open(openedAt: number): void {
    const { response, first } = this;
    response.writeHead(200, {
      ...COMMON_HEADERS,
      'X-Request-Id': requestId(response.req),
      'Content-Type': 'text/event-stream; charset=utf-8',
      // nginx would keep events back.
      'X-Accel-Buffering': 'no',
    });
    response.write(`retry: ${RETRY_MS}\n${message('open', { at: openedAt })}`);
    this.writeChanges(first.changes, first.position);
  }

  hear(batch: TailBatch): void {
    if (this.phase === 'ended') return;
    if (this.phase === 'live' && !this.isBehind) {
      this.send(batch);
      return;
    }
    this.queue.push(batch);
    this.queued += batch.changes.length;
    if (this.queued > MOST_QUEUED) this.queue = [];
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
    this.queue = [];
    this.response.end(message('end', { reason }));
    this.onEnd(reason);
  }

  /** Also if its reader has gone. */
  private hasEnded(): boolean {
    return this.phase === 'ended' || this.response.destroyed;
  }

  private get isBehind(): boolean {
    return this.response.writableLength > UNREAD_BYTES;
  }

  /** Reads what has been committed since the position; some of it may come again with a later batch. */
  private async catchUp(): Promise<void> {
    let completeAt: number | undefined;
    try {
      for (let hasMore = true; hasMore;) {
        const isRead = await this.isRead();
        if (this.hasEnded()) return;
        if (!isRead) {
          this.end('too_slow');
          return;
        }
        // What has been heard by now has been committed, and so it is read with the rest.
        completeAt = this.queue.at(-1)?.completeAt ?? completeAt;
        this.queue = [];
        this.queued = 0;
        const read = await this.options.readOn(this.position);
        if (this.hasEnded()) return;
        this.writeChanges(read.changes, read.position);
        hasMore = read.hasMore || this.queued > MOST_QUEUED;
      }
    } catch {
      this.end('lost');
      return;
    }
    if (completeAt !== undefined) this.writeCurrent(completeAt);
    const heard = this.queue;
    this.queue = [];
    this.phase = 'live';
    for (const batch of heard) this.hear(batch);
  }

  private send({ changes, position, completeAt }: TailBatch): void {
    const { workspaceId, isWanted } = this.options;
    const wanted = changes.filter((change) => isOf(change, workspaceId) && isWanted(change.kind));
    this.writeChanges(wanted, position);
    if (completeAt !== undefined) this.writeCurrent(completeAt);
  }

  private writeCurrent(completeAt: number): void {
    const isDue = performance.now() - this.toldPositionAt > POSITION_EVERY_MS;
    this.write(
      message('current', { at: completeAt, time: toWireTime(Date.now()) }),
      isDue ? this.position : undefined,
    );
  }

  /** One text, in which the last event has the position: who resumes there has had all of them. */
  private writeChanges(changes: readonly ChangeRecord[], position: ChangePosition): void {
    this.position = position;
    if (changes.length === 0) return;
    const messages = changes.map((change) => message('change', toEventView(change)));
    const last = messages.pop()!;
    if (messages.length > 0) this.write(messages.join(''));
    this.write(last, position);
  }

  /** @param position behind the message */
  private write(text: string, position?: ChangePosition): void {
    if (this.phase === 'ended') return;
    if (position === undefined) {
      this.response.write(text);
    } else {
      this.toldPositionAt = performance.now();
      this.response.write(`id: ${this.options.toCursor(position)}\n${text}`);
    }
  }

  /** Waits for the reader; false if it takes too long. */
  private async isRead(): Promise<boolean> {
    // Turns are counted, not time: while the process is held up, nobody can read.
    for (let waited = 0; this.isBehind && waited < UNREAD_MS; waited += TURN_MS) {
      if (this.hasEnded()) break;
      await sleep(TURN_MS);
    }
    return !this.isBehind;
  }
}

function message(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
