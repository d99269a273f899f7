import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import { findCaller } from '../common/caller';
import { RateLimited } from '../common/errors';
import { Config } from '../config/config';

const WINDOW_SECONDS = 60;

/**
 * Allows each API token `RATE_LIMIT_PER_MINUTE` requests a minute in this process, and tells in the
 * `RateLimit` fields (draft-ietf-httpapi-ratelimit-headers) how many are left.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly limiter: RateLimiterMemory | undefined;
  private readonly policy: string;

  constructor({ rateLimitPerMinute: points }: Config) {
    if (points > 0) this.limiter = new RateLimiterMemory({ points, duration: WINDOW_SECONDS });
    this.policy = `"api-token";q=${points};w=${WINDOW_SECONDS}`;
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const caller = findCaller(http.getRequest<Request>());
    if (!this.limiter || !caller) return true;
    const { allowed, left } = await consume(this.limiter, caller.apiTokenId);
    const resetSeconds = Math.ceil(left.msBeforeNext / 1000);
    const response = http.getResponse<Response>();
    response.setHeader('RateLimit-Policy', this.policy);
    response.setHeader('RateLimit', `"api-token";r=${left.remainingPoints};t=${resetSeconds}`);
    if (!allowed) throw new RateLimited(resetSeconds);
    return true;
  }
}

/** The library rejects with its result when nothing is left. */
async function consume(limiter: RateLimiterMemory, key: number) {
  try {
    return { allowed: true, left: await limiter.consume(key) };
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return { allowed: false, left: refusal };
    throw refusal;
  }
}
