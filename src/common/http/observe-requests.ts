import type { RequestHandler } from 'express';
import type { Logger } from 'pino';
import { findCaller } from '../caller';
import { clientAddress } from './client-address';
import { loggedPath } from './logged-path';
import { requestId } from './request-id';

export interface RequestObserver {
  observeRequest: (method: string, route: string, status: number, seconds: number) => void;
}

/** Writes one line to the access log and tells `observer`, for every request that Node could parse. */
export function observeRequests(log: Logger, observer: RequestObserver): RequestHandler {
  return (request, response, next) => {
    const startedAt = performance.now();
    const { method, path } = request;
    response.on('close', () => {
      const milliseconds = performance.now() - startedAt;
      const route = (request.route as { path?: string } | undefined)?.path ?? 'none';
      observer.observeRequest(request.method, route, response.statusCode, milliseconds / 1000);
      if (!log.isLevelEnabled('info')) return;
      const caller = findCaller(request);
      log.info({
        msg: 'request',
        request_id: requestId(request),
        method,
        path: loggedPath(path),
        status: response.statusCode,
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
