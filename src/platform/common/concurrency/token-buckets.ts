import { LRUCache } from 'lru-cache';

const MINUTE_MS = 60_000;

/** Buckets are full again within a minute; the bound of each limit keeps addresses from filling the memory. */
const MAX_BUCKETS = 10_000;
/** Part of a token by which times are rounded, so that a token is available when `RateLimit` said. */
const ROUNDING = 0.001;

/** A bucket of tokens, one for each call, that refills continuously. */
export interface Bucket {
  /** `<name of the limit>:<whose>`, the same in every process and version. */
  key: string;
  /** Tokens of a full bucket, and tokens that it gains in a minute. */
  perMinute: number;
  /** Tokens that this caller leaves to others. */
  reserve: number;
}

/** A bucket after tokens were taken. */
export interface BucketState {
  /** Tokens that are left, the reserve included. */
  remaining: number;
  /** Milliseconds until the bucket is full. */
  resetMs: number;
  /** Milliseconds until this caller can take a token; 0 if it can now. */
  retryMs: number;
}

/** The tokens that one call has taken. */
export interface Taken {
  /** Tokens that were taken from each of the buckets. */
  granted: number;
  /** The state of each bucket, in their order. */
  states: BucketState[];
}

/**
 * Keeps buckets in this process. Beyond `MAX_BUCKETS` of a limit it evicts the least recently used one of this limit,
 * which is then full: strangers, who have a limit of their own, evict none of an API token.
 */
export class TokenBuckets {
  /** When each bucket will be full: the theoretical arrival time of the Generic Cell Rate Algorithm (ITU-T I.371). */
  private readonly fullAt = new Map<string, LRUCache<string, number>>();

  /** Takes as many of the `wanted` tokens as every bucket has, from each of them. */
  take(buckets: readonly Bucket[], wanted: number): Taken {
    const now = this.now();
    const resetMs = buckets.map(({ key }) =>
      Math.max((this.cacheOf(key).get(key) ?? now) - now, 0),
    );
    const granted = Math.max(
      0,
      Math.min(wanted, ...buckets.map((bucket, n) => usableOf(bucket, resetMs[n]!))),
    );
    const later = buckets.map(
      ({ perMinute }, n) => resetMs[n]! + (granted * MINUTE_MS) / perMinute,
    );
    for (const [n, { key }] of buckets.entries()) this.cacheOf(key).set(key, now + later[n]!);
    return { granted, states: statesOf(buckets, later) };
  }

  private cacheOf(key: string): LRUCache<string, number> {
    const limit = key.slice(0, Math.max(0, key.indexOf(':')));
    let cache = this.fullAt.get(limit);
    if (!cache) {
      cache = new LRUCache({ max: MAX_BUCKETS });
      this.fullAt.set(limit, cache);
    }
    return cache;
  }

  /** The time in milliseconds, by a clock that nobody sets. */
  now(): number {
    return performance.now();
  }
}

/** Returns the states of buckets that will be full in `resetMs`. */
export function statesOf(buckets: readonly Bucket[], resetMs: readonly number[]): BucketState[] {
  return buckets.map((bucket, n) => {
    const usable = usableOf(bucket, resetMs[n]!);
    const missingMs =
      ((bucket.reserve + 1) * MINUTE_MS) / bucket.perMinute + resetMs[n]! - MINUTE_MS;
    return {
      remaining: usable + bucket.reserve,
      resetMs: resetMs[n]!,
      retryMs: usable > 0 ? 0 : missingMs,
    };
  });
}

function usableOf({ perMinute, reserve }: Bucket, resetMs: number): number {
  return Math.floor(((MINUTE_MS - resetMs) * perMinute) / MINUTE_MS + ROUNDING) - reserve;
}
