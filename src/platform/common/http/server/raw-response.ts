import { randomUUID } from 'node:crypto';
import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { HeadersTooLarge, RequestMalformed, RequestTimeout } from '../../problem/errors.ts';
import type { ServiceError } from '../../problem/problem.ts';
import { PROBLEM_MEDIA_TYPE, toProblem } from '../../problem/problem.dto.ts';
import { COMMON_HEADERS } from './http-settings.ts';

/** Translates an error of Node's HTTP parser into one of the catalogue. */
export function malformedHttpError(error: NodeJS.ErrnoException): ServiceError {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return new HeadersTooLarge();
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new RequestTimeout();
    default:
      return new RequestMalformed();
  }
}

/** A client may take this long to read its response before the connection is cut. */
const LINGER_MS = 1000;

/**
 * Responds on a socket that has no response object, and closes it. Data that still arrives is discarded, and neither an
 * error of the connection nor a client that keeps it open can do harm.
 */
export function respondRaw(socket: Duplex, error: ServiceError): void {
  socket.on('error', () => socket.destroy());
  if (!socket.writable) {
    socket.destroy();
    return;
  }
  const linger = setTimeout(() => socket.destroy(), LINGER_MS);
  socket.on('close', () => clearTimeout(linger));
  socket.on('end', () => socket.destroy());
  socket.resume();
  const requestId = randomUUID();
  const body = JSON.stringify(toProblem(error, requestId));
  const { status } = error.spec;
  const headers = {
    ...COMMON_HEADERS,
    ...error.headers,
    'X-Request-Id': requestId,
    'Content-Type': PROBLEM_MEDIA_TYPE,
    'Content-Length': String(Buffer.byteLength(body)),
    Connection: 'close',
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...lines, '', body].join('\r\n'));
}
