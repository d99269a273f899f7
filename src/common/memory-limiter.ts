import { LRUCache } from 'lru-cache';
import {
  type IRateLimiterOptions,
  RateLimiterMemory,
  type RateLimiterRes,
} from 'rate-limiter-flexible';

/** What each key costs is kept for a minute; of these many keys at most, so that addresses cannot fill the memory. */
const MAX_KEYS = 10_000;

/** Counts in this process; of more keys than it can keep those are forgotten that were idle longest. */
export class MemoryLimiter extends RateLimiterMemory {
  private readonly keys: LRUCache<string, true>;

  constructor(options: IRateLimiterOptions) {
    super(options);
    this.keys = new LRUCache({
      max: MAX_KEYS,
      dispose: (_kept, key, reason) => {
        // Nothing is waited for: the count and its timer are gone when this returns.
        if (reason === 'evict') void this.delete(key);
      },
    });
  }

  override consume(key: string | number, points?: number): Promise<RateLimiterRes> {
    this.keys.set(String(key), true);
    return super.consume(key, points);
  }
}
