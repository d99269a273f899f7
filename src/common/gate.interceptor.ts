import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { finalize, type Observable, tap } from 'rxjs';
import { findCaller } from './caller.ts';
import { Gate } from './gate.ts';
import { addressBlock, clientAddress } from './http/client-address.ts';
import { BODY_LIMIT_SETTING } from './http/http-settings.ts';
import { readsBody } from './json/json-body.decorator.ts';
import { hasBody, takeBody } from './json/read-body.ts';

/** Has a call wait for its turn before its handler runs. Handlers bring it along that are gated. */
@Injectable()
export class GateInterceptor implements NestInterceptor {
  constructor(private readonly gate: Gate) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const request = context.getArgByIndex<Request>(0);
    // A client that sends slowly must not keep others of its workspace waiting.
    const isArriving = !request.complete && hasBody(request);
    if (isArriving && readsBody(context.getHandler())) {
      await takeBody(request, request.app.get(BODY_LIMIT_SETTING) as number);
    }
    const leave = await this.gate.enter(keyOf(request));
    let failure: unknown;
    return next.handle().pipe(
      tap({ error: (error: unknown) => (failure = error) }),
      finalize(() => {
        leave(failure);
      }),
    );
  }
}

/** The workspace; of a call that has none yet, where it comes from. */
function keyOf(request: Request): number | string {
  return findCaller(request)?.workspaceId ?? addressBlock(clientAddress(request));
}
