import type { KeyCount, RateCounter, RateLimitStore } from './rate-limit-store.ts';

export const WINDOW_SECONDS = 60;

export interface Policy {
  /** Its name in the `RateLimit` fields and in the store. */
  name: string;
  /** Calls of one key that are allowed in a minute; 0 for any number. */
  perMinute: number;
  /** The message for callers beyond the limit. */
  message: string;
}

/** The state of a key after a call was counted. */
export interface Count extends KeyCount {
  policy: Policy;
}

/** Counts calls by key, by one policy. */
export class Limiter {
  private readonly counter: RateCounter | undefined;

  constructor(
    private readonly policy: Policy,
    store: RateLimitStore,
  ) {
    const { name, perMinute: points } = policy;
    if (points === 0) return;
    this.counter = store.counterOf({ name, points, windowSeconds: WINDOW_SECONDS });
  }

  /** Whether there is a limit. */
  get isLimiting(): boolean {
    return this.counter !== undefined;
  }

  /** Counts `points` calls of `key`, also those beyond the limit; undefined if there is no limit. */
  async count(key: string | number, points = 1): Promise<Count | undefined> {
    if (!this.counter) return undefined;
    return { policy: this.policy, ...(await this.counter.count(String(key), points)) };
  }

  /** Undoes a `count`. */
  async takeBack(key: string | number, points: number): Promise<void> {
    await this.counter?.takeBack(String(key), points);
  }
}
