import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { type Caller, renewFor } from '../../../platform/common/access/caller.ts';
import { writeEventStreamHead } from '../../../platform/common/http/responses/event-stream.ts';
import { DatabaseUnavailable, ShuttingDown } from '../../../platform/common/problem/errors.ts';
import { Pace } from '../../../platform/common/concurrency/pace.ts';
import { ConnectionSlots } from '../../../platform/common/concurrency/slots.ts';
import { ChangeTail } from '../feed/change-tail.ts';
import { type EventStreamQueryDto, LATEST } from '../feed/dto/event-query.dto.ts';
import { EventCursors } from '../feed/event-cursors.ts';
import { EventLog } from '../feed/event-log.ts';
import { type EndReason, EventStream } from './event-stream.ts';
import { EventService } from '../feed/event.service.ts';
import { admitting } from '../feed/event-types.ts';

/** The clocks of two machines drift apart, and a load balancer has to move readers from time to time. */
const MAX_MS = 300_000;
const CHECK_EVERY_MS = 250;
/** Maximum of changes in pages that no reader has read; 32 MiB if they are of the greatest length. */
const MAX_UNREAD_CHANGES = 20_000;
const LARGEST_PAGE = 256;
/** Time for a disconnected reader to read the reason. */
const LINGER_MS = 1000;

@Injectable()
export class EventStreams implements BeforeApplicationShutdown {
  /** Number of ended streams by reason; `gone`: the reader disconnected. */
  readonly ends: Record<EndReason | 'gone', number> = {
    gone: 0,
    lost: 0,
    renew: 0,
    shutting_down: 0,
    too_slow: 0,
    unauthorized: 0,
  };

  private readonly open = new Set<EventStream>();
  private begun = 0;
  private isEnding = false;

  constructor(
    private readonly events: EventService,
    private readonly log: EventLog,
    private readonly tail: ChangeTail,
    private readonly cursors: EventCursors,
    private readonly slots: ConnectionSlots,
    private readonly pace: Pace,
  ) {}

  get count(): number {
    return this.open.size;
  }

  /**
   * Responds with a stream; resolves when it has begun.
   * @param lastEventId the position to resume at; overrides the query
   * @throws TooManyAtOnce, EventsGone, ValidationFailed, ShuttingDown, DatabaseUnavailable
   */
  async begin(
    caller: Caller,
    { after, types }: EventStreamQueryDto,
    lastEventId: string | undefined,
    response: ServerResponse,
  ): Promise<void> {
    this.requireServing();
    const openedAt = performance.now();
    const { workspaceId } = caller;
    const release = await this.slots.acquireFor(caller);
    try {
      const from = await this.events.positionOf(caller, lastEventId ?? after ?? LATEST);
      const readOn = (position: string) =>
        this.log.readOn(workspaceId, position, pageSize(this.open.size));
      const { page: first } = await readOn(from);
      this.requireServing();
      const isHead = response.req.method === 'HEAD';
      if (isHead) writeEventStreamHead(response);
      if (isHead || response.destroyed) {
        response.end();
        release();
        return;
      }
      let unsubscribe: () => void = () => undefined;
      const onEnd = (reason: EndReason | 'gone') => {
        if (!this.open.delete(stream)) return;
        this.ends[reason]++;
        clearTimeout(renewal);
        clearInterval(checking);
        unsubscribe();
        release();
        setTimeout(() => {
          void this.pace.next().then(() => response.destroy());
        }, LINGER_MS).unref();
      };
      const options = {
        workspaceId,
        isWanted: admitting(types),
        toCursor: (position: string) => this.cursors.toCursor(position, workspaceId),
        readOn,
        pace: this.pace,
      };
      const stream = new EventStream(response, first, options, onEnd);
      // Spreads the ends of streams that began together.
      const longest = MAX_MS * (1 - (this.begun++ % 20) / 100);
      const renewal = setTimeout(() => {
        stream.end('renew');
      }, longest);
      let isChecking = false;
      const checking = setInterval(() => {
        if (isChecking) return;
        isChecking = true;
        void this.check(caller, stream).finally(() => {
          isChecking = false;
        });
      }, CHECK_EVERY_MS);
      this.open.add(stream);
      response.on('close', () => {
        onEnd('gone');
      });
      stream.open(openedAt, from);
      unsubscribe = this.tail.subscribe(stream);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** Ends streams before the server waits for pending responses. */
  beforeApplicationShutdown(): void {
    this.isEnding = true;
    for (const stream of this.open) stream.end('shutting_down');
  }

  private requireServing(): void {
    if (this.isEnding) throw new ShuttingDown();
  }

  private async check(caller: Caller, stream: EventStream): Promise<void> {
    try {
      await renewFor(caller, 'events:read', 'Reading events');
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) stream.end('unauthorized');
    }
  }
}

/** Number of changes per read of a stream: a power of two, so that streams that begin one after the other share pages. */
function pageSize(streams: number): number {
  const share = MAX_UNREAD_CHANGES / Math.max(streams, 1);
  return Math.min(LARGEST_PAGE, 2 ** Math.floor(Math.log2(share)));
}
