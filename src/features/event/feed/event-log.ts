import { Injectable } from '@nestjs/common';
import { KeyedMutex } from '../../../platform/common/concurrency/keyed-mutex.ts';
import type { ChangePosition } from '../../../core/change-log/change-reader.ts';
import { EventCursors } from './event-cursors.ts';
import { EventPage } from './event-page.ts';
import { EventService } from './event.service.ts';

/** Changes kept in memory for streams that reach the same position a little later. */
const MAX_KEPT = 4096;

export interface LogPage {
  page: EventPage;
  hasMore: boolean;
  /** Clock of `performance.now()`. The last page ends after everything committed by then. */
  readAt: number;
}

interface Reading {
  page: Promise<LogPage>;
  kept: number;
}

/** Reads the log of changes for streams, with one statement for all streams at the same position. */
@Injectable()
export class EventLog {
  /** Pages being read, and pages that others follow, which no longer change; the oldest first. */
  private readonly readings = new Map<string, Reading>();
  private kept = 0;
  private readonly inTurn = new KeyedMutex<number>();

  constructor(
    private readonly events: EventService,
    private readonly cursors: EventCursors,
  ) {}

  /** Reads on from a position. The last page was read after this call. @throws EventsGone, DatabaseUnavailable */
  async readOn(workspaceId: number, position: ChangePosition, limit: number): Promise<LogPage> {
    const askedAt = performance.now();
    const key = `${workspaceId} ${limit} ${position}`;
    const known = await this.readings.get(key)?.page;
    if (known && (known.hasMore || known.readAt >= askedAt)) return known;
    return await (this.readings.get(key)?.page ?? this.begin(key, workspaceId, position, limit));
  }

  private begin(
    key: string,
    workspaceId: number,
    position: ChangePosition,
    limit: number,
  ): Promise<LogPage> {
    // A workspace uses one connection to the database, however many streams it has.
    const page = this.inTurn.run(workspaceId, () => this.read(workspaceId, position, limit));
    const reading = { page, kept: 0 };
    this.readings.set(key, reading);
    void page.then(
      ({ hasMore, page: { changes } }) => {
        // An empty page is of a database that has changed meanwhile.
        if (hasMore && changes.length > 0) this.keep(reading, changes.length);
        else this.readings.delete(key);
      },
      () => this.readings.delete(key),
    );
    return page;
  }

  private async read(
    workspaceId: number,
    position: ChangePosition,
    limit: number,
  ): Promise<LogPage> {
    const readAt = performance.now();
    const read = await this.events.read(position, { workspaceId, limit });
    const toCursor = () => this.cursors.toCursor(read.position, workspaceId);
    const page = new EventPage(read.changes, read.position, toCursor);
    return { page, hasMore: read.hasMore, readAt };
  }

  private keep(reading: Reading, changes: number): void {
    reading.kept = changes;
    this.kept += changes;
    for (const [key, { kept }] of this.readings) {
      if (this.kept <= MAX_KEPT) return;
      if (kept === 0) continue;
      this.kept -= kept;
      this.readings.delete(key);
    }
  }
}
