import { applyDecorators, type Type } from '@nestjs/common';
import { ApiCreatedResponse, ApiExtraModels, ApiOkResponse, ApiOperation, ApiResponse } from './api-docs.ts';
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
  type ErrorSpec,
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
  ShuttingDown,
  TooManyAtOnce,
  ValidationFailed,
} from './problem/errors.ts';
import { Problem } from './problem/problem.dto.ts';

export { ApiTags } from './api-docs.ts';

/** Names and describes the operation of a handler in the OpenAPI document. */
export function Operation(id: string, summary: string, description: string): MethodDecorator {
  return ApiOperation({ operationId: id, summary, description });
}

/** Describes the response with status 200, and what its header fields contain. */
export const Ok = responseBy(ApiOkResponse);
/** Describes the response with status 201, as `Ok` does. */
export const Created = responseBy(ApiCreatedResponse);

function responseBy(describe: typeof ApiOkResponse) {
  return (type: Type, description: string, headers?: Record<string, string>): MethodDecorator =>
    describe({ type, description, headers: headers && headersOf(headers) });
}

function headersOf(descriptions: Record<string, string>) {
  const schema = { type: 'string' };
  return Object.fromEntries(Object.entries(descriptions).map(([name, description]) => [name, { description, schema }]));
}

/** The class of an error that an operation can return. */
export interface DocumentedError {
  spec: ErrorSpec;
}

const PUBLIC_ERRORS: DocumentedError[] = [
  RequestMalformed,
  RequestTimeout,
  ExpectationFailed,
  HeadersTooLarge,
  InternalError,
  ShuttingDown,
];

const COMMON_ERRORS: DocumentedError[] = [
  DatabaseUnavailable,
  ...PUBLIC_ERRORS,
  CredentialsMissing,
  CredentialsMalformed,
  ApiTokenInvalid,
  InsufficientScope,
  AddressNotAllowed,
  ValidationFailed,
  RateLimited,
  TooManyAtOnce,
];

const BODY_ERRORS: DocumentedError[] = [
  BodyMissing,
  BodyIncomplete,
  BodyNotUtf8,
  JsonMalformed,
  JsonDuplicateKey,
  BodyTooLarge,
  MediaTypeUnsupported,
];

/** Documents the errors of an operation with a body: the common ones, and its own. */
export function ApiProblems(...own: DocumentedError[]): MethodDecorator {
  return documentProblems('Problem', [...COMMON_ERRORS, ...BODY_ERRORS], own);
}

/** Documents the errors of an operation without a body. */
export function ApiReadProblems(...own: DocumentedError[]): MethodDecorator {
  return documentProblems('Problem', COMMON_ERRORS, own);
}

/** Documents the errors of a public operation that needs no database. */
export function ApiPublicProblems(...own: DocumentedError[]): MethodDecorator {
  return documentProblems('PublicProblem', PUBLIC_ERRORS, own);
}

/** The errors of each shared response of the OpenAPI document, by its name. */
export const sharedResponses = new Map<string, DocumentedError[]>();

/** Refers to a shared response for each status. */
function documentProblems(
  kind: 'Problem' | 'PublicProblem',
  common: DocumentedError[],
  own: DocumentedError[],
): MethodDecorator {
  const sorted = own.toSorted((a, b) => (a.spec.code < b.spec.code ? -1 : 1));
  const errors = [...common, ...sorted];
  const statuses = new Set(errors.map(({ spec }) => spec.status));
  return applyDecorators(
    ApiExtraModels(Problem),
    ...[...statuses].map((status) => {
      const ofStatus = errors.filter(({ spec }) => spec.status === status);
      const parts = new Set(ofStatus.map((error) => partOfName(error, common)));
      const name = `${kind}${status}${[...parts].join('')}`;
      sharedResponses.set(name, ofStatus);
      const reference = { $ref: `#/components/responses/${name}` };
      return ApiResponse({ status, ...reference });
    }),
  );
}

/** Tells apart the responses of one status: whether there is a body, and the errors of few operations. */
function partOfName(error: DocumentedError, common: DocumentedError[]): string {
  if (BODY_ERRORS.includes(error)) return '_Body';
  if (common.includes(error)) return '';
  const words = error.spec.code.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `_${words.join('')}`;
}
