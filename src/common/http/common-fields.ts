import { ServerResponse } from 'node:http';
import { COMMON_HEADERS } from './http-settings.ts';
import { requestId } from './request-id.ts';

/**
 * Replaces `writeHead` of a response, so that its head, whatever code writes it, has what every
 * answer carries: the common fields, except those that the answer has set itself, and the request
 * id. A head written with explicit fields is left as it is.
 */
export function writeHead(
  this: ServerResponse,
  statusCode: number,
  ...fields: unknown[]
): ServerResponse {
  if (fields.length === 0) {
    for (const name in COMMON_HEADERS) {
      if (!this.hasHeader(name)) this.setHeader(name, COMMON_HEADERS[name]!);
    }
    if (!this.hasHeader('X-Request-Id')) this.setHeader('X-Request-Id', requestId(this.req));
  }
  return ServerResponse.prototype.writeHead.call(
    this,
    statusCode,
    ...(fields as []),
  ) as ServerResponse;
}
