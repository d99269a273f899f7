import type { Response } from 'express';
import { RateLimited } from '../common/errors.ts';
import { type Count, WINDOW_SECONDS } from './limiter.ts';

/**
 * Reports in the `RateLimit` fields of the answer (draft-ietf-httpapi-ratelimit-headers) how many
 * calls are left under each policy.
 * @throws RateLimited if one was exceeded
 */
export function reportCounts(counts: readonly Count[], response: Response): void {
  if (counts.length === 0) return;
  const policies = counts.map(
    ({ policy: { name, perMinute } }) => `"${name}";q=${perMinute};w=${WINDOW_SECONDS}`,
  );
  const left = counts.map((count) => {
    const { name, perMinute } = count.policy;
    return `"${name}";r=${Math.max(0, perMinute - count.consumed)};t=${secondsOf(count)}`;
  });
  response.setHeader('RateLimit-Policy', policies.join(', '));
  response.setHeader('RateLimit', left.join(', '));
  const exceeded = counts.find(isExceeded);
  if (exceeded) throw new RateLimited(exceeded.policy.message, secondsOf(exceeded));
}

export function isExceeded({ policy, consumed }: Count): boolean {
  return consumed > policy.perMinute;
}

function secondsOf({ resetMs }: Count): number {
  return Math.max(1, Math.ceil(resetMs / 1000));
}
