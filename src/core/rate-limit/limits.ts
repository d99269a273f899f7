import type { Response } from 'express';
import type { BucketState } from '../../platform/common/concurrency/token-buckets.ts';
import { RateLimited } from '../../platform/common/problem/errors.ts';
import type { RateLimitStore } from './rate-limit-store.ts';

const WINDOW_SECONDS = 60;

export interface CallLimit {
  /** Name in the `RateLimit` fields and in the store. */
  name: string;
  /** Calls that one key may make at once, and that it gains in a minute; 0 for no limit. */
  perMinute: number;
  message: string;
}

/** Limits for one call, each with the key that the call counts for. */
export type KeyedLimit = readonly [limit: CallLimit, key: string | number];

interface Count extends BucketState {
  limit: CallLimit;
}

export interface CountedCalls {
  /** Calls that were counted, by each limit or by none. */
  granted: number;
  counts: Count[];
}

/**
 * Counts as many of the `wanted` calls as all limits allow.
 * @param reserve the share of each limit that is left to other calls
 */
export async function countCalls(
  store: RateLimitStore,
  limits: readonly KeyedLimit[],
  { wanted = 1, reserve = 0 } = {},
): Promise<CountedCalls> {
  const active = limits.filter(([{ perMinute }]) => perMinute > 0);
  if (active.length === 0) return { granted: wanted, counts: [] };
  const buckets = active.map(([{ name, perMinute }, key]) => ({
    key: `${name}:${key}`,
    perMinute,
    reserve: Math.floor(perMinute * reserve),
  }));
  const { granted, states } = await store.take(buckets, wanted);
  return { granted, counts: active.map(([limit], n) => ({ limit, ...states[n]! })) };
}

/**
 * Reports the remaining calls of each limit in the `RateLimit` fields of the response
 * (draft-ietf-httpapi-ratelimit-headers): `r` can be called now, and after `t` seconds without a call again `q`.
 * @throws RateLimited if the call was refused
 */
export function reportCounts({ granted, counts }: CountedCalls, response: Response): void {
  if (counts.length === 0) return;
  const policies = counts.map(
    ({ limit: { name, perMinute } }) => `"${name}";q=${perMinute};w=${WINDOW_SECONDS}`,
  );
  const left = counts.map(
    ({ limit, remaining, resetMs }) => `"${limit.name}";r=${remaining};t=${secondsOf(resetMs)}`,
  );
  response.setHeader('RateLimit-Policy', policies.join(', '));
  response.setHeader('RateLimit', left.join(', '));
  if (granted > 0) return;
  const { limit, retryMs } = counts.reduce((one, other) =>
    other.retryMs > one.retryMs ? other : one,
  );
  throw new RateLimited(limit.message, secondsOf(retryMs));
}

function secondsOf(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}
