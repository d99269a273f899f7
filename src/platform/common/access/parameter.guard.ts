import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { idempotencyKeyOf, refuseQuery } from '../http/parameters/request-params.ts';
import { accessOf } from './access.decorator.ts';

/**
 * Refuses query parameters of a handler that has none, and a malformed `Idempotency-Key` of any handler, before the
 * body is read.
 */
@Injectable()
export class ParameterGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const request = context.getArgByIndex<Request>(0);
    const { originalUrl, headers } = request;
    const hasQuery = originalUrl.includes('?');
    const hasKey = headers['idempotency-key'] !== undefined;
    if (!hasQuery && !hasKey) return true;
    const { isLenient, takesQuery } = accessOf(context.getHandler());
    if (isLenient) return true;
    if (hasKey) idempotencyKeyOf(request);
    if (hasQuery && !takesQuery) refuseQuery(originalUrl);
    return true;
  }
}
