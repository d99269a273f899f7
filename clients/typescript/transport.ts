import { ApiError, errorOf, foreign, objectIn } from './api-error.js';
import { type Connection, type ConnectionOptions, connectionOf } from './connection.js';
import { Deadline } from './deadline.js';
import { readMessages, type StreamMessage } from './event-stream.js';
import { type Page, Pages } from './pages.js';
import { type Line, readLines, writeLines } from './lines.js';

/** A request takes the service 30 seconds at most, and a list of events can wait for as long. */
const TIMEOUT_MS = 60_000;
/** An import pauses for up to a minute while a rate limit is used up. */
const LINES_SILENCE_MS = 120_000;
/** The service sends a message four times a second. */
const EVENTS_SILENCE_MS = 10_000;
const MAX_RETRIES = 2;
/** A longer `Retry-After` is left to the caller. */
const MAX_RETRY_AFTER_SECONDS = 30;
const FIRST_PAUSE_MS = 500;
/** A proxy that compresses keeps pieces back. */
const UNCOMPRESSED = { 'Accept-Encoding': 'identity' };

export interface ClientOptions extends ConnectionOptions {
  /** The milliseconds that one attempt may take, 60,000 by default; of a stream, the milliseconds of silence. */
  timeoutMs?: number;
  /** The number of times that a safe request is repeated, 2 by default. */
  maxRetries?: number;
}

/** Options that every call takes. */
export interface CallOptions {
  /** Ends the call; the call throws its reason. */
  signal?: AbortSignal;
  /** Used in place of the client's. */
  timeoutMs?: number;
  /** Used in place of the client's. */
  maxRetries?: number;
}

/** The status and the headers of a response. */
export interface ResponseInfo {
  status: number;
  headers: Headers;
  /** The state of the resource, for `ifMatch`; undefined if the response has none. */
  etag: string | undefined;
  /** Finds the request in the log of the service. */
  requestId: string | undefined;
}

/** One call of an operation. */
export interface Call {
  method: string;
  /** With the names of `ids` in braces. */
  path: string;
  ids?: Record<string, string | number>;
  query?: object;
  headers?: Record<string, string | undefined>;
  body?: object;
  lines?: Iterable<object> | AsyncIterable<object>;
  mediaType?: string;
  /** Whether the operation is called without the API token. */
  isPublic?: boolean;
  /** Whether it changes nothing, although its method says otherwise. */
  isSafe?: boolean;
  /** Whether the service performs it once for each `Idempotency-Key`. */
  takesKey?: boolean;
  options?: CallOptions;
}

const responses = new WeakMap<object, ResponseInfo>();

/**
 * Returns the status and the headers of the response that an object came with, such as its `etag`.
 * @throws TypeError for an object that no method of the client has returned
 */
export function responseOf(body: object): ResponseInfo {
  const info = responses.get(body);
  if (!info) throw new TypeError('this object is not the body of a response');
  return info;
}

/** Sends requests, and repeats those that are safe to repeat. */
export class Transport {
  readonly #connection: Connection;
  readonly #options: ClientOptions;

  constructor(options: ClientOptions) {
    this.#connection = connectionOf(options);
    this.#options = options;
  }

  /** Returns the body of the response; undefined if the response has none. */
  async json<T>(call: Call): Promise<T> {
    const body = await this.#repeat(call, (prepared) => this.#readJson(prepared));
    return body as T;
  }

  pages<P extends Page, T>(
    call: Call,
    name: keyof P,
    parameter: 'cursor' | 'after' = 'cursor',
  ): Pages<P, T> {
    const query = call.query as { wait?: number; cursor?: string; after?: string };
    const load = (position?: string) =>
      this.json<P>({
        ...call,
        query: { ...query, ...(position !== undefined && { [parameter]: position }) },
      });
    return new Pages<P, T>(
      load,
      (page) => page[name] as T[],
      parameter === 'after' && (query.wait ?? 0) > 0,
    );
  }

