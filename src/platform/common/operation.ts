import { applyDecorators, type Type } from '@nestjs/common';
import { isDeepStrictEqual } from 'node:util';
import {
  ApiAcceptedResponse,
  ApiCreatedResponse,
  ApiExtraModels,
  ApiOkResponse,
  ApiOperation,
  ApiResponse,
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
  ExpectationFailed,
  HeadersTooLarge,
  IdempotencyKeyInvalid,
  IdempotencyKeyReused,
  IdempotencyKeySpent,
  InsufficientScope,
  TokenRestricted,
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
import type { ErrorSpec } from './problem/problem.ts';
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
/** Describes the response with status 202, as `Ok` does. */
export const Accepted = responseBy(ApiAcceptedResponse);

/** Describes the response with status 200 that has header fields and no body. */
export function Empty(description: string, headers: Record<string, string>): MethodDecorator {
  return ApiOkResponse({ description, headers: headersOf(headers) });
}

function responseBy(describe: typeof ApiOkResponse) {
  return (type: Type, description: string, headers?: Record<string, string>): MethodDecorator =>
    describe({ type, description, headers: headers && headersOf(headers) });
}

function headersOf(descriptions: Record<string, string>) {
  const schema = { type: 'string' };
  return Object.fromEntries(
    Object.entries(descriptions).map(([name, description]) => [name, { description, schema }]),
  );
}

/** The class of an error that an operation can return. */
export interface DocumentedError {
  spec: ErrorSpec;
}

/** Errors that no operation decides on: one response describes them for all. */
const DEFAULT_ERRORS: DocumentedError[] = [
  RequestTimeout,
  ExpectationFailed,
  HeadersTooLarge,
  InternalError,
];

const PUBLIC_ERRORS: DocumentedError[] = [RequestMalformed, ...DEFAULT_ERRORS];

const COMMON_ERRORS: DocumentedError[] = [
  DatabaseUnavailable,
  ...PUBLIC_ERRORS,
  IdempotencyKeyInvalid,
  ShuttingDown,
  CredentialsMissing,
  CredentialsMalformed,
  ApiTokenInvalid,
  InsufficientScope,
  TokenRestricted,
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

/** Come together, each status for itself. */
const KEY_ERRORS: DocumentedError[] = [
  IdempotencyKeyInvalid,
  IdempotencyKeyReused,
  IdempotencyKeySpent,
];

/** Documents the errors of an operation with a body: the common ones, and its own. */
export function ApiProblems(...own: DocumentedError[]): MethodDecorator {
  return documentProblems([...COMMON_ERRORS, ...BODY_ERRORS], own);
}

/** Documents the errors of an operation without a body. */
export function ApiReadProblems(...own: DocumentedError[]): MethodDecorator {
  return documentProblems(COMMON_ERRORS, own);
}

/** Documents the errors of a public operation that needs no database. */
export function ApiPublicProblems(...own: DocumentedError[]): MethodDecorator {
  return documentProblems(PUBLIC_ERRORS, [ShuttingDown, ...own]);
}

/** The errors of each shared response of the OpenAPI document, by its name. */
export const sharedResponses = new Map<string, DocumentedError[]>();

/** Refers to a shared response for each status, and for the errors of all operations. */
function documentProblems(common: DocumentedError[], own: DocumentedError[]): MethodDecorator {
  return applyDecorators(
    ApiExtraModels(Problem),
    ...responsesOf(common, own).map(([status, reference]) => ApiResponse({ status, ...reference })),
  );
}

/**
 * Adds errors to an operation with a body.
 * @param responses those of its operation in the OpenAPI document; changed
 */
export function addProblems(
  responses: Record<string, unknown>,
  added: readonly DocumentedError[],
): void {
  const common = [...COMMON_ERRORS, ...BODY_ERRORS];
  const known = Object.values(responses).flatMap((one) => {
    const { $ref = '' } = one as { $ref?: string };
    return sharedResponses.get($ref.slice(RESPONSES.length)) ?? [];
  });
  for (const [status, reference] of responsesOf(common, [...known, ...added])) {
    responses[status] = reference;
  }
}

const RESPONSES = '#/components/responses/';

/** Shares a response for each status of these errors. @returns references to them */
function responsesOf(
  common: DocumentedError[],
  own: DocumentedError[],
): [number | 'default', { $ref: string }][] {
  const sorted = [...new Set(own)]
    .filter((error) => !common.includes(error))
    .toSorted((a, b) => (a.spec.code < b.spec.code ? -1 : 1));
  const errors = [...common, ...sorted];
  const statusOf = (error: DocumentedError) =>
    DEFAULT_ERRORS.includes(error) ? 'default' : error.spec.status;
  const statuses = new Set(errors.map(statusOf));
  return [...statuses].map((status) => {
    const ofStatus = errors.filter((error) => statusOf(error) === status);
    const parts = new Set(ofStatus.map((error) => partOfName(error, common)));
    const name = `${status}${[...parts].join('')}`;
    // The second of two lists for one status would replace the first.
    const known = sharedResponses.get(name) ?? ofStatus;
    if (!isDeepStrictEqual(known, ofStatus)) {
      throw new Error(`Two lists of errors have the name ${name}.`);
    }
    sharedResponses.set(name, ofStatus);
    return [status, { $ref: RESPONSES + name }];
  });
}

/** Tells apart the responses of one status: whether there is a body or a key, and the errors of few operations. */
function partOfName(error: DocumentedError, common: DocumentedError[]): string {
  if (BODY_ERRORS.includes(error)) return '_Body';
  if (KEY_ERRORS.includes(error)) return '_Key';
  if (common.includes(error)) return '';
  const words = error.spec.code
    .split('_')
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `_${words.join('')}`;
}
