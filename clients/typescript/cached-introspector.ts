import { ApiError, errorOf, foreign, objectIn } from './api-error.js';
import { ChangeStream } from './change-stream.js';
import { isWithin, type Moment, now } from './clocks.js';
import { type Connection, type ConnectionOptions, connectionOf } from './connection.js';
import { Deadline } from './deadline.js';
import type { Schemas } from './schemas.js';
import { ViewReporter } from './view-reporter.js';

/** A response that took longer could be outdated by as much. */
export const INTROSPECTION_LIMIT = { ms: 1000 };
const MAX_ENTRIES = 10_000;
/** No event names a token that was unknown. A second is promised; the rest is for the network. */
const INACTIVE_MS = 750;
/** The longest `Retry-After` of the service; a proxy may send a longer one. */
const MAX_PAUSE_MS = 60_000;
/** No token is longer; a made-up one would fill the memory. */
const MAX_KEY_LENGTH = 8192;

/** The meaning of a token. It cannot be changed, since other callers get the same object. */
export type Introspection = Readonly<Schemas['IntrospectionResponse']>;

export interface CachedIntrospectorOptions extends ConnectionOptions {
  /** The largest number of results that are kept, 10,000 by default. Beyond it the results that were unused for longest go. */
  maxEntries?: number;
  /**
   * The time in milliseconds after the last news of the service, for which an active token stays active while the
   * service cannot be reached, or responds with 502, 503 or 504. The default is 0: then such a call throws. A token that
   * is ended meanwhile is accepted for this time.
   */
  staleIfUnavailableMs?: number;
  /** Gets the reason why there is no event stream. Without a stream every call asks the service. */
  onStreamError?: (error: unknown) => void;
  /**
   * Whether each call that finds an active token counts as a view of its group and user, and is reported to the service,
   * once a minute and by `close`. The default is false.
   */
  reportViews?: boolean;
  /** Gets the reason why views could not be reported. They are sent again, unless the service refuses them. */
  onReportError?: (error: unknown) => void;
}

interface Entry {
  introspection: Introspection;
  teamId: number;
  /** The end by the service's clock, in milliseconds since 1970; undefined if there is none. */
  endsAt: number | undefined;
  /** Whether it was used since it was last considered for removal. */
  isUsed: boolean;
  askedAt: Moment;
  /** Whether the stream tells of later changes; otherwise it serves only while the service is away. */
  isFollowed: boolean;
}

interface Inactive {
  introspection: Introspection;
  askedAt: Moment;
}

/** A request whose result is to be kept. */
interface Filling {
  /** The groups that have changed since it was sent. */
  changed: Set<number>;
  /** Whether anything may have changed since. */
  isStale: boolean;
}

/**
 * Introspects tokens. It returns from memory what it has asked for before, as long as the event stream of the service
 * says that nothing has changed; an inactive token is remembered for less than a second. No result is more than a second
 * behind a change: without the stream it asks each time, and without a response it throws, unless
 * `staleIfUnavailableMs` says otherwise. The API token needs the scopes `tokens:introspect` and `events:read`.
 */
export class CachedIntrospector {
  /** The numbers of results that came from memory and from the service. */
  readonly counts = { remembered: 0, asked: 0 };

  // Private to the engine as well, so that `util.inspect` of this object shows no token.
  readonly #connection: Connection;
  readonly #maxEntries: number;
  #staleMs: number;
  readonly #stream: ChangeStream;
  readonly #reporter: ViewReporter | undefined;
  /** The results by token and schema; the end has those that came last, or were spared last. */
  readonly #entries = new Map<string, Entry>();
  readonly #keysOf = new Map<number, Set<string>>();
  /** Inactive tokens, the oldest first: apart, so that made-up tokens cannot push out the others. */
  readonly #inactive = new Map<string, Inactive>();
  readonly #fillings = new Set<Filling>();
  /** The requests under way, for which other callers that want the same wait. */
  readonly #pending = new Map<string, Promise<Introspection>>();
  /** The 429 that all calls get until its `Retry-After` is over. */
  #refusal: { error: ApiError; until: number } | undefined;

