import { applyDecorators } from '@nestjs/common';
import type { ApiResponseOptions } from '@nestjs/swagger';
import {
  ApiExtraModels,
  ApiProperty,
  ApiPropertyOptional,
  ApiResponse,
  schemaPath,
} from './api-docs.ts';
import {
  AddressNotAllowed,
  ApiTokenInvalid,
  BodyIncomplete,
  BodyMissing,
  BodyNotUtf8,
  BodyTooLarge,
  CredentialsMalformed,
  CredentialsMissing,
  DatabaseUnavailable,
  errorCatalogue,
  ExpectationFailed,
  HeadersTooLarge,
  InsufficientScope,
  InternalError,
  JsonDuplicateKey,
  JsonMalformed,
  MediaTypeUnsupported,
  RateLimited,
  RequestMalformed,
  RequestTimeout,
  type ErrorSpec,
  ShuttingDown,
  TooManyAtOnce,
  ValidationFailed,
} from './errors.ts';
import { violationCodes } from './violation.ts';
import { problemType } from './problem.ts';

export class ViolationDto {
  @ApiProperty({
    description:
      'JSON Pointer (RFC 6901) of the place in the body; of a 409, of what stands in the way.',
    example: '/name',
  })
  pointer!: string;

  @ApiProperty({ description: 'What is wrong there; stable.', enum: Object.keys(violationCodes) })
  code!: string;

  @ApiProperty({ description: 'The same for people.', example: 'The text must not be empty.' })
  detail!: string;
}

/** The `Problem` of every answer that is not a success, as the OpenAPI document shows it. */
class ProblemDto {
  @ApiProperty({
    description: '0: the call did not succeed.',
    enum: [0],
    type: 'integer',
    example: 0,
  })
  success!: 0;

  @ApiProperty({
    description: 'URI that names the kind of problem.',
    format: 'uri',
    example: problemType('validation_failed'),
  })
  type!: string;

  @ApiProperty({ description: 'The kind of problem for people.', example: 'Body not acceptable' })
  title!: string;

  @ApiProperty({ description: 'The HTTP status.', type: 'integer', example: 422 })
  status!: number;

  @ApiProperty({
    description: 'This occurrence for people.',
    example: 'The text must not be empty.',
  })
  detail!: string;

  @ApiProperty({
    description: 'Stable; switch on this.',
    enum: errorCatalogue.map(({ code }) => code),
    example: 'validation_failed',
  })
  code!: string;

  @ApiProperty({
    description: 'Finds the request in the log; also in X-Request-Id.',
    example: '1f0c5c1e',
  })
  request_id!: string;

  @ApiPropertyOptional({ description: 'What is wrong in the body.', type: () => [ViolationDto] })
  errors?: ViolationDto[];
}

/** The class of an error that an operation can answer. */
export interface DocumentedError {
  spec: ErrorSpec;
}

/** What any route can answer. */
const PUBLIC_ERRORS: DocumentedError[] = [
  RequestMalformed,
  RequestTimeout,
  ExpectationFailed,
  HeadersTooLarge,
  InternalError,
  ShuttingDown,
];

/** What any authenticated route can answer. */
const COMMON_ERRORS: DocumentedError[] = [
  RequestMalformed,
  CredentialsMissing,
  CredentialsMalformed,
  ApiTokenInvalid,
  InsufficientScope,
  AddressNotAllowed,
  RequestTimeout,
  ExpectationFailed,
  ValidationFailed,
  RateLimited,
  TooManyAtOnce,
  HeadersTooLarge,
  InternalError,
  DatabaseUnavailable,
  ShuttingDown,
];

/** What a route with a JSON body can answer besides. */
const BODY_ERRORS: DocumentedError[] = [
  BodyMissing,
  BodyIncomplete,
  BodyNotUtf8,
  JsonMalformed,
  JsonDuplicateKey,
  BodyTooLarge,
  MediaTypeUnsupported,
];

/** Documents the error answers of an operation with a body: those every one can give, and its own. */
export function ApiProblems(...own: DocumentedError[]): MethodDecorator {
  return documentProblems([...COMMON_ERRORS, ...BODY_ERRORS, ...own]);
}

/** As `ApiProblems`, for an operation without a body. */
export function ApiReadProblems(...own: DocumentedError[]): MethodDecorator {
  return documentProblems([...COMMON_ERRORS, ...own]);
}

/** As `ApiReadProblems`, for an operation that anyone may call and that by itself needs no database. */
export function ApiPublicProblems(...own: DocumentedError[]): MethodDecorator {
  return documentProblems([...PUBLIC_ERRORS, ...own]);
}

function documentProblems(errors: DocumentedError[]): MethodDecorator {
  const statuses = [...new Set(errors.map(({ spec }) => spec.status))];
  return applyDecorators(
    ApiExtraModels(ProblemDto),
    ...statuses.map((status) =>
      apiProblem(
        status,
        errors.filter(({ spec }) => spec.status === status),
      ),
    ),
  );
}

function apiProblem(status: number, errors: DocumentedError[]): MethodDecorator {
  return ApiResponse({
    status,
    description: errors.map(({ spec }) => `\`${spec.code}\`: ${spec.about}`).join('\n\n'),
    headers: HEADERS[status],
    content: {
      'application/problem+json': {
        schema: { $ref: schemaPath(ProblemDto) },
        examples: Object.fromEntries(errors.map(({ spec }) => [spec.code, exampleOf(spec)])),
      },
    },
  });
}

function exampleOf({ code, status, title, about }: ErrorSpec) {
  const request_id = '6f1c0f3e-6a37-4f0e-9d0b-6a1b7c1f4e55';
  return {
    summary: title,
    value: { success: 0, type: problemType(code), title, status, detail: about, code, request_id },
  };
}

type HeadersObject = NonNullable<ApiResponseOptions['headers']>;

const RETRY_AFTER: HeadersObject = {
  'Retry-After': { description: 'Seconds to wait.', schema: { type: 'integer' } },
};

const HEADERS: Record<number, HeadersObject> = {
  401: {
    'WWW-Authenticate': {
      description: 'The challenge: Token; at introspection also Bearer and Basic.',
      schema: { type: 'string' },
    },
  },
  405: { Allow: { description: 'The methods of the path.', schema: { type: 'string' } } },
  429: RETRY_AFTER,
  503: RETRY_AFTER,
};