  /** Yields the lines of the response; the lines of the request are sent as they come. */
  async *lines<T extends Line>(call: Call): AsyncGenerator<T, void> {
    const { response, deadline } = await this.#open(
      { ...call, headers: UNCOMPRESSED },
      LINES_SILENCE_MS,
    );
    try {
      yield* readLines<T>(response.body!, deadline);
    } catch (error) {
      throw deadline.errorOf(error);
    } finally {
      deadline.cancel();
    }
  }

  /** Yields the messages of one stream of events, until it ends. */
  async *events(call: Call): AsyncGenerator<StreamMessage, void> {
    const headers = { ...UNCOMPRESSED, Accept: 'text/event-stream', ...call.headers };
    const { response, deadline } = await this.#open({ ...call, headers }, EVENTS_SILENCE_MS);
    try {
      const messages = readMessages(
        response.body!,
        deadline.signal,
        call.headers?.['Last-Event-ID'],
      );
      for await (const message of messages) {
        deadline.stop();
        yield message;
        deadline.restart();
      }
    } catch (error) {
      throw deadline.errorOf(error);
    } finally {
      deadline.cancel();
    }
  }

  async #readJson(call: Call): Promise<object | undefined> {
    const deadline = this.#deadlineOf(call);
    const request = this.#requestOf(call, deadline);
    deadline.restart();
    try {
      const response = await this.#send(request);
      const text = await response.text();
      const { status, headers } = response;
      if (status === 204 || status === 304) return undefined;
      const body = objectIn(text);
      if (!body) throw new ApiError(status, foreign(headers, text));
      const [etag, requestId] = [
        headers.get('ETag') ?? undefined,
        headers.get('X-Request-Id') ?? undefined,
      ];
      responses.set(body, { status, headers, etag, requestId });
      return body;
    } catch (error) {
      throw deadline.errorOf(error);
    } finally {
      deadline.end();
    }
  }

  async #open(call: Call, silenceMs: number): Promise<{ response: Response; deadline: Deadline }> {
    return this.#repeat(call, async (prepared) => {
      const deadline = this.#deadlineOf(prepared, silenceMs);
      const request = this.#requestOf(prepared, deadline);
      deadline.restart();
      try {
        return { response: await this.#send(request), deadline };
      } catch (error) {
        deadline.end();
        throw deadline.errorOf(error);
      }
    });
  }

  #deadlineOf({ options }: Call, silenceMs = TIMEOUT_MS): Deadline {
    options?.signal?.throwIfAborted();
    return new Deadline(
      options?.timeoutMs ?? this.#options.timeoutMs ?? silenceMs,
      this.#connection.baseUrl,
      options?.signal,
    );
  }

  /** Runs attempts of the call until one succeeds, or its error is final. */
  async #repeat<T>(call: Call, attempt: (call: Call) => Promise<T>): Promise<T> {
    const retries = call.options?.maxRetries ?? this.#options.maxRetries ?? MAX_RETRIES;
    const prepared = call.takesKey && retries > 0 ? withKey(call) : call;
    for (let count = 0; ; count++) {
      try {
        return await attempt(prepared);
      } catch (error) {
        const pauseMs =
          count < retries && mayRepeat(prepared) ? pauseAfter(error, count) : undefined;
        if (pauseMs === undefined) throw error;
        await pause(pauseMs, call.options?.signal);
      }
    }
  }

  /** @throws RangeError, TypeError for an argument that cannot be sent */
  #requestOf(call: Call, deadline: Deadline): Request {
    const { baseUrl, authorization, userAgent } = this.#connection;
    const headers = new Headers({ 'User-Agent': userAgent });
    if (!call.isPublic) headers.set('Authorization', authorization);
    for (const [name, value] of Object.entries(call.headers ?? {})) {
      if (value !== undefined) headers.set(name, value);
    }
    const url = baseUrl + pathOf(call);
    // A redirect is returned as it is: an API token must not follow one.
    const init: RequestInit = {
      method: call.method,
      headers,
      redirect: 'manual',
      signal: deadline.signal,
    };
    const { body, lines } = call;
    if (!body && !lines) return new Request(url, init);
    headers.set('Content-Type', call.mediaType ?? 'application/json');
    if (lines) {
      return new Request(url, { ...init, body: writeLines(lines, deadline), duplex: 'half' });
    }
    // `fetch` refuses a GET with a body; the service accepts the same call as a POST that says so.
    if (call.method === 'GET') headers.set('X-HTTP-Method-Override', 'GET');
    const method = call.method === 'GET' ? 'POST' : call.method;
    return new Request(url, { ...init, method, body: JSON.stringify(body) });
  }

  /** Returns a response that is a success. */
  async #send(request: Request): Promise<Response> {
    const response = await this.#connection.fetch(request);
    if (response.ok || response.status === 304) return response;
    throw errorOf(response, await response.text());
  }
}

function pathOf({ path, ids = {}, query = {} }: Call): string {
  const named = path.replace(/\{(\w+)\}/g, (_all, name: string) => segment(String(ids[name])));
  const parameters = Object.entries(query as Record<string, string | number | boolean | undefined>);
  const search = new URLSearchParams();
  for (const [name, value] of parameters) if (value !== undefined) search.set(name, String(value));
  return search.size > 0 ? `${named}?${search.toString()}` : named;
}

/**
 * `fetch` resolves `.` and `..`, and so do proxies that decode a path: the path would name another group.
 * @throws RangeError
 */
function segment(id: string): string {
  if (id !== '' && !/(?:^|[/\\])\.{1,2}(?:[/\\]|$)/.test(id)) return encodeURIComponent(id);
  throw new RangeError(`no path can name the id ${JSON.stringify(id)}`);
}

function withKey(call: Call): Call {
  const key = call.headers?.['Idempotency-Key'] ?? crypto.randomUUID();
  return { ...call, headers: { ...call.headers, 'Idempotency-Key': key } };
}

/** Whether a second attempt does no harm if the service has performed the first. */
function mayRepeat({ method, headers, isSafe, lines }: Call): boolean {
  if (lines) return false;
  if (isSafe || method === 'GET' || method === 'PUT' || method === 'DELETE') return true;
  return (
    headers?.['Idempotency-Key'] !== undefined ||
    (method === 'PATCH' && headers?.['If-Match'] !== undefined)
  );
}

/** Returns the milliseconds to wait before another attempt; undefined if the error is final. */
function pauseAfter(error: unknown, count: number): number | undefined {
  if (!(error instanceof ApiError)) return undefined;
  const { status, retryAfter, cause } = error;
  const isTimeout = cause instanceof DOMException && cause.name === 'TimeoutError';
  if (status === undefined ? isTimeout : status !== 429 && status !== 503) return undefined;
  if (retryAfter !== undefined) {
    return retryAfter > MAX_RETRY_AFTER_SECONDS ? undefined : retryAfter * 1000;
  }
  return FIRST_PAUSE_MS * 2 ** count * (0.5 + Math.random() / 2);
}

/** @throws the reason of the signal as soon as it is aborted */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  await new Promise<void>((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    if (signal?.aborted) done();
    signal?.addEventListener('abort', done);
  });
  signal?.throwIfAborted();
}
