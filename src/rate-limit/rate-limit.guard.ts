import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { SCOPE_METADATA } from '../common/access.decorator';
import { findCaller, type Scope } from '../common/caller';
import { RateLimits } from './rate-limits';

/** Counts each call of an API token, and refuses those beyond a limit. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(
    private readonly limits: RateLimits,
    private readonly reflector: Reflector,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const http = context.switchToHttp();
    const caller = findCaller(http.getRequest<Request>());
    if (!caller) return true;
    const scope = this.reflector.get<Scope | undefined>(SCOPE_METADATA, context.getHandler());
    const isIntrospection = scope === 'tokens:introspect';
    await this.limits.countCall(caller, { isIntrospection }, http.getResponse<Response>());
    return true;
  }
}
