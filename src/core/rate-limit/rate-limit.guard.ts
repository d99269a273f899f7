import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request, Response } from 'express';
import { accessOf } from '../../platform/common/access/access.decorator.ts';
import { findCaller } from '../../platform/common/access/caller.ts';
import { RateLimits } from './rate-limits.ts';

/** Counts each call of an API token, and refuses those beyond its limits. */
@Injectable()
export class RateLimitGuard implements CanActivate {
  constructor(private readonly limits: RateLimits) {}

  canActivate(context: ExecutionContext): true | Promise<true> {
    const [request, response] = context.getArgs<[Request, Response]>();
    const caller = findCaller(request);
    const isIntrospection = accessOf(context.getHandler()).scope === 'tokens:introspect';
    if (!caller || !this.limits.isLimited({ isIntrospection })) return true;
    return this.limits.countCall(caller, { isIntrospection }, response).then(() => true);
  }
}
