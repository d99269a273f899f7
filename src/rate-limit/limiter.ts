import type { Response } from 'express';
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from 'rate-limiter-flexible';
import { RateLimited } from '../common/errors';
import type { Config } from '../config/config';
import type { Redis } from './redis';

const WINDOW_SECONDS = 60;

export interface Policy {
  /** Its name in the `RateLimit` fields and in Redis. */
  name: string;
  /** How many calls of one key are allowed in a minute; 0 for any number. */
  perMinute: number;
  /** What a caller reads who has made more. */
  refusal: string;
}

/**
 * Counts calls by key: in this process, or for all processes of the installation if there is a
 * Redis. While that is away each process counts for itself.
 */
export class Limiter {
  private readonly counter: RateLimiterMemory | RateLimiterRedis | undefined;

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
    const memory = new RateLimiterMemory(options);
    this.counter = redis.isConfigured
      ? new RateLimiterRedis({
          ...options,
          storeClient: redis,
          useRedisPackage: true,
          insuranceLimiter: memory,
        })
      : memory;
  }

  /**
   * Counts one call of `key`, and tells in the `RateLimit` fields of the answer
   * (draft-ietf-httpapi-ratelimit-headers) how many are left.
   * @throws RateLimited if none was left
   */
  async count(key: string | number, response: Response): Promise<void> {
    if (!this.counter) return;
    const { name, perMinute, refusal } = this.policy;
    const { allowed, left } = await consume(this.counter, key);
    const resetSeconds = Math.max(1, Math.ceil(left.msBeforeNext / 1000));
    response.setHeader('RateLimit-Policy', `"${name}";q=${perMinute};w=${WINDOW_SECONDS}`);
    response.setHeader('RateLimit', `"${name}";r=${left.remainingPoints};t=${resetSeconds}`);
    if (!allowed) throw new RateLimited(refusal, resetSeconds);
  }
}

/** The library rejects with its result when nothing is left. */
async function consume(counter: RateLimiterMemory | RateLimiterRedis, key: string | number) {
  try {
    return { allowed: true, left: await counter.consume(key) };
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return { allowed: false, left: refusal };
    throw refusal;
  }
}

/** Ids of API tokens are those of a database, so installations that share a Redis are told apart by theirs. */
function installationOf({ databaseUrl, dataDir }: Config): string {
  const database =
    databaseUrl === undefined ? `${hostname()}:${resolve(dataDir)}` : placeOf(new URL(databaseUrl));
  return createHash('sha256').update(database).digest('base64url').slice(0, 12);
}

function placeOf({ hostname: host, port, pathname }: URL): string {
  return `${host}:${port || '5432'}${pathname}`;
}
