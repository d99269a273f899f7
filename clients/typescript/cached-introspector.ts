import { ApiError, errorOf, foreign, objectIn } from './api-error.js';
import { ChangeStream } from './change-stream.js';
import { isWithin, now } from './clocks.js';
import { type Connection, type ConnectionOptions, connectionOf } from './connection.js';
import { Deadline } from './deadline.js';
import type { Schemas } from './schemas.js';

/** An answer that took longer could be as much behind. */
const ANSWER_LIMIT_MS = 1000;
const MAX_ENTRIES = 10_000;

/** What a token means; nobody can change it, since others are given the same. */
export type Introspection = Readonly<Schemas['IntrospectionResponse']>;

export interface CachedIntrospectorOptions extends ConnectionOptions {
  /** How many answers are kept, 10,000 by default; when there are more, one goes that has not been used for long. */
  maxEntries?: number;
  /** Is told why there is no event stream: while there is none every call asks the service. */
  onStreamError?: (error: unknown) => void;
}

interface Entry {
  answer: Introspection;
  teamId: number;
  /** By the service's clock, in milliseconds since 1970; undefined if it has no end. */
  endsAt: number | undefined;
  /** Since it was last considered for removal. */
  isUsed: boolean;
}

/** A request whose answer is to be kept. */
interface Filling {
  /** The groups that have changed since it was sent. */
  changed: Set<number>;
  /** Whether anything may have changed since. */
  isStale: boolean;
}

/**
 * Introspects tokens, and answers from memory what it has asked for before, as long as the event stream
 * of the service says that nothing has changed. No answer is more than a second behind a rotation, a
 * suspension or a revocation: without the stream it asks each time, and without an answer it throws.
 * The API token needs the scopes `tokens:introspect` and `events:read`.
 */
export class CachedIntrospector {
  /** How many answers came from memory, and how many times the service was asked. */
  readonly counts = { remembered: 0, asked: 0 };

  // Private to the engine as well: whatever shows this object, as `util.inspect` does, shows no token.
  readonly #connection: Connection;
  readonly #maxEntries: number;
  readonly #stream: ChangeStream;
  /** By token and schema; those that came last, or were spared last, at the end. */
  readonly #entries = new Map<string, Entry>();
  readonly #keysOf = new Map<number, Set<string>>();
  readonly #fillings = new Set<Filling>();
  /** What others who want the same can wait for. */
  readonly #pending = new Map<string, Promise<Introspection>>();

  /** Opens the event stream at once; `close` ends it. */
  constructor({ maxEntries, onStreamError, ...options }: CachedIntrospectorOptions) {
    this.#connection = connectionOf(options);
    this.#maxEntries = maxEntries ?? MAX_ENTRIES;
    const listener = {
      forget: (teamId: number) => {
        this.forget(teamId);
      },
      forgetAll: () => {
        this.forgetAll();
      },
    };
    this.#stream = new ChangeStream(this.#connection, listener, onStreamError ?? (() => undefined));
  }

  /** Whether answers come from memory now; while it is false every call asks the service. */
  get isCurrent(): boolean {
    return this.#stream.isCurrent();
  }

  /**
   * What the token means; `active` is false if nothing, or nothing any more. Of an embed token compare
   * `aud` with your own name.
   * @param schemaId the one schema to tell about
   * @throws ApiError, also if there is no response within a second
   */
  async introspect(token: string, schemaId?: string): Promise<Introspection> {
    const key = keyOf(token, schemaId);
    const known = this.recall(key);
    if (known) return known;
    const pending = this.#pending.get(key);
    if (pending) {
      await pending;
      // What was not kept is too old for whoever came later.
      const learnt = this.recall(key);
      if (learnt) return learnt;
    }
    if (!this.#stream.isCurrent()) return this.ask(token, schemaId);
    const filled = this.fill(key, token, schemaId);
    this.#pending.set(key, filled);
    try {
      return await filled;
    } finally {
      if (this.#pending.get(key) === filled) this.#pending.delete(key);
    }
  }

  /** Ends the event stream and forgets everything; later calls ask the service. */
  close(): void {
    this.#stream.close();
    this.forgetAll();
  }

  private recall(key: string): Introspection | undefined {
    const entry = this.#stream.isCurrent() ? this.#entries.get(key) : undefined;
    if (!entry) return undefined;
    if (entry.endsAt !== undefined && entry.endsAt <= this.#stream.latestServerTime()) {
      this.remove(key, entry);
      return undefined;
    }
    entry.isUsed = true;
    this.counts.remembered++;
    return entry.answer;
  }

  private async fill(key: string, token: string, schemaId?: string): Promise<Introspection> {
    const filling: Filling = { changed: new Set(), isStale: false };
    this.#fillings.add(filling);
    try {
      const answer = await this.ask(token, schemaId);
      const { active, team_id: teamId, exp } = answer;
      if (active && teamId !== undefined && !filling.isStale && !filling.changed.has(teamId)) {
        const endsAt = exp === undefined ? undefined : exp * 1000;
        this.keep(key, { answer, teamId, endsAt, isUsed: false });
      }
      return answer;
    } finally {
      this.#fillings.delete(filling);
    }
  }

  /** Asks past all caches: an answer is as new as its request. */
  private async ask(token: string, schemaId?: string): Promise<Introspection> {
    this.counts.asked++;
    const { baseUrl, authorization, userAgent, fetch } = this.#connection;
    const sentAt = now();
    const deadline = new Deadline(ANSWER_LIMIT_MS);
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
      if (!response.ok) throw errorOf(response, text);
      const body = objectIn(text);
      if (!body) throw new ApiError(response.status, foreign(response.headers, text));
      // The timer may be late: this process can have been held up as well.
      if (!isWithin(ANSWER_LIMIT_MS, sentAt)) throw new ApiError(undefined, 'the response took longer than a second');
      return frozen(body as Schemas['IntrospectionResponse']);
    } catch (error) {
      throw deadline.errorOf(error);
    } finally {
      deadline.end();
    }
  }

  private keep(key: string, entry: Entry): void {
    const known = this.#entries.get(key);
    if (known) this.remove(key, known);
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
    for (const filling of this.#fillings) filling.isStale = true;
  }
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
