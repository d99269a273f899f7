import { ServerResponse } from 'node:http';
import { COMMON_HEADERS } from './http-settings';
import { requestId } from './request-id';

/**
 * Stands for `writeHead` of a response, so that its head, whoever writes it, has what every answer
 * carries: the common fields, but for those that the answer has set itself, and the id of its request.
 * A head whose fields are given is left as it is.
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
