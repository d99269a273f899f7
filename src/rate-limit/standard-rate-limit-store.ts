import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js';
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js';
import { MemoryLimiter } from '../common/memory-limiter.ts';
import type { Config } from '../config/config.ts';
import {
  type CountedLimit,
  type KeyCount,
  type RateCounter,
  RateLimitStore,
} from './rate-limit-store.ts';
import type { Redis } from './redis.ts';

/**
 * Counts in this process or, with a Redis, for all processes of the installation. While Redis is away each
 * process counts for itself.
 */
export class StandardRateLimitStore extends RateLimitStore {
  constructor(
    private readonly config: Config,
    private readonly redis: Redis,
  ) {
    super();
  }

  counterOf({ name, points, windowSeconds: duration }: CountedLimit): RateCounter {
    const keyPrefix = `user-group-service:${installationOf(this.config)}:${name}`;
    const options = { points, duration, keyPrefix };
    const memory = new MemoryLimiter(options);
    if (!this.redis.isConfigured) return new LibraryCounter(memory);
    const storeClient = this.redis;
    return new LibraryCounter(
      new RateLimiterRedis({
        ...options,
        storeClient,
        useRedisPackage: true,
        insuranceLimiter: memory,
      }),
    );
  }
}

class LibraryCounter implements RateCounter {
  constructor(private readonly limiter: MemoryLimiter | RateLimiterRedis) {}

  async count(key: string, points: number): Promise<KeyCount> {
    const { consumedPoints: consumed, msBeforeNext: resetMs } = await this.consume(key, points);
    return { consumed, resetMs };
  }

  async takeBack(key: string, points: number): Promise<void> {
    await this.limiter.reward(key, points);
  }

  /** The library rejects with its result when nothing is left. */
  private async consume(key: string, points: number): Promise<RateLimiterRes> {
    try {
      return await this.limiter.consume(key, points);
    } catch (error) {
      if (error instanceof RateLimiterRes) return error;
      throw error;
    }
  }
}

/**
 * Names the installation: ids of API tokens are unique in one database only, and several
 * installations may share a Redis.
 */
function installationOf({ databaseUrl, databaseSchema = '', dataDir }: Config): string {
  const database =
    databaseUrl === undefined
      ? `${hostname()}:${resolve(dataDir)}`
      : placeOf(new URL(databaseUrl)) + databaseSchema;
  return createHash('sha256').update(database).digest('base64url').slice(0, 12);
}

function placeOf({ hostname: host, port, pathname }: URL): string {
  return `${host}:${port || '5432'}${pathname}`;
}
