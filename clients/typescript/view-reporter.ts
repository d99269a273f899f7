import { ApiError, errorOf } from './api-error.js';
import type { Connection } from './connection.js';
import { Deadline } from './deadline.js';
import type { Schemas } from './schemas.js';

const SEND_EVERY_MS = 60_000;
const HOUR_MS = 3_600_000;
const SEND_LIMIT_MS = 10_000;
/** Groups and users that are kept until they are sent; more are sent sooner. */
const MAX_KEPT = 20_000;
/** The service takes no more of a batch, and no larger body. */
const MAX_VIEWS = 1000;
const MAX_BYTES = 240_000;
/** A character of JSON has at most this many bytes of UTF-8. */
const BYTES_OF_CHARACTER = 3;
/** Batches that wait while the service cannot be reached. */
const MAX_WAITING = 100;

type Views = Schemas['UsageViews'];

/** Counts views, and reports them once a minute. A batch that may have arrived is sent again with the same id. */
export class ViewReporter {
  readonly #views = new Map<string, Views>();
  readonly #waiting: Schemas['UsageBatchRequest'][] = [];
  #isSending = false;
  #isOff = false;
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(
    private readonly connection: Connection,
    private readonly onError: (error: unknown) => void,
  ) {
    this.#timer = setInterval(() => void this.send(), SEND_EVERY_MS);
    // Only Node has it.
    (this.#timer as { unref?: () => void }).unref?.();
  }

  /** Counts a view by the group and user of an introspection. */
  count({ active, sub, user_id }: Schemas['IntrospectionResponse']): void {
    if (this.#isOff || !active || sub === undefined) return;
    const now = Date.now();
    const key = JSON.stringify([Math.floor(now / HOUR_MS), sub, user_id]);
    const known = this.#views.get(key);
    if (known) {
      known.count++;
      return;
    }
    const views: Views = { sub, count: 1, at: new Date(now).toISOString() };
    if (user_id !== undefined) views.user_id = user_id;
    this.#views.set(key, views);
    if (this.#views.size >= MAX_KEPT) void this.send();
  }

  /** Sends what was counted, or leaves it to the call that is sending; what cannot be sent now waits for the next time. */
  async send(): Promise<void> {
    this.#setAside();
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      await this.#sendAll();
    } finally {
      this.#isSending = false;
    }
  }

  /** Counts nothing more, and sends the rest. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#isOff = true;
    await this.send();
  }

  #setAside(): void {
    let batch: Views[] = [];
    let bytes = MAX_BYTES;
    for (const views of this.#views.values()) {
      const more = JSON.stringify(views).length * BYTES_OF_CHARACTER;
      if (batch.length === MAX_VIEWS || bytes + more > MAX_BYTES) {
        batch = [];
        bytes = 0;
        this.#waiting.push({ batch_id: crypto.randomUUID(), views: batch });
      }
      batch.push(views);
      bytes += more;
    }
    this.#views.clear();
    // The first may be under way.
    const lost = this.#waiting.splice(1, Math.max(0, this.#waiting.length - MAX_WAITING));
    if (lost.length > 0) {
      this.#tell(new Error(`${lost.length} batches of views were given up: too many wait`));
    }
  }

  async #sendAll(): Promise<void> {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      try {
        await this.#post(next);
      } catch (error) {
        this.#tell(error);
        const status = error instanceof ApiError ? error.status : undefined;
        // The API token may not report: that is told once.
        if (status === 403) this.#giveUp();
        if (!isFinal(status)) return;
      }
      this.#waiting.shift();
    }
  }

  /** An error of the handler must not end the process. */
  #tell(error: unknown): void {
    try {
      this.onError(error);
    } catch {
      // It has no other place to be told.
    }
  }

  #giveUp(): void {
    this.#isOff = true;
    this.#views.clear();
    this.#waiting.length = 0;
    clearInterval(this.#timer);
  }

  async #post(batch: Schemas['UsageBatchRequest']): Promise<void> {
    const { baseUrl, authorization, userAgent, fetch } = this.connection;
    const deadline = new Deadline(SEND_LIMIT_MS, baseUrl);
    deadline.restart();
    try {
      const request = new Request(`${baseUrl}/api/v1/usage/batches`, {
        method: 'POST',
        headers: {
          Authorization: authorization,
          'Content-Type': 'application/json',
          'User-Agent': userAgent,
        },
        body: JSON.stringify(batch),
        redirect: 'manual',
        signal: deadline.signal,
      });
      const response = await fetch(request);
      const text = await response.text();
      if (!response.ok) throw errorOf(response, text);
    } catch (error) {
      throw deadline.errorOf(error);
    } finally {
      deadline.end();
    }
  }
}

/** Whether the service has judged the batch: sending it again would change nothing. */
function isFinal(status: number | undefined): boolean {
  return status !== undefined && status >= 400 && status < 500 && ![401, 408, 429].includes(status);
}
