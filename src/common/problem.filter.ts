import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Logger,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { InternalError, RequestMalformed, RouteNotFound, ServiceError } from './errors';
import { answerProblem } from './http/answer-problem';
import { requestId } from './http/request-id';
import { traceContext } from './http/trace-context';

/** Turns whatever was thrown into the one shape of error answers. */
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('Problem');

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<Request>();
    const response = host.switchToHttp().getResponse<Response>();
    const error = toServiceError(thrown);
    this.log(error, request);
    if (response.headersSent || !response.socket) {
      response.destroy();
      return;
    }
    answerProblem(response, error, requestId(request));
  }

  /** Logs the cause of an error, which only the log may know; refusals are in the access log already. */
  private log({ spec: { level, code }, cause }: ServiceError, request: Request): void {
    if (!level) return;
    const request_id = requestId(request);
    this.logger[level]({ msg: code, request_id, ...traceContext(request), err: cause });
  }
}

/** Maps the framework's own exceptions, and those of its middleware, by their HTTP status. */
function toServiceError(thrown: unknown): ServiceError {
  if (thrown instanceof ServiceError) return thrown;
  const status = thrown instanceof HttpException ? thrown.getStatus() : statusOf(thrown);
  if (status === 404) return new RouteNotFound();
  if (status >= 400 && status < 500)
    return new RequestMalformed('The request cannot be understood.');
  return new InternalError(thrown);
}

function statusOf(thrown: unknown): number {
  return typeof thrown === 'object' && thrown !== null && 'status' in thrown
    ? Number(thrown.status)
    : NaN;
}
