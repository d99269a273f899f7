import {
  type CallHandler,
  type ExecutionContext,
  Injectable,
  type NestInterceptor,
} from '@nestjs/common';
import type { Request } from 'express';
import { Observable, Subject, tap } from 'rxjs';
import { findCaller } from './caller.ts';
import { Gate, type Turn, type Waiter } from '../concurrency/gate.ts';
import { addressBlock, clientAddress } from '../http/parameters/client-address.ts';
import { requestId } from '../http/observing/request-id.ts';
import { bodyLimitOf } from '../http/server/http-settings.ts';
import { readsBody } from '../json/json-body.decorator.ts';
import { hasBody, takeBody } from '../json/read-body.ts';

/** Makes a call wait for its turn before its handler runs. */
@Injectable()
export class GateInterceptor implements NestInterceptor {
  protected readonly turn: Turn = 'any';

  constructor(private readonly gate: Gate) {}

  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    return new Observable((subscriber) => {
      this.enter(context).then(
        (leave) => {
          // An outer interceptor with a time limit has given up.
          if (subscriber.closed) {
            leave();
            return;
          }
          // Passes no teardown on: a turn ends with the handler, not with the interest in its result.
          const result = new Subject<unknown>();
          result.subscribe(subscriber);
          next
            .handle()
            .pipe(tap({ error: leave, complete: leave }))
            .subscribe(result);
        },
        (error: unknown) => subscriber.error(error),
      );
    });
  }

  private async enter(context: ExecutionContext): Promise<(error?: unknown) => void> {
    const request = context.getArgByIndex<Request>(0);
    // A client that sends slowly must not keep others of its workspace waiting.
    const isArriving = !request.complete && hasBody(request);
    if (isArriving && readsBody(context.getHandler())) {
      await takeBody(request, bodyLimitOf(request));
    }
    return this.gate.enter(waiterOf(request), this.turn);
  }
}

/** Makes a call that ends access wait for a turn of its own. */
@Injectable()
export class EndingGateInterceptor extends GateInterceptor {
  protected override readonly turn = 'ending';
}

/** Returns the caller, or the client's address block for a call without a workspace. Unknown clients share no turns. */
function waiterOf(request: Request): Waiter {
  const caller = findCaller(request);
  if (caller) return caller;
  const address = clientAddress(request);
  return address === undefined ? requestId(request) : addressBlock(address);
}
