import { Injectable } from '@nestjs/common';
import { createHash } from 'node:crypto';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import {
  type Bucket,
  statesOf,
  type Taken,
  TokenBuckets,
} from '../../platform/common/concurrency/token-buckets.ts';
import { Config } from '../../platform/config/config.ts';
import { RateLimitStore } from './rate-limit-store.ts';
import { Redis } from './redis.ts';

/**
 * Does in Redis what `TokenBuckets` does, by the clock of Redis, which all processes share: see
 * https://brandur.org/rate-limiting and https://github.com/rwz/redis-gcra. Times count from 2025, because a double has
 * too few digits for the microseconds since 1970. A key expires when its bucket is full. A bucket that would be full
 * later than in a minute is from a time before the clock was set back, and is full.
 */
const SCRIPT = `
local time = redis.call('TIME')
local now = (time[1] - 1735689600) * 1000 + time[2] / 1000
local granted = tonumber(ARGV[1])
local resets = {}
for n, key in ipairs(KEYS) do
  local full = tonumber(redis.call('GET', key) or now)
  resets[n] = math.max(full - now, 0)
  if resets[n] > 60000 then resets[n] = 0 end
  local usable = math.floor((60000 - resets[n]) * ARGV[2 * n] / 60000 + 0.001) - ARGV[2 * n + 1]
  granted = math.max(0, math.min(granted, usable))
end
for n, key in ipairs(KEYS) do
  resets[n] = resets[n] + granted * 60000 / ARGV[2 * n]
  if granted > 0 then
    redis.call('SET', key, string.format('%.17g', now + resets[n]), 'PX', math.ceil(resets[n]))
  end
  resets[n] = string.format('%.17g', resets[n])
end
return { granted, unpack(resets) }
`;

/**
 * Counts in this process or, with a Redis, for all processes of the installation. While Redis is down each process
 * counts for itself.
 */
@Injectable()
export class StandardRateLimitStore extends RateLimitStore {
  private readonly own = new TokenBuckets();
  private readonly prefix: string;

  constructor(
    config: Config,
    private readonly redis: Redis,
  ) {
    super();
    this.prefix = `user-group-service:${installationOf(config)}:`;
  }

  async take(buckets: readonly Bucket[], wanted: number): Promise<Taken> {
    if (this.redis.isConfigured) {
      try {
        return await this.takeFromRedis(buckets, wanted);
      } catch {
        // Redis has logged that it is down.
      }
    }
    return this.own.take(buckets, wanted);
  }

  private async takeFromRedis(buckets: readonly Bucket[], wanted: number): Promise<Taken> {
    const keys = buckets.map(({ key }) => this.prefix + key);
    const numbers = [wanted, ...buckets.flatMap(({ perMinute, reserve }) => [perMinute, reserve])];
    const reply = await this.redis.eval(SCRIPT, { keys, arguments: numbers.map(String) });
    const [granted, ...resets] = (reply as (number | string)[]).map(Number);
    return { granted: granted!, states: statesOf(buckets, resets) };
  }
}

/**
 * Names the installation: ids of API tokens are unique in one database only, and several installations may share a
 * Redis.
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
