import { type ArgumentsHost, Catch, Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { RateLimited, ServiceError } from '../common/errors';
import { ProblemFilter } from '../common/problem.filter';
import { AccessRefusalLog } from './access-refusal-log';

/** Answers every error as `ProblemFilter` does, and records refused calls. */
@Catch()
@Injectable()
export class AccessRefusalFilter extends ProblemFilter {
  constructor(private readonly refusals: AccessRefusalLog) {
    super();
  }

  override catch(thrown: unknown, host: ArgumentsHost): void {
    const refusal = refusalOf(thrown);
    if (refusal) this.refusals.record(refusal, host.switchToHttp().getRequest<Request>());
    super.catch(thrown, host);
  }
}

/**
 * Finds the error that refused the caller, also behind a 429 that was answered in its place;
 * undefined for any other error.
 */
function refusalOf(thrown: unknown): ServiceError | undefined {
  const error = thrown instanceof RateLimited ? thrown.cause : thrown;
  const isRefusal = error instanceof ServiceError && [401, 403].includes(error.spec.status);
  return isRefusal ? error : undefined;
}
