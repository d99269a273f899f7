import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import { type Caller, renewFor } from '../../../platform/common/access/caller.ts';
import { EventsGone } from './event.errors.ts';
import { Gate } from '../../../platform/common/concurrency/gate.ts';
import { ConnectionSlots } from '../../../platform/common/concurrency/slots.ts';
import {
  type ChangePosition,
  ChangeReader,
  type ChangeRecord,
  PositionLost,
  type ReadChanges,
} from '../../../core/change-log/change-reader.ts';
import { ChangeTail } from './change-tail.ts';
import { type EventQueryDto, LATEST, eventLimitOf } from './dto/event-query.dto.ts';
import { type EventsResponse, toEventView } from './dto/event-response.dto.ts';
import { EventCursors } from './event-cursors.ts';
import type { KindFilter } from '../../../platform/common/globs.ts';
import { admitting } from './event-types.ts';

/** Maximum number of reads for one response, if few changes have a wanted type. */
const MAX_READS = 10;

interface Wanted {
  caller: Caller;
  limit: number;
  isWanted: KindFilter;
}

@Injectable()
export class EventService implements BeforeApplicationShutdown {
  private readonly waiting = new Set<() => void>();
  private isEnding = false;

  constructor(
    private readonly reader: ChangeReader,
    private readonly tail: ChangeTail,
    private readonly cursors: EventCursors,
    private readonly slots: ConnectionSlots,
    private readonly gate: Gate,
  ) {}

  /**
   * Lists the events after a cursor.
   * @param gone ends a wait early
   * @throws EventsGone, TooManyAtOnce, ValidationFailed for a cursor of another workspace, DatabaseUnavailable
   */
  async list(caller: Caller, query: EventQueryDto, gone: AbortSignal): Promise<EventsResponse> {
    const { workspaceId } = caller;
    const wanted = { caller, limit: eventLimitOf(query), isWanted: admitting(query.types) };
    const from = await this.positionOf(caller, query.after);
    let read = await this.readWanted(from, wanted);
    const waitMs = Number(query.wait ?? 0) * 1000;
    if (waitMs > 0 && isEmpty(read)) {
      const release = await this.slots.acquireFor(caller);
      read = await this.waitForWanted(read, wanted, waitMs, gone).finally(release);
      await renewFor(caller, 'events:read', 'Reading events');
    }
    return {
      success: 1,
      events: read.changes.map(toEventView),
      next_cursor: this.cursors.toCursor(read.position, workspaceId),
      has_more: read.hasMore,
    };
  }

  /** Returns the position of the caller's cursor. @throws as `list` */
  async positionOf(caller: Caller, cursor: string | undefined): Promise<ChangePosition> {
    if (cursor === undefined) return this.reader.start();
    if (cursor === LATEST) return this.gate.run(caller, () => this.reader.end());
    const position = this.cursors.toPosition(cursor, caller.workspaceId);
    if (position === undefined) throw new EventsGone();
    return position;
  }

  /** Reads on until there are enough wanted changes. @throws EventsGone, TooManyAtOnce, DatabaseUnavailable */
  async readWanted(from: ChangePosition, wanted: Wanted): Promise<ReadChanges> {
    const { caller, limit, isWanted } = wanted;
    const { workspaceId } = caller;
    const changes: ChangeRecord[] = [];
    let position = from;
    for (let reads = 1; ; reads++) {
      const after = position;
      const read = await this.gate.run(caller, () => this.read(after, { workspaceId, limit }));
      ({ position } = read);
      changes.push(...read.changes.filter(({ kind }) => isWanted(kind)));
      const { hasMore } = read;
      if (!hasMore || changes.length >= limit || reads >= MAX_READS) {
        return { changes, position, hasMore };
      }
    }
  }

  /** @throws EventsGone, DatabaseUnavailable */
  async read(
    position: ChangePosition,
    options: { workspaceId: number; limit: number },
  ): Promise<ReadChanges> {
    try {
      return await this.reader.read(position, options);
    } catch (error) {
      throw error instanceof PositionLost ? new EventsGone(error) : error;
    }
  }

  /** Searches again after each change in the workspace, until it finds a wanted one or the time is over. */
  private async waitForWanted(
    last: ReadChanges,
    wanted: Wanted,
    waitMs: number,
    gone: AbortSignal,
  ): Promise<ReadChanges> {
    let read = last;
    const call = { isDue: false, isOver: false, wake: () => undefined as unknown };
    const due = () => {
      call.isDue = true;
      call.wake();
    };
    const over = () => {
      call.isOver = true;
      call.wake();
    };
    const timer = setTimeout(over, waitMs);
    gone.addEventListener('abort', over);
    this.waiting.add(over);
    if (this.isEnding || gone.aborted) over();
    let hasBegun = false;
    const unsubscribe = this.tail.subscribe({
      workspaceId: wanted.caller.workspaceId,
      onBatch: ({ changes }) => {
        // Commits before the first page may not have been read yet.
        if (!hasBegun || changes.length > 0) due();
        hasBegun = true;
      },
      onGap: due,
    });
    try {
      while (isEmpty(read) && !call.isOver) {
        if (call.isDue) {
          call.isDue = false;
          read = await this.readWanted(read.position, wanted);
        } else {
          await new Promise<void>((resolve) => (call.wake = resolve));
        }
      }
      return read;
    } finally {
      clearTimeout(timer);
      gone.removeEventListener('abort', over);
      this.waiting.delete(over);
      unsubscribe();
    }
  }

  /** Ends waiting calls before the server waits for pending responses. */
  beforeApplicationShutdown(): void {
    this.isEnding = true;
    for (const over of this.waiting) over();
  }
}

function isEmpty({ changes, hasMore }: ReadChanges): boolean {
  return changes.length === 0 && !hasMore;
}
