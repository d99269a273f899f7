import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { refuseQuery } from '../http/parameters/request-params.ts';
import { accessOf } from './access.decorator.ts';

/** Refuses query parameters of a handler that has none, before its body is read. */
@Injectable()
export class QueryGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const { originalUrl } = context.getArgByIndex<Request>(0);
    if (originalUrl.includes('?') && !accessOf(context.getHandler()).admitsQuery) refuseQuery(originalUrl);
    return true;
  }
}
