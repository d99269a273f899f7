import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { COMMON_HEADERS } from '../common/http/http-settings';
import { requestId } from '../common/http/request-id';
import { toWireTime } from '../common/time';
import type { ChangePosition, ChangeRecord, ReadChanges } from '../database/change-reader';
import type { TailBatch, TailFollower } from './change-tail';
import { toEventView } from './dto/event-answer.dto';
import { isOf } from './event.service';

/** How much may lie unread, and for how long. */
const UNREAD_BYTES = 64 * 1024;
const UNREAD_MS = 3000;
/** Of one reader, however fast it is. */
const MOST_UNREAD_BYTES = 8 * 1024 ** 2;
/** Of changes that are committed while it catches up. */
const MOST_QUEUED = 20_000;
/** How often the reader is told where it stands, even where nothing happens. */
const POSITION_EVERY_MS = 30_000;
const RETRY_MS = 500;

/** What a stream says when it ends. */
export type EndReason = 'renew' | 'shutting_down' | 'too_slow' | 'lost' | 'unauthorized';

export interface StreamOptions {
  workspaceId: number;
  isWanted: (type: string) => boolean;
  toCursor: (position: ChangePosition) => string;
  /** Reads on from a position. */
  readOn: (position: ChangePosition) => Promise<ReadChanges>;
}

/**
 * Writes the events of one workspace to one reader, as server-sent events (the HTML standard, section
 * 9.2): `change`, and after each look at the change log `current`, which says up to when all has been
 * told. Both count time by the clock of this process, which `open` begins with.
 */
export class EventStream implements TailFollower {
  private phase: 'opening' | 'catching up' | 'live' | 'ended' = 'opening';
  /** Batches that wait until everything before them has been read. */
  private queue: TailBatch[] = [];
  private queued = 0;
  /** The first `current` has a position, however long the process has been up. */
  private toldPositionAt = -Infinity;
  private unreadSince: number | undefined;

  /** @param first what is behind the cursor of the reader */
  constructor(
    private readonly response: ServerResponse,
    private readonly first: ReadChanges,
    private readonly options: StreamOptions,
    private readonly onEnd: (reason: EndReason) => void,
  ) {}

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
    if (this.phase === 'live') {
      this.send(batch);
    } else if (this.phase === 'opening') {
      this.phase = 'catching up';
      this.queue.push(batch);
      void this.catchUp();
    } else if (this.phase === 'catching up') {
      this.queue.push(batch);
      this.queued += batch.changes.length;
      if (this.queued > MOST_QUEUED) this.end('too_slow');
    }
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

  /** Reads what was committed before the first batch; some of it may come again with a later one. */
  private async catchUp(): Promise<void> {
    try {
      let { position } = this.first;
      for (let hasMore = true; hasMore;) {
        const read = await this.options.readOn(position);
        ({ position, hasMore } = read);
        this.writeChanges(read.changes, position);
        if (!(await this.isRead())) this.end('too_slow');
        if (this.phase !== 'catching up') return;
      }
    } catch {
      this.end('lost');
      return;
    }
    this.phase = 'live';
    for (const batch of this.queue) this.send(batch);
    this.queue = [];
  }

  private send({ changes, position, completeAt }: TailBatch): void {
    const { workspaceId, isWanted } = this.options;
    const wanted = changes.filter((change) => isOf(change, workspaceId) && isWanted(change.kind));
    this.writeChanges(wanted, position);
    if (completeAt === undefined || this.phase === 'ended') return;
    const isDue = performance.now() - this.toldPositionAt > POSITION_EVERY_MS;
    this.write(
      message('current', { at: completeAt, time: toWireTime(Date.now()) }),
      isDue ? position : undefined,
    );
  }

  /** One text, in which the last event has the position: who resumes there has had all of them. */
  private writeChanges(changes: readonly ChangeRecord[], position: ChangePosition): void {
    if (changes.length === 0) return;
    const messages = changes.map((change) => message('change', toEventView(change)));
    const last = messages.pop()!;
    if (messages.length > 0) this.write(messages.join(''));
    this.write(last, position);
  }

  /** @param position behind the message */
  private write(text: string, position?: ChangePosition): void {
    if (this.phase === 'ended') return;
    const { response } = this;
    const now = performance.now();
    // Before it writes: what is large is never sent at once.
    if (response.writableLength <= UNREAD_BYTES) this.unreadSince = undefined;
    else this.unreadSince ??= now;
    const isSlow = this.unreadSince !== undefined && now - this.unreadSince > UNREAD_MS;
    if (isSlow || response.writableLength > MOST_UNREAD_BYTES) {
      this.end('too_slow');
      return;
    }
    if (position === undefined) {
      response.write(text);
    } else {
      this.toldPositionAt = now;
      response.write(`id: ${this.options.toCursor(position)}\n${text}`);
    }
  }

  /** Waits for the reader; false if it takes too long. */
  private async isRead(): Promise<boolean> {
    const deadline = performance.now() + UNREAD_MS;
    while (this.response.writableLength > UNREAD_BYTES && performance.now() < deadline) {
      if (this.response.destroyed) return true;
      await sleep(10);
    }
    return this.response.writableLength <= UNREAD_BYTES;
  }
}

function message(event: string, data: object): string {
  return `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
}
