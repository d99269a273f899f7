import type { StreamConfig } from './config-offers.ts';
import { bodyOf, contentTypeOf } from './trace.ts';
import { openWebSocket } from './web-socket.ts';

/** The most that the kit reads of one connection between two looks, in characters. */
const MAX_UNREAD = 8 * 2 ** 20;
/** A WebSocket is asked for rows no more often than this. */
const ASK_EVERY_MS = 250;

/** A connection that stays open: a response without an end, or a WebSocket. */
export class Stream {
  /** The status of the response that has opened it, or has refused it; undefined without one. */
  status: number | undefined;
  isOpen = true;
  /** Why it has ended, if the renderer has not ended it. */
  failure: string | undefined;
  readonly #token: string;
  readonly #asks: string | undefined;
  readonly #decoder = new TextDecoder();
  readonly #ending = new AbortController();
  #unread = '';
  #askedAt = -ASK_EVERY_MS;
  #socket: Awaited<ReturnType<typeof openWebSocket>>['socket'];

  private constructor(token: string, asks: string | undefined) {
    this.#token = token;
    this.#asks = asks;
  }

  /** Opens it. A refusal, or a renderer that cannot be reached, is a stream that is not open. */
  static async open(config: StreamConfig, token: string, limitMs: number): Promise<Stream> {
    const stream = new Stream(token, config.asks);
    const fill = (text: string) => stream.#fill(text);
    const url = config.url.replaceAll('{token}', encodeURIComponent(token));
    const headers = Object.fromEntries(
      Object.entries({ ...contentTypeOf(config), ...config.headers }).map(([name, value]) => [
        name,
        fill(value),
      ]),
    );
    try {
      if (url.startsWith('ws')) {
        await stream.#openSocket({ url, headers }, limitMs);
        for (const message of config.sends) stream.#socket?.send(fill(message));
      } else {
        const body = bodyOf(config);
        const { method } = config;
        await stream.#openResponse(
          url,
          { method, headers, ...(body !== undefined && { body: fill(body) }) },
          limitMs,
        );
      }
    } catch (error) {
      stream.#fail(error as Error);
    }
    return stream;
  }

  /** Asks for the rows, if they do not arrive without that, and if it is time. */
  ask(): void {
    if (this.#asks === undefined || performance.now() - this.#askedAt < ASK_EVERY_MS) return;
    this.#askedAt = performance.now();
    this.#socket?.send(this.#fill(this.#asks));
  }

  get state(): { status: number | undefined; failure?: string } {
    const { status, failure } = this;
    return { status, ...(failure !== undefined && { failure }) };
  }

  /** Returns all that has arrived since the last call. */
  take(): string {
    const text = this.#unread;
    this.#unread = '';
    if (this.#socket) this.isOpen = this.#socket.isOpen;
    return text;
  }

  close(): void {
    this.#ending.abort();
    this.#socket?.close();
  }

  #fill(text: string): string {
    return text.replaceAll('{token}', this.#token);
  }

  async #openSocket(
    target: { url: string; headers: Record<string, string> },
    limitMs: number,
  ): Promise<void> {
    const { status, socket } = await openWebSocket(target, limitMs, (bytes) => {
      this.#hear(bytes);
    });
    this.status = status;
    this.#socket = socket;
    this.isOpen = socket !== undefined;
  }

  async #openResponse(url: string, init: RequestInit, limitMs: number): Promise<void> {
    const late = setTimeout(() => {
      this.#ending.abort(new Error(`no response within ${limitMs / 1000} s`));
    }, limitMs);
    try {
      const { signal } = this.#ending;
      const response = await fetch(url, { ...init, redirect: 'manual', signal });
      this.status = response.status;
      void this.#readAll(response);
    } finally {
      clearTimeout(late);
    }
  }

  async #readAll({ body }: Response): Promise<void> {
    try {
      for await (const chunk of body ?? []) this.#hear(chunk as Uint8Array);
      this.isOpen = false;
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #hear(bytes: Uint8Array): void {
    this.#unread += this.#decoder.decode(bytes, { stream: true });
    if (this.#unread.length <= MAX_UNREAD) return;
    this.#unread = this.#unread.slice(0, MAX_UNREAD);
    this.close();
    this.#fail(new Error('more than 8 MiB at once, which the kit does not read'));
  }

  #fail({ cause, message }: Error & { cause?: unknown }): void {
    this.isOpen = false;
    this.failure ??= cause instanceof Error ? cause.message : message;
  }
}
