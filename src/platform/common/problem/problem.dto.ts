import { CodeOf, Constant, Integer, ListOf, Text } from '../fields.ts';
import { errorCodes, type ErrorSpec, type ServiceError } from './problem.ts';
import { type Violation, violationCodes } from './violation.ts';

export class FieldError {
  @Text.optional(
    'JSON Pointer (RFC 6901) of the place in the body or in the group; for a 409, of the obstacle. Absent for a parameter.',
    '/name',
  )
  pointer?: string;

  @CodeOf.optional(
    ['query', 'path'],
    'The kind of parameter. Absent for a place in the body.',
    'query',
  )
  in?: 'query' | 'path';

  @Text.optional('Name of the parameter. Absent for a place in the body.', 'limit')
  parameter?: string;

  @CodeOf(
    Object.keys(violationCodes),
    'Code of the violation; stable. New codes can be added.',
    'empty',
  )
  code!: string;

  @Text('Description for people.', 'The text must not be empty.')
  detail!: string;
}

/** The body of every error response: RFC 9457, with `success: 0` of the contract. */
export class Problem {
  @Constant(0, '0: the call did not succeed.')
  success!: 0;

  @Text('URI that names the kind of problem.', problemType('validation_failed'), { format: 'uri' })
  type!: string;

  @Text(
    'Short text for people, the same for every problem with this `code`.',
    'Request not acceptable',
  )
  title!: string;

  @Integer('The HTTP status.', 422)
  status!: number;

  @Text('Description of this occurrence for people.', 'The text must not be empty.')
  detail!: string;

  @CodeOf(
    errorCodes,
    'Stable: switch on this. New codes can be added: treat a code that you do not know like its status.',
    'validation_failed',
  )
  code!: string;

  @Text('Finds the request in the log; also in X-Request-Id.', '1f0c5c1e')
  request_id!: string;

  @ListOf.optional(FieldError, 'The violations in the request.')
  errors?: readonly FieldError[];

  @Text.optional('With `user_group_renamed`: the id that the group has now.', 'acme-emea-2030')
  renamed_to?: string;
}

export const PROBLEM_MEDIA_TYPE = 'application/problem+json; charset=utf-8';

/** A URI that names the problem type; it identifies and is not meant to be fetched. */
function problemType(code: string): string {
  return `urn:problem-type:user-group-service:${code}`;
}

export function toProblem(error: ServiceError, requestId: string): Problem {
  return problemOf(error.spec, error.message, requestId, error.violations, error.members);
}

/** Returns the response that is the example of an error, in the OpenAPI document and in docs/reference/errors.md. */
export function exampleProblem(spec: ErrorSpec): Problem {
  return problemOf(
    spec,
    spec.detail ?? spec.about,
    '6f1c0f3e-6a37-4f0e-9d0b-6a1b7c1f4e55',
    spec.errors,
    spec.members,
  );
}

function problemOf(
  { code, status, title }: ErrorSpec,
  detail: string,
  request_id: string,
  violations?: readonly Violation[],
  members?: object,
): Problem {
  const errors = violations?.map(toFieldError);
  return {
    success: 0,
    type: problemType(code),
    title,
    status,
    detail,
    code,
    request_id,
    ...(errors && { errors }),
    ...members,
  };
}

function toFieldError({ in: place, pointer, code, detail }: Violation): FieldError {
  if (place === undefined) return { pointer, code, detail };
  const parameter = pointer.slice(1).replaceAll('~1', '/').replaceAll('~0', '~');
  return { in: place, parameter, code, detail };
}
