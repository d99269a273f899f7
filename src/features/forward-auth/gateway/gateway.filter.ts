import { type ArgumentsHost, Catch, type ExceptionFilter, Inject, Optional } from '@nestjs/common';
import type { Request } from 'express';
import {
  AddressNotAllowed,
  ApiTokenInvalid,
  CredentialsMalformed,
  InsufficientScope,
  RateLimited,
  TooManyAtOnce,
} from '../../../platform/common/problem/errors.ts';
import { ProblemFilter } from '../../../platform/common/problem/problem.filter.ts';
import { ServiceError } from '../../../platform/common/problem/problem.ts';
import { RefusalObserver } from '../../../platform/common/problem/refusal-observer.ts';
import { GatewayLimited, GatewayMisconfigured } from '../forward-auth.errors.ts';

const OF_GATEWAY = [ApiTokenInvalid, CredentialsMalformed, AddressNotAllowed, InsufficientScope];
const OF_LIMITS = [RateLimited, TooManyAtOnce];

/**
 * Tells the faults of a gateway from those of a viewer by the status, because gateways hand on a 401 and a 403. The
 * audit log gets the refusals of the gateway itself, and none of viewers.
 */
@Catch()
export class GatewayFilter implements ExceptionFilter {
  private readonly problems = new ProblemFilter(undefined);

  constructor(
    @Optional() @Inject(RefusalObserver) private readonly refusals: RefusalObserver | undefined,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const refusal = thrown instanceof RateLimited ? thrown.cause : thrown;
    if (refusal instanceof ServiceError && isOf(OF_GATEWAY, refusal)) {
      this.refusals?.record(refusal, host.switchToHttp().getRequest<Request>());
    }
    this.problems.catch(forGateway(thrown), host);
  }
}

function forGateway(thrown: unknown): unknown {
  if (isOf(OF_GATEWAY, thrown)) {
    return new GatewayMisconfigured(`X-Gateway-Authorization: ${(thrown as Error).message}`);
  }
  if (isOf(OF_LIMITS, thrown)) {
    const { message, headers } = thrown as ServiceError;
    return new GatewayLimited(message, { headers });
  }
  return thrown;
}

function isOf(types: readonly (abstract new (...args: never[]) => Error)[], thrown: unknown) {
  return types.some((type) => thrown instanceof type);
}
