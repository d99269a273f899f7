import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { findCaller } from '../caller';
import { problemCode } from './answer-problem';
import { clientAddress } from './client-address';
import { pathLogger } from './logged-path';
import { requestId } from './request-id';
import { traceContext } from './trace-context';

export interface ObservedRequest {
  method: string;
  /** Its template, so that callers cannot create endless routes; `none` if it has none. */
  route: string;
  status: number;
  /** Code of the problem that was answered, if one was. */
  problem: string | undefined;
  /** From its first byte to the last of its answer. */
  seconds: number;
}

export interface RequestObserver {
  observeRequest: (request: ObservedRequest) => void;
}

/** Writes one line to the access log and tells `observer`, for every request that Node could parse. */
export function observeRequests(
  log: Logger,
  observer: RequestObserver,
  bootstrapApiToken: string | undefined,
): RequestHandler {
  const loggedPath = pathLogger(bootstrapApiToken);
  return (request, response, next) => {
    const startedAt = performance.now();
    const { method, path } = request;
    response.on('close', () => {
      const milliseconds = performance.now() - startedAt;
      const { statusCode: status } = response;
      const problem = problemCode(response);
      observer.observeRequest({
        method: request.method,
        route: (request.route as { path?: string } | undefined)?.path ?? 'none',
        status,
        problem,
        seconds: milliseconds / 1000,
      });
      // Orchestrators ask every few seconds; only a no is news.
      const level = path.startsWith('/health/') && status === 200 ? 'debug' : 'info';
      if (!log.isLevelEnabled(level)) return;
      const caller = findCaller(request);
      log[level]({
        msg: 'request',
        request_id: requestId(request),
        ...traceContext(request),
        method,
        path: loggedPath(path),
        status,
        ...(problem !== undefined && { code: problem }),
        // A client that went away before its answer was complete.
        ...(!response.writableFinished && { aborted: true }),
        ms: Math.round(milliseconds * 10) / 10,
        address: caller ? caller.address : clientAddress(request),
        ...(caller && { workspace_id: caller.workspaceId, api_token_id: caller.apiTokenId }),
      });
    });
    next();
  };
}
