import { isWithin, type Moment, now } from './clocks.js';
import type { Connection } from './connection.js';
import { lost } from './deadline.js';
import { readMessages, type StreamMessage } from './event-stream.js';

/** The time for which no news means no change. A second is promised; the rest is for the network. */
const LEASE_MS = 750;
/** Longer than the service takes to end the stream of an API token that may not read it any more. */
const DOUBT_MS = 1500;
/** `current` comes four times a second. */
const SILENCE_MS = 3000;
/** The longest gap that is resumed. After a longer one the database may have been restored. */
const MAX_GAP_MS = 5000;
const RETRY_MS = 500;
const MAX_RETRY_MS = 10_000;

/** The receiver of changes. */
export interface ChangeListener {
  /** A user group or one of its tokens has changed. */
  forget: (teamId: number) => void;
  /** Anything may have changed. */
  forgetAll: () => void;
}

/** A stream that is being read. */
interface OpenStream {
  /** The moment before the call; the service cannot have got it earlier. */
  calledAt: Moment;
  /** Whether missed events come first. */
  isResumed: boolean;
  /** The moment at which the clock of the service would be zero, or an earlier one. */
  zero?: Moment;
  hasBeenCurrent: boolean;
  /** Puts off the end that silence would bring. */
  heard: () => void;
}

interface Change {
  type: string;
  user_group?: { team_id: number };
}

/** Follows the events of the service, and knows for how long it has missed none. */
export class ChangeStream {
  /** Everything that was committed by then has been told; undefined before any news, and once it must be forgotten. */
  toldUntil: Moment | undefined;
  /** The time of the service's clock at `toldUntil`, or later. */
  private serverTime = 0;
  /** The moment by `performance.now()` since which it is unclear whether the API token is valid. */
  private doubtedUntil = 0;
  private lastEventId = '';
  private failures = 0;
  private readonly closing = new AbortController();

  constructor(
    private readonly connection: Connection,
    private readonly listener: ChangeListener,
    private readonly onError: (error: unknown) => void,
  ) {
    void this.run();
  }

  /** Whether every change that was committed a second ago or earlier has been told. */
  isCurrent(): boolean {
    if (!this.toldUntil) return false;
    // Each look at a clock costs as much as the rest of a result from memory.
    const moment = now();
    return isWithin(LEASE_MS, this.toldUntil, moment) && moment.monotonic >= this.doubtedUntil;
  }

  /** Whether the last news left it unclear that the API token is still valid. */
  isUnsure(): boolean {
    return (this.toldUntil?.monotonic ?? performance.now()) < this.doubtedUntil;
  }

  /** Returns the latest time that the service's clock can have, in milliseconds since 1970, while `isCurrent`. */
  latestServerTime(): number {
    const { monotonic, wall } = now();
    // The monotonic clock may stand still while the machine sleeps.
    return (
      this.serverTime + Math.max(monotonic - this.toldUntil!.monotonic, wall - this.toldUntil!.wall)
    );
  }

  close(): void {
    this.toldUntil = undefined;
    this.closing.abort();
  }

  private async run(): Promise<void> {
    const isClosed = () => this.closing.signal.aborted;
    while (!isClosed()) {
      let isEndInOrder = false;
      try {
        isEndInOrder = await this.follow();
      } catch (error) {
        if (!isClosed()) this.report(error);
      }
      if (!isEndInOrder) await this.waitToRetry();
    }
  }

  /** An error of the callback must not end the process, or the stream. */
  private report(error: unknown): void {
    try {
      this.onError(error);
    } catch {
      // It is the application's own.
    }
  }

  /**
   * Follows one stream until it ends.
   * @returns whether another may be opened at once
   * @throws whatever cuts it short
   */
  private async follow(): Promise<boolean> {
    const silence = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const heard = () => {
      clearTimeout(timer);
      timer = setTimeout(() => {
        silence.abort(new Error('the event stream is silent'));
      }, SILENCE_MS);
    };
    const close = () => {
      silence.abort();
    };
    this.closing.signal.addEventListener('abort', close);
    heard();
    try {
      const isResumed = this.lastEventId !== '';
      const stream = { calledAt: now(), isResumed, hasBeenCurrent: false, heard };
      const body = await this.open(silence.signal);
      return (
        !body || (await this.read(readMessages(body, silence.signal, this.lastEventId), stream))
      );
    } finally {
      clearTimeout(timer);
      this.closing.signal.removeEventListener('abort', close);
      silence.abort();
    }
  }

