import { ApiError } from './api-error.js';
import type { StreamMessage } from './event-stream.js';
import type { Schemas } from './schemas.js';
import { pause } from './transport.js';

const FIRST_PAUSE_MS = 500;
const MAX_PAUSE_MS = 10_000;

/** Options to follow the events of the workspace. */
export interface FollowOptions {
  /** The position to go on from: `lastEventId` of an event, or a `next_cursor`. Without it, from now on. */
  after?: string;
  /** Only events of these types, separated by commas, where `*` stands for any characters. */
  types?: string;
  /** Ends the iteration; it throws the reason. */
  signal?: AbortSignal;
}

/** An event, with the position to go on from once it is handled. */
export interface FollowedEvent {
  event: Schemas['Event'];
  lastEventId: string;
}

/**
 * Yields the events of one stream after the other, without a gap. An event can come again, with the same id.
 * @param open opens the stream that begins behind a position
 * @throws ApiError if the service refuses the stream, for example with 410 `events_gone`
 */
export async function* follow(
  open: (position: string | undefined) => AsyncIterable<StreamMessage>,
  { after, signal }: FollowOptions,
): AsyncGenerator<FollowedEvent, void> {
  let position = after;
  for (let failures = 0; ; failures++) {
    let leastMs = 0;
    try {
      for await (const { event, data, lastEventId } of open(position)) {
        position = lastEventId || position;
        if (event === 'change') yield { event: JSON.parse(data) as Schemas['Event'], lastEventId };
        if (event === 'current') failures = 0;
      }
    } catch (error) {
      if (!isPassing(error)) throw error;
      leastMs = (error.retryAfter ?? 0) * 1000;
    }
    const pauseMs =
      Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures) * (0.5 + Math.random() / 2);
    await pause(Math.max(leastMs, pauseMs), signal);
  }
}

/** Whether the stream may be there again later. */
function isPassing(error: unknown): error is ApiError {
  if (!(error instanceof ApiError)) return false;
  const { status } = error;
  return status === undefined || status === 429 || status >= 500;
}
