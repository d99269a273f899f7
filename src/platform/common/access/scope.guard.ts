import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { accessOf } from './access.decorator.ts';
import { TokenRestricted } from '../problem/errors.ts';
import { findCaller, requireOneOf, requireScope } from './caller.ts';

/** Admits callers that have the scopes of the handler. A handler without a scope is closed, unless it is public. */
@Injectable()
export class ScopeGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    const { scope, scopes, also, isPublic, isForAnyScope, isForRanges } = accessOf(handler);
    if (scope === undefined && isPublic) return true;
    const caller = findCaller(context.getArgByIndex<Request>(0));
    if (caller?.range && !isForRanges) throw new TokenRestricted();
    if (isForAnyScope && caller !== undefined) return true;
    if (scope === undefined || caller === undefined) {
      const name = `${context.getClass().name}.${handler.name}`;
      throw new Error(`${name} declares no scope and is therefore closed`);
    }
    requireOneOf(caller, scopes);
    if (also !== undefined) requireScope(caller, also);
    return true;
  }
}