  /** Returns the body of the stream; undefined, and everything forgotten, if the last event cannot be resumed from. */
  private async open(signal: AbortSignal): Promise<ReadableStream<Uint8Array> | undefined> {
    const { baseUrl, authorization, userAgent, fetch } = this.connection;
    const headers = new Headers({
      Authorization: authorization,
      'User-Agent': userAgent,
      Accept: 'text/event-stream',
      // A proxy that compresses keeps pieces back.
      'Accept-Encoding': 'identity',
      ...(this.lastEventId && { 'Last-Event-ID': this.lastEventId }),
    });
    const url = `${baseUrl}/api/v1/events/stream`;
    const request = new Request(url, { headers, redirect: 'error', signal });
    const response = await fetch(request).catch((error: unknown) => {
      throw signal.aborted ? error : lost(baseUrl, error);
    });
    const { status, body } = response;
    const isStream = response.headers.get('content-type')?.startsWith('text/event-stream');
    if (status === 200 && isStream && body) return body;
    await body?.cancel();
    const wasResumed = this.lastEventId !== '';
    // A refusal for another reason than too many calls may be about the id.
    if (status >= 400 && status < 500 && status !== 429) this.startOver();
    if (status === 410 && wasResumed) return undefined;
    const need = status === 403 ? ': the API token needs the scope events:read' : '';
    throw new Error(`the event stream returned ${status}${need}`);
  }

  /** Returns and throws like `follow`. */
  private async read(messages: AsyncIterable<StreamMessage>, stream: OpenStream): Promise<boolean> {
    for await (const message of messages) {
      const reason = this.hear(message, stream);
      if (reason === undefined) continue;
      const isInOrder = reason === 'renew' || reason === 'shutting_down';
      // A stream without news counts as a failure, so that the next begins after a pause.
      if (isInOrder && stream.hasBeenCurrent) return true;
      throw new Error(`the event stream ended: ${reason}`);
    }
    throw new Error('the event stream was cut');
  }

  /** @returns why the stream ends, if that is what the message says */
  private hear(message: StreamMessage, stream: OpenStream): string | undefined {
    try {
      const reason = this.understand(message, stream);
      if (message.lastEventId) this.lastEventId = message.lastEventId;
      // The API token may no longer follow events, or events were missed.
      if (reason === 'unauthorized' || reason === 'lost') this.startOver();
      return reason;
    } catch (error) {
      // A message that cannot be read may have been a change.
      this.startOver();
      throw error;
    }
  }

  private understand({ event, data }: StreamMessage, stream: OpenStream): string | undefined {
    if (event === 'open') {
      const { at } = JSON.parse(data) as { at: number };
      stream.zero = plus(stream.calledAt, -at);
      if (!stream.isResumed) this.listener.forgetAll();
      // Everything that it tells would be late by as much.
      if (!isWithin(LEASE_MS, stream.calledAt)) return 'it took too long to open';
      stream.heard();
    } else if (event === 'change') {
      this.tell(JSON.parse(data) as Change);
      stream.heard();
    } else if (event === 'current') {
      const { at, time } = JSON.parse(data) as { at: number; time: string };
      if (this.toldUntil && !isWithin(MAX_GAP_MS, this.toldUntil)) this.listener.forgetAll();
      this.toldUntil = plus(stream.zero!, at);
      this.serverTime = Date.parse(time);
      // News that comes late, or that a clock of this machine contradicts, does not count.
      if (isWithin(LEASE_MS, this.toldUntil)) {
        stream.heard();
        stream.hasBeenCurrent = true;
        this.failures = 0;
      }
    } else if (event === 'end') {
      return (JSON.parse(data) as { reason: string }).reason;
    }
    return undefined;
  }

  private tell({ type, user_group: group }: Change): void {
    if (group) this.listener.forget(group.team_id);
    else if (type.startsWith('api_token.')) this.doubtedUntil = performance.now() + DOUBT_MS;
    else this.listener.forgetAll();
  }

  /** Forgets everything, as at the start. */
  private startOver(): void {
    this.toldUntil = undefined;
    this.lastEventId = '';
    this.listener.forgetAll();
  }

  private waitToRetry(): Promise<void> {
    const longest = Math.min(MAX_RETRY_MS, RETRY_MS * 2 ** this.failures++);
    const { signal } = this.closing;
    return new Promise((resolve) => {
      if (signal.aborted) {
        resolve();
        return;
      }
      const done = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        resolve();
      };
      // The share is random, so that clients do not come all at once.
      const timer = setTimeout(done, longest * (0.5 + Math.random() / 2));
      signal.addEventListener('abort', done);
    });
  }
}

function plus({ monotonic, wall }: Moment, ms: number): Moment {
  return { monotonic: monotonic + ms, wall: wall + ms };
}
