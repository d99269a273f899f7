import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { SCOPE_METADATA } from '../common/access.decorator';
import { findCaller, type Scope } from '../common/caller';
import { Config } from '../config/config';
import { Limiter } from './limiter';
import { Redis } from './redis';

const REFUSAL = 'The API token has made too many requests in this minute.';

/**
 * Allows each API token `RATE_LIMIT_PER_MINUTE` requests a minute, and as many introspections:
 * dashboards that are looked at must not keep their host application from its work.
 */
@Injectable()
export class RateLimitGuard implements CanActivate {
  private readonly requests: Limiter;
  private readonly introspections: Limiter;

  constructor(
    config: Config,
    redis: Redis,
    private readonly reflector: Reflector,
  ) {
    const policy = { perMinute: config.rateLimitPerMinute, refusal: REFUSAL };
    this.requests = new Limiter({ ...policy, name: 'api-token' }, config, redis);
    this.introspections = new Limiter({ ...policy, name: 'introspection' }, config, redis);
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const apiTokenId = findCaller(http.getRequest<Request>())?.apiTokenId ?? null;
    if (apiTokenId === null) return true;
    const scope = this.reflector.get<Scope | undefined>(SCOPE_METADATA, context.getHandler());
    const limiter = scope === 'tokens:introspect' ? this.introspections : this.requests;
    await limiter.count(apiTokenId, http.getResponse<Response>());
    return true;
  }
}
