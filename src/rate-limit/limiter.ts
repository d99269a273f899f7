import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import RateLimiterRedis from 'rate-limiter-flexible/lib/RateLimiterRedis.js';
import RateLimiterRes from 'rate-limiter-flexible/lib/RateLimiterRes.js';
import { MemoryLimiter } from '../common/memory-limiter';
import type { Config } from '../config/config';
import type { Redis } from './redis';

export const WINDOW_SECONDS = 60;

export interface Policy {
  /** Its name in the `RateLimit` fields and in Redis. */
  name: string;
  /** Calls of one key that are allowed in a minute; 0 for any number. */
  perMinute: number;
  /** The message for callers beyond the limit. */
  message: string;
}

/** The state of a key after a call was counted. */
export interface Count {
  policy: Policy;
  consumed: number;
  /** Milliseconds until the count begins anew. */
  resetMs: number;
}

/**
 * Counts calls by key: in this process or, with a Redis, for all processes of the installation.
 * While Redis is away each process counts for itself.
 */
export class Limiter {
  private readonly counter: MemoryLimiter | RateLimiterRedis | undefined;

  constructor(
    private readonly policy: Policy,
    config: Config,
    redis: Redis,
  ) {
    const { name, perMinute } = policy;
    if (perMinute === 0) return;
    const options = {
      points: perMinute,
      duration: WINDOW_SECONDS,
      keyPrefix: `user-group-service:${installationOf(config)}:${name}`,
    };
    const memory = new MemoryLimiter(options);
    this.counter = redis.isConfigured
      ? new RateLimiterRedis({
          ...options,
          storeClient: redis,
          useRedisPackage: true,
          insuranceLimiter: memory,
        })
      : memory;
  }

  /** Whether there is a limit. */
  get isLimiting(): boolean {
    return this.counter !== undefined;
  }

  /** Counts `points` calls of `key`, also those beyond the limit; undefined if there is no limit. */
  async count(key: string | number, points = 1): Promise<Count | undefined> {
    if (!this.counter) return undefined;
    const { consumedPoints, msBeforeNext } = await consume(this.counter, key, points);
    return { policy: this.policy, consumed: consumedPoints, resetMs: msBeforeNext };
  }

  /** Undoes a `count`. */
  async takeBack(key: string | number, points: number): Promise<void> {
    await this.counter?.reward(key, points);
  }
}

/** The library rejects with its result when nothing is left. */
async function consume(
  counter: MemoryLimiter | RateLimiterRedis,
  key: string | number,
  points: number,
): Promise<RateLimiterRes> {
  try {
    return await counter.consume(key, points);
  } catch (error) {
    if (error instanceof RateLimiterRes) return error;
    throw error;
  }
}

/**
 * Names the installation: ids of API tokens are unique in one database only, and several
 * installations may share a Redis.
 */
function installationOf({ databaseUrl, dataDir }: Config): string {
  const database =
    databaseUrl === undefined ? `${hostname()}:${resolve(dataDir)}` : placeOf(new URL(databaseUrl));
  return createHash('sha256').update(database).digest('base64url').slice(0, 12);
}

function placeOf({ hostname: host, port, pathname }: URL): string {
  return `${host}:${port || '5432'}${pathname}`;
}
