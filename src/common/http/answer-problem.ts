import type { ServerResponse } from 'node:http';
import type { ServiceError } from '../errors.ts';
import { PROBLEM_MEDIA_TYPE, toProblem } from '../problem.ts';
import { COMMON_HEADERS } from './http-settings.ts';

const codes = new WeakMap<ServerResponse, string>();

/** Returns the code of the problem that `response` answers, if it is one. */
export function problemCode(response: ServerResponse): string | undefined {
  return codes.get(response);
}

/** Answers with `error`, and with the header fields of every answer. */
export function answerProblem(
  response: ServerResponse,
  error: ServiceError,
  requestId: string,
): void {
  const headers = { ...COMMON_HEADERS, ...error.headers, 'X-Request-Id': requestId };
  for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
  codes.set(response, error.spec.code);
  response.statusCode = error.spec.status;
  response.setHeader('Content-Type', PROBLEM_MEDIA_TYPE);
  response.end(JSON.stringify(toProblem(error, requestId)));
}
