import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { guardOf } from '../../../platform/common/access/caller.ts';
import { ApiTokenGuard } from './api-token.guard.ts';

/** Authenticates each call by its API token, unless another guard handles the request. */
@Injectable()
export class AuthenticationGuard implements CanActivate {
  constructor(private readonly apiTokens: ApiTokenGuard) {}

  canActivate(context: ExecutionContext): ReturnType<CanActivate['canActivate']> {
    const guard = guardOf(context.getArgByIndex<Request>(0)) ?? this.apiTokens;
    return guard.canActivate(context);
  }
}
