/** What is counted: one limit of the service, for each key by itself. */
export interface CountedLimit {
  /** Its name, the same in every process and version. */
  name: string;
  /** How many are allowed in one window; what is beyond is counted, too. */
  points: number;
  windowSeconds: number;
}

/** The state of a key. */
export interface KeyCount {
  /** How many were counted in its present window, those now included. */
  consumed: number;
  /** Milliseconds until its count begins anew. */
  resetMs: number;
}

/** The counts of one limit. */
export interface RateCounter {
  /** Counts `points`, also beyond the limit. It never rejects: a store that is away must refuse nobody. */
  count(key: string, points: number): Promise<KeyCount>;
  /** Undoes a `count`. */
  takeBack(key: string, points: number): Promise<void>;
}

/**
 * Where the calls of rate limits are counted. A port: an application can give its own, such as one that asks
 * the gateway in front of all its services.
 */
export abstract class RateLimitStore {
  /** Called once for each limit, when the service is created. */
  abstract counterOf(limit: CountedLimit): RateCounter;
}
