import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { findCaller } from '../caller.ts';
import { problemCode } from './answer-problem.ts';
import { clientAddress } from './client-address.ts';
import { pathLogger } from './logged-path.ts';
import { requestId } from './request-id.ts';
import { traceContext } from './trace-context.ts';

export interface ObservedRequest {
  method: string;
  /** The template of the route, so that callers cannot create endless labels; `none` without a route. */
  route: string;
  status: number;
  /** The code of the problem that was answered, if one was. */
  problem: string | undefined;
  /** From when its headers had been parsed until its answer was sent, or its connection had closed. */
  seconds: number;
}

export interface RequestObserver {
  observeRequest: (request: ObservedRequest) => void;
}

/**
 * Reports each request to `observer` once its answer was sent or its connection has closed, and logs
 * it in one line, a health check that succeeded only at the level `debug`. What is refused as
 * malformed HTTP never comes here: `MalformedRequests` counts it.
 */
export function observeRequests(
  log: Logger,
  observer: RequestObserver,
  bootstrapApiToken: string | undefined,
): (request: Request, response: Response) => void {
  const loggedPath = pathLogger(bootstrapApiToken);
  return (request, response) => {
    const startedAt = performance.now();
    const { method, url } = request;
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
      // Orchestrators ask every few seconds; only a negative answer is news.
      const path = url.replace(/\?.*$/, '');
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
        // The client went away before its answer was complete.
        ...(!response.writableFinished && { aborted: true }),
        ms: Math.round(milliseconds * 10) / 10,
        address: caller ? caller.address : clientAddress(request),
        ...(caller && { workspace_id: caller.workspaceId, api_token_id: caller.apiTokenId }),
      });
    });
  };
}
