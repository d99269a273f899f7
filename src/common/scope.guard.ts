import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request } from 'express';
import { isPublic, SCOPE_METADATA } from './access.decorator';
import { findCaller, requireScope, type Scope } from './caller';

/** Lets a caller reach a handler with the scope it declares. One that declares none is closed, unless it is public. */
@Injectable()
export class ScopeGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const handler = context.getHandler();
    const scope = this.reflector.get<Scope | undefined>(SCOPE_METADATA, handler);
    if (scope === undefined && isPublic(handler)) return true;
    const caller = findCaller(context.switchToHttp().getRequest<Request>());
    if (scope === undefined || caller === undefined) {
      const name = `${context.getClass().name}.${handler.name}`;
      throw new Error(`${name} declares no scope and is therefore closed`);
    }
    requireScope(caller, scope);
    return true;
  }
}
