import type { ServerResponse } from 'node:http';
import type { ServiceError } from '../errors.ts';
import { PROBLEM_MEDIA_TYPE, toProblem } from '../problem.ts';
import { COMMON_HEADERS } from './http-settings.ts';

const codes = new WeakMap<ServerResponse, string>();

/** Returns the code of the problem that `response` answers or leads to, if it is one. */
export function problemCode(response: ServerResponse): string | undefined {
  return codes.get(response);
}

/** Tells the access log and the metrics of a problem that the page shows, to which a redirect leads. */
export function noteProblem(response: ServerResponse, { spec }: ServiceError): void {
  codes.set(response, spec.code);
}

/** Answers with `error`, and with the header fields of every answer. */
export function answerProblem(
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
