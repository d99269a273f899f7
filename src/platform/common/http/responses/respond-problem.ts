import type { ServerResponse } from 'node:http';
import type { ServiceError } from '../../problem/problem.ts';
import { PROBLEM_MEDIA_TYPE, toProblem } from '../../problem/problem.dto.ts';
import { COMMON_HEADERS } from '../server/http-settings.ts';

const codes = new WeakMap<ServerResponse, string>();

/** Returns the code of the problem that `response` returns or redirects to, if any. */
export function problemCode(response: ServerResponse): string | undefined {
  return codes.get(response);
}

/** Reports a problem to the access log and the metrics that a page shows after a redirect. */
export function noteProblem(response: ServerResponse, { spec }: ServiceError): void {
  codes.set(response, spec.code);
}

/** Responds with `error`, and with the common header fields. */
export function respondProblem(
  response: ServerResponse,
  error: ServiceError,
  requestId: string,
): void {
  const headers = { ...COMMON_HEADERS, ...error.headers, 'X-Request-Id': requestId };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  noteProblem(response, error);
  response.statusCode = error.spec.status;
  response.setHeader('Content-Type', PROBLEM_MEDIA_TYPE);
  response.end(JSON.stringify(toProblem(error, requestId)));
}
