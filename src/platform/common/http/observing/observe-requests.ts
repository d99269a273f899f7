import type { Request, Response } from 'express';
import type { Logger } from 'pino';
import { findCaller } from '../../access/caller.ts';
import { problemCode } from '../responses/respond-problem.ts';
import { clientAddress } from '../parameters/client-address.ts';
import { pathLogger } from './logged-path.ts';
import { requestId } from './request-id.ts';
import { traceContext } from './trace-context.ts';

export interface ObservedRequest {
  method: string;
  /** The template of the route, so that callers cannot create unlimited labels; `none` without a route. */
  route: string;
  status: number;
  /** Code of the problem in the response, if any. */
  problem: string | undefined;
  /** Time from the parsed headers to the sent response or the closed connection. */
  seconds: number;
}

/**
 * Reports each request to `observe` when its response was sent or its connection has closed, and logs it in one line.
 * A successful health check is logged at level `debug`. Malformed HTTP does not reach this: `MalformedRequests` counts
 * it.
 */
export function observeRequests(
  log: Logger,
  observe: (request: ObservedRequest) => void,
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
      observe({
        method: request.method,
        route: (request.route as { path?: string } | undefined)?.path ?? 'none',
        status,
        problem,
        seconds: milliseconds / 1000,
      });
      // Orchestrators ask every few seconds; only a failure is news.
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
        // The client closed the connection before the response was complete.
        ...(!response.writableFinished && { aborted: true }),
        ms: Math.round(milliseconds * 10) / 10,
        address: caller ? caller.address : clientAddress(request),
        ...(caller && { workspace_id: caller.workspaceId, api_token_id: caller.apiTokenId }),
      });
    });
  };
}
