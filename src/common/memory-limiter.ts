import { LRUCache } from 'lru-cache';
import type { IRateLimiterOptions, RateLimiterRes } from 'rate-limiter-flexible';
import RateLimiterMemory from 'rate-limiter-flexible/lib/RateLimiterMemory.js';

/** The most keys that are kept, each for a minute, so that addresses cannot fill the memory. */
const MAX_KEYS = 10_000;

/** Counts in this process; beyond `MAX_KEYS` it evicts the least recently used key. */
export class MemoryLimiter extends RateLimiterMemory {
  private readonly keys: LRUCache<string, true>;

  constructor(options: IRateLimiterOptions) {
    super(options);
    this.keys = new LRUCache({
      max: MAX_KEYS,
      dispose: (_kept, key, reason) => {
        // Not awaited: the count and its timer are gone when this returns.
        if (reason === 'evict') void this.delete(key);
      },
    });
  }

  override consume(key: string | number, points?: number): Promise<RateLimiterRes> {
    this.keys.set(String(key), true);
    return super.consume(key, points);
  }
}
