import { type BeforeApplicationShutdown, Injectable } from '@nestjs/common';
import type { ServerResponse } from 'node:http';
import { type Caller, requireScope } from '../common/caller.ts';
import { DatabaseUnavailable, ShuttingDown } from '../common/errors.ts';
import { Pace } from '../common/pace.ts';
import { ChangeTail } from './change-tail.ts';
import { type EventStreamQueryDto, LATEST } from './dto/event-query.dto.ts';
import { EventCursors } from './event-cursors.ts';
import { EventLog } from './event-log.ts';
import { EventSlots } from './event-slots.ts';
import { type EndReason, EventStream } from './event-stream.ts';
import { EventService } from './event.service.ts';
import { admitting } from './event-types.ts';

/** The clocks of two machines drift apart, and a balancer has to move readers now and then. */
const LONGEST_MS = 300_000;
const CHECK_EVERY_MS = 250;
/** So many changes may be in pages that no stream's reader has read: of the longest, 32 MiB. */
const MOST_UNREAD_CHANGES = 20_000;
const LARGEST_PAGE = 256;
/** So long a reader that was cut may take to read why. */
const LINGER_MS = 1000;

/** Opens event streams, and ends them in time. */
@Injectable()
export class EventStreams implements BeforeApplicationShutdown {
  /** How many streams have ended, by reason; `gone`: the reader went. */
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
    private readonly slots: EventSlots,
    private readonly pace: Pace,
  ) {}

  get count(): number {
    return this.open.size;
  }

  /**
   * Answers with a stream. Resolves when it has begun.
   * @param lastEventId where the reader wants to go on; comes before the query
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
    const giveBack = this.slots.take(caller);
    try {
      const from = await this.events.positionOf(lastEventId ?? after ?? LATEST, workspaceId);
      const readOn = (position: string) =>
        this.log.readOn(workspaceId, position, pageSize(this.open.size));
      const { page: first } = await readOn(from);
      this.requireServing();
      if (response.destroyed) {
        giveBack();
        return;
      }
      let unfollow: () => void = () => undefined;
      const onEnd = (reason: EndReason | 'gone') => {
        if (!this.open.delete(stream)) return;
        this.ends[reason]++;
        clearTimeout(renewal);
        clearInterval(checking);
        unfollow();
        giveBack();
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
      // Not all at once, where many began together.
      const longest = LONGEST_MS * (1 - (this.begun++ % 20) / 100);
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
      unfollow = this.tail.follow(stream);
    } catch (error) {
      giveBack();
      throw error;
    }
  }

  /** Before the server waits for answers under way. */
  beforeApplicationShutdown(): void {
    this.isEnding = true;
    for (const stream of this.open) stream.end('shutting_down');
  }

  private requireServing(): void {
    if (this.isEnding) throw new ShuttingDown();
  }

  /** Ends the stream of a caller who may not read it any more. */
  private async check(caller: Caller, stream: EventStream): Promise<void> {
    try {
      requireScope(await caller.renew(), 'events:read', 'Reading events');
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable)) stream.end('unauthorized');
    }
  }
}

/** How many changes a stream reads at once: a power of two, so that streams which begin one after the other share pages. */
function pageSize(streams: number): number {
  const share = MOST_UNREAD_CHANGES / Math.max(streams, 1);
  return Math.min(LARGEST_PAGE, 2 ** Math.floor(Math.log2(share)));
}
