import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Inject,
  Logger,
  Optional,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import {
  ExtensionUnavailable,
  InternalError,
  RateLimited,
  RefusedByExtension,
  RequestMalformed,
  RouteNotFound,
} from './errors.ts';
import { ServiceError } from './problem.ts';
import { respondProblem } from '../http/responses/respond-problem.ts';
import { requestId } from '../http/observing/request-id.ts';
import { traceContext } from '../http/observing/trace-context.ts';
import { RefusalObserver } from './refusal-observer.ts';
import { logRepeated } from '../repeated-failures.ts';

/** Turns any thrown value into a problem response, and reports refused calls to the observer. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Problem');

  constructor(
    @Optional() @Inject(RefusalObserver) private readonly refusals: RefusalObserver | undefined,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const error = request.route ? ofHandler(thrown) : toServiceError(thrown);
    const refusal = refusalOf(error);
    if (refusal) this.refusals?.record(refusal, request);
    this.log(error, request);
    if (response.headersSent || !response.socket) {
      response.destroy();
      return;
    }
    respondProblem(response, error, requestId(request));
  }

  /** Logs the cause of an error, which only the log may show; refusals are in the access log already. */
  private log({ spec: { level, code, status }, cause }: ServiceError, request: Request): void {
    if (!level) return;
    const request_id = requestId(request);
    const failure = { msg: code, request_id, ...traceContext(request), err: cause };
    // A missing dependency refuses every call until it is back.
    if (status === 503) logRepeated(this.logger, level, failure);
    else this.logger[level](failure);
  }
}

/** Finds the error that refused the caller, also behind a 429 that replaced it; undefined for any other error. */
function refusalOf(sent: ServiceError): ServiceError | undefined {
  const error = sent instanceof RateLimited ? sent.cause : sent;
  const isRefusal = error instanceof ServiceError && [401, 403].includes(error.spec.status);
  return isRefusal ? error : undefined;
}

/** Keeps the status that code of a plugin or of the application has chosen; details of a 5xx are hidden. */
function ofHandler(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError || !(thrown instanceof HttpException)) {
    return toServiceError(thrown);
  }
  const status = thrown.getStatus();
  if (status >= 400 && status < 500) return new RefusedByExtension(status, messageOf(thrown));
  return status === 503 ? new ExtensionUnavailable(thrown) : new InternalError(thrown);
}

/** A pipe of the application may give several messages. */
function messageOf(thrown: HttpException): string {
  const { message } = Object(thrown.getResponse()) as { message?: unknown };
  return Array.isArray(message) ? message.join('; ') : thrown.message;
}

/** Maps the framework's own exceptions, and those of its middleware, by their HTTP status. */
export function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  const status = thrown instanceof HttpException ? thrown.getStatus() : statusOf(thrown);
  if (status === 404) return new RouteNotFound();
  if (status >= 400 && status < 500) {
    return new RequestMalformed('The request cannot be understood.');
  }
  return new InternalError(thrown);
}

function statusOf(thrown: unknown): number {
  return typeof thrown === 'object' && thrown !== null && 'status' in thrown
    ? Number(thrown.status)
    : NaN;
}

/** Responds to the service's errors in an application's own handlers; leaves all others to its filters. */
@Catch(ServiceError)
export class UserGroupErrors implements ExceptionFilter {
  private readonly filter: ExceptionFilter;

  /** @internal */
  constructor(@Optional() @Inject(RefusalObserver) refusals: RefusalObserver | undefined) {
    this.filter = new ProblemFilter(refusals);
  }

  catch(thrown: ServiceError, host: ArgumentsHost): void {
    this.filter.catch(thrown, host);
  }
}