  /** Opens the event stream at once; `close` ends it. */
  constructor({
    maxEntries,
    staleIfUnavailableMs,
    onStreamError,
    reportViews,
    onReportError,
    ...options
  }: CachedIntrospectorOptions) {
    this.#connection = connectionOf(options);
    this.#maxEntries = maxEntries ?? MAX_ENTRIES;
    this.#staleMs = staleIfUnavailableMs ?? 0;
    const listener = {
      forget: (teamId: number) => {
        this.forget(teamId);
      },
      forgetAll: () => {
        this.forgetAll();
      },
    };
    this.#stream = new ChangeStream(this.#connection, listener, onStreamError ?? (() => undefined));
    this.#reporter = reportViews
      ? new ViewReporter(this.#connection, onReportError ?? (() => undefined))
      : undefined;
  }

  /** Whether results come from memory now; while it is false every call goes to the service. */
  get isCurrent(): boolean {
    return this.#stream.isCurrent();
  }

  /**
   * Returns the meaning of the token; `active` is false if it has none, or no longer. Compare `aud` of an embed token
   * with your own name.
   * @param schemaId the only schema of the mapping to return
   * @throws ApiError, also if there is no response within a second
   */
  async introspect(token: string, schemaId?: string): Promise<Introspection> {
    const introspection = await this.find(token, schemaId);
    this.#reporter?.count(introspection);
    return introspection;
  }

  /** Sends the views that were counted so far; if they cannot be sent, they wait for the next minute. */
  async sendViews(): Promise<void> {
    await this.#reporter?.send();
  }

  private async find(token: string, schemaId?: string): Promise<Introspection> {
    const key = keyOf(token, schemaId);
    const known = this.recall(key);
    if (known) return known;
    try {
      const pending = this.#pending.get(key);
      if (pending) {
        await pending;
        // A response that was not kept is too old for a later caller.
        const learnt = this.recall(key);
        if (learnt) return learnt;
      }
      return await this.fill(key, token, schemaId);
    } catch (error) {
      const stale = this.recallStale(key, error);
      if (stale) return stale;
      throw error;
    }
  }

  /** Ends the event stream and forgets everything; later calls ask the service. The rest of the views is on its way then. */
  close(): void {
    void this.#reporter?.close();
    this.#stream.close();
    this.#staleMs = 0;
    this.forgetAll();
  }

  private recall(key: string): Introspection | undefined {
    if (!this.#stream.isCurrent()) return undefined;
    const entry = this.#entries.get(key);
    if (!entry) return this.recallInactive(key);
    if (!entry.isFollowed) return undefined;
    if (entry.endsAt !== undefined && entry.endsAt <= this.#stream.latestServerTime()) {
      this.remove(key, entry);
      return undefined;
    }
    entry.isUsed = true;
    this.counts.remembered++;
    return entry.introspection;
  }

  private recallInactive(key: string): Introspection | undefined {
    const inactive = this.#inactive.get(key);
    if (!inactive || !isWithin(INACTIVE_MS, inactive.askedAt)) return undefined;
    this.counts.remembered++;
    return inactive.introspection;
  }

  /** Returns what the token meant when there was last news of the service, if that may be used after this error. */
  private recallStale(key: string, error: unknown): Introspection | undefined {
    const entry = this.#entries.get(key);
    const knownAt = entry?.isFollowed ? this.#stream.toldUntil : entry?.askedAt;
    if (!entry || !knownAt || !isWithin(this.#staleMs, knownAt) || this.#stream.isUnsure()) {
      return undefined;
    }
    const isEnded = () =>
      !this.#stream.toldUntil || entry.endsAt! <= this.#stream.latestServerTime();
    if (!isUnavailable(error) || (entry.endsAt !== undefined && isEnded())) return undefined;
    this.counts.remembered++;
    return entry.introspection;
  }

  /** Asks for the token; while the stream is current, others that want the same wait for the result. */
  private async fill(key: string, token: string, schemaId?: string): Promise<Introspection> {
    const isFollowed = this.#stream.isCurrent();
    const filled = this.askAndKeep(key, isFollowed, token, schemaId);
    if (!isFollowed) return filled;
    this.#pending.set(key, filled);
    try {
      return await filled;
    } finally {
      if (this.#pending.get(key) === filled) this.#pending.delete(key);
    }
  }

  private async askAndKeep(
    key: string,
    isFollowed: boolean,
    token: string,
    schemaId?: string,
  ): Promise<Introspection> {
    const filling: Filling = { changed: new Set(), isStale: false };
    this.#fillings.add(filling);
    const askedAt = now();
    try {
      const introspection = await this.ask(token, schemaId);
      const { active, team_id: teamId, exp } = introspection;
      const known = this.#entries.get(key) ?? this.#inactive.get(key);
      // A later request may have got its response first.
      if (known && known.askedAt.monotonic > askedAt.monotonic) return introspection;
      if (!active || teamId === undefined) {
        this.keepInactive(key, { introspection, askedAt });
      } else if (
        (isFollowed || this.#staleMs > 0) &&
        !filling.isStale &&
        !filling.changed.has(teamId)
      ) {
        const endsAt = exp === undefined ? undefined : exp * 1000;
        this.keep(key, { introspection, teamId, endsAt, isUsed: false, askedAt, isFollowed });
      }
      return introspection;
    } finally {
      this.#fillings.delete(filling);
    }
  }

  /** Bypasses all caches: a result is as new as its request. */
  private async ask(token: string, schemaId?: string): Promise<Introspection> {
    if (this.#refusal && performance.now() < this.#refusal.until) throw this.#refusal.error;
    this.counts.asked++;
    const { baseUrl, authorization, userAgent, fetch } = this.#connection;
    const sentAt = now();
    const deadline = new Deadline(INTROSPECTION_LIMIT.ms, baseUrl);
    deadline.restart();
    try {
      const request = new Request(`${baseUrl}/api/v1/introspect`, {
        method: 'POST',
        headers: {
          Authorization: authorization,
          'Cache-Control': 'no-cache',
          'Content-Type': 'application/json',
          'User-Agent': userAgent,
        },
        body: JSON.stringify({ token, schema_id: schemaId }),
        redirect: 'manual',
        signal: deadline.signal,
      });
      const response = await fetch(request);
      const text = await response.text();
      if (!response.ok) throw this.noteRefusal(errorOf(response, text));
      const body = objectIn(text);
      // An `active` that is no boolean is a response of something else, and no result.
      if (typeof body?.['active'] !== 'boolean') {
        throw new ApiError(response.status, foreign(response.headers, text));
      }
      // The timer may be late: this process can have been held up as well.
      if (!isWithin(INTROSPECTION_LIMIT.ms, sentAt)) {
        throw new ApiError(undefined, 'the response took longer than a second');
      }
      return frozen(body as Schemas['IntrospectionResponse']);
    } catch (error) {
      throw deadline.errorOf(error);
    } finally {
      deadline.end();
    }
  }

  private noteRefusal(error: ApiError): ApiError {
    const pauseMs = Math.min((error.retryAfter ?? 0) * 1000, MAX_PAUSE_MS);
    if (error.status === 429) this.#refusal = { error, until: performance.now() + pauseMs };
    if (error.status === 401 || error.status === 403) this.forgetAll();
    return error;
  }

  private keepInactive(key: string, inactive: Inactive): void {
    const known = this.#entries.get(key);
    if (known) this.remove(key, known);
    this.#inactive.delete(key);
    for (const [oldest, { askedAt }] of this.#inactive) {
      if (this.#inactive.size < this.#maxEntries && isWithin(INACTIVE_MS, askedAt)) break;
      this.#inactive.delete(oldest);
    }
    if (key.length <= MAX_KEY_LENGTH) this.#inactive.set(key, inactive);
  }

  private keep(key: string, entry: Entry): void {
    const known = this.#entries.get(key);
    if (known) this.remove(key, known);
    this.#inactive.delete(key);
    if (this.#entries.size >= this.#maxEntries) this.removeUnused();
    this.#entries.set(key, entry);
    const keys = this.#keysOf.get(entry.teamId);
    if (keys) keys.add(key);
    else this.#keysOf.set(entry.teamId, new Set([key]));
  }

  /** The oldest that has not been used since it was last spared: moving each at every use would cost more. */
  private removeUnused(): void {
    for (const [key, entry] of this.#entries) {
      if (!entry.isUsed) {
        this.remove(key, entry);
        return;
      }
      entry.isUsed = false;
      this.#entries.delete(key);
      this.#entries.set(key, entry);
    }
  }

  private remove(key: string, { teamId }: Entry): void {
    this.#entries.delete(key);
    const keys = this.#keysOf.get(teamId);
    keys?.delete(key);
    if (keys?.size === 0) this.#keysOf.delete(teamId);
  }

  private forget(teamId: number): void {
    for (const key of this.#keysOf.get(teamId) ?? []) this.#entries.delete(key);
    this.#keysOf.delete(teamId);
    for (const { changed } of this.#fillings) changed.add(teamId);
  }

  private forgetAll(): void {
    this.#entries.clear();
    this.#keysOf.clear();
    this.#inactive.clear();
    for (const filling of this.#fillings) filling.isStale = true;
  }
}

/** Whether nobody has judged the token: the service cannot be reached, or something in front of it says so. */
function isUnavailable(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false;
  return error.status === undefined || [502, 503, 504].includes(error.status);
}

/** The length tells where the schema ends, whatever the token is. */
function keyOf(token: string, schemaId: string | undefined): string {
  return schemaId === undefined ? `:${token}` : `${schemaId.length}:${schemaId}${token}`;
}

function frozen<T extends object>(value: T): Readonly<T> {
  for (const inner of Object.values(value)) if (isObject(inner)) frozen(inner);
  return Object.freeze(value);
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
