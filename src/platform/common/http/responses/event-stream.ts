import type { ServerResponse } from 'node:http';
import { requestId } from '../observing/request-id.ts';
import { COMMON_HEADERS, UNTRANSFORMED } from '../server/http-settings.ts';

/** Begins a response of server-sent events (the HTML standard, section 9.2). */
export function writeEventStreamHead(response: ServerResponse): void {
  response.writeHead(200, {
    ...COMMON_HEADERS,
    'Cache-Control': UNTRANSFORMED,
    'X-Request-Id': requestId(response.req),
    'Content-Type': 'text/event-stream; charset=utf-8',
    // nginx would keep events back.
    'X-Accel-Buffering': 'no',
  });
}
