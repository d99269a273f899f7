import type { ServiceError } from './errors.ts';
import type { Violation } from './violation.ts';

/** The body of every answer that is not a success: RFC 9457, with `success: 0` of the contract. */
export interface Problem {
  success: 0;
  type: string;
  title: string;
  status: number;
  detail: string;
  code: string;
  request_id: string;
  errors?: readonly Violation[];
}

export const PROBLEM_MEDIA_TYPE = 'application/problem+json; charset=utf-8';

/** A URI that names the problem type; it identifies and is not meant to be fetched. */
export function problemType(code: string): string {
  return `urn:problem-type:user-group-service:${code}`;
}

export function toProblem(error: ServiceError, requestId: string): Problem {
  const { code, status, title } = error.spec;
  return {
    success: 0,
    type: problemType(code),
    title,
    status,
    detail: error.message,
    code,
    request_id: requestId,
    ...(error.violations && { errors: error.violations }),
  };
}
