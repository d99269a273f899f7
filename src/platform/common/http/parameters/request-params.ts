import {
  createParamDecorator,
  type ExecutionContext,
  SetMetadata,
  type Type,
} from '@nestjs/common';
import type { Request } from 'express';
import { ApiHeader, ApiParam, ApiQuery } from '../../api-docs.ts';
import { toPointer } from '../../json-pointer.ts';
import { fieldsOf, ruleViolations, toDto } from '../../json/to-dto.ts';
import type { ErrorClass, ServiceError } from '../../problem/problem.ts';
import {
  IdempotencyKeyInvalid,
  IdempotencyKeyReused,
  IdempotencyKeySpent,
  ValidationFailed,
} from '../../problem/errors.ts';
import { inQuery, type Violation } from '../../problem/violation.ts';
import { findRepeated, type Parameters, parseForm } from './form.ts';

/** RFC 9111, section 5.2.1. A cached response satisfies any age but zero. */
const WANTS_FRESH = /^(no-cache|no-store|max-age=(0+|"0+"))$/i;
/** Is true of a handler with `QueryOf`. */
export const QUERY_METADATA = 'parameters:query';
const VISIBLE_ASCII = /^[\x21-\x7e]{1,255}$/;

/**
 * Makes a parameter decorator: the value that `read` takes from the request.
 * @param describe decorators, made for methods, that describe the parameter in the OpenAPI document
 */
export function requestParam(
  read: (request: Request) => unknown,
  ...describe: MethodDecorator[]
): ParameterDecorator {
  const factory = (_data: unknown, context: ExecutionContext) =>
    read(context.getArgByIndex<Request>(0));
  const document: ParameterDecorator = (target, method) => {
    const descriptor = method && Object.getOwnPropertyDescriptor(target, method);
    if (!descriptor) return;
    for (const decorate of describe) decorate(target, method, descriptor);
  };
  return createParamDecorator(factory, [document])();
}

/** Describes a header field that a request may have. */
export function optionalHeader(
  name: string,
  description: string,
  keywords: object = {},
): MethodDecorator {
  return ApiHeader({ name, description, required: false, schema: { type: 'string', ...keywords } });
}

/**
 * Parameter decorator: the query of the URL as an instance of `type`, each parameter a string checked by the rules on
 * its property; also describes it in the OpenAPI document. Unknown and repeated parameters are refused: a misspelt
 * filter would silently widen the result.
 */
export function QueryOf<T extends object>(type: Type<T>): ParameterDecorator {
  const read = (url: string): T => {
    const given = queryOf(url);
    const dto = toDto(type, Object.fromEntries(given));
    const found = [...misnamed(given, fieldsOf(type)), ...ruleViolations(dto)];
    if (found.length > 0) throw new ValidationFailed(inQuery(found));
    return dto;
  };
  return requestParam(
    ({ originalUrl }) => read(originalUrl),
    ApiQuery({ type }),
    SetMetadata(QUERY_METADATA, true),
  );
}

/**
 * Refuses every query: an option such as `dry_run` that is sent in the wrong place would silently be lost.
 * @throws ValidationFailed
 */
export function refuseQuery(url: string): void {
  const found = misnamed(queryOf(url), []);
  if (found.length > 0) throw new ValidationFailed(inQuery(found));
}

function queryOf(url: string): Parameters {
  const [, query = ''] = /\?([^#]*)/.exec(url) ?? [];
  return parseForm(query, 'query');
}

function misnamed(given: Parameters, fields: readonly string[]): Violation[] {
  const unknown = given
    .filter(([name]) => !fields.includes(name))
    .map(([name]): Violation => {
      const known =
        fields.length > 0
          ? `The query can have: ${fields.join(', ')}.`
          : 'This operation has no query.';
      const detail = `This parameter is unknown. ${known}`;
      return { pointer: toPointer([name]), code: 'unknown', detail };
    });
  const repeated = findRepeated(given);
  if (repeated === undefined) return unknown;
  const detail = 'The query must name each parameter once.';
  return [...unknown, { pointer: toPointer([repeated]), code: 'repeated', detail }];
}

interface PathParamOptions<T> {
  description: string;
  schema: { type: 'integer' | 'string'; minimum?: number; minLength?: number; maxLength?: number };
  example: T & (string | number);
  /** @throws an error for a text that cannot name anything */
  read: (text: string) => T;
}

/** Parameter decorator: a number in the path, such as `:id`. An impossible number is not found. */
export function NumberParam(name: string, NotFound: new () => ServiceError): ParameterDecorator {
  return pathParam(name, {
    description: 'Its number.',
    schema: { type: 'integer', minimum: 1 },
    example: 2,
    read: (text) => {
      if (!/^[1-9]\d{0,8}$/.test(text)) throw new NotFound();
      return Number(text);
    },
  });
}

export function pathParam<T>(name: string, options: PathParamOptions<T>): ParameterDecorator {
  const { description, schema, example, read } = options;
  return requestParam(
    ({ params }) => read((params[name] ?? '') as string),
    ApiParam({ name, description, schema, example }),
  );
}

/** Parameter decorator: whether the request's `Cache-Control` rejects a cached response. */
export function Fresh(): ParameterDecorator {
  return requestParam(
    ({ headers }) => {
      const directives = headers['cache-control']?.split(',') ?? [];
      return directives.some((directive) => WANTS_FRESH.test(directive.trim()));
    },
    optionalHeader(
      'Cache-Control',
      '`no-cache` (or `no-store`, `max-age=0`) asks the database. Without it the response may be from memory, and was true less than a second ago.',
    ),
  );
}

/** Errors of each operation with an `Idempotency-Key` whose response is kept. */
export const IDEMPOTENCY_ERRORS: ErrorClass[] = [
  IdempotencyKeyInvalid,
  IdempotencyKeyReused,
  IdempotencyKeySpent,
];

/** @throws IdempotencyKeyInvalid */
export function requireIdempotencyKey(key: string): void {
  if (!VISIBLE_ASCII.test(key)) throw new IdempotencyKeyInvalid();
}

/** Returns the `Idempotency-Key` header; undefined if it was not sent. @throws IdempotencyKeyInvalid */
export function idempotencyKeyOf({ headersDistinct }: Request): string | undefined {
  const given = headersDistinct['idempotency-key'];
  if (given === undefined) return undefined;
  const [key = ''] = given;
  if (given.length !== 1) throw new IdempotencyKeyInvalid();
  requireIdempotencyKey(key);
  return key;
}

/**
 * Parameter decorator: the `Idempotency-Key` header (draft-ietf-httpapi-idempotency-key-header) unchanged, quoted or
 * not; undefined if it was not sent.
 */
export function IdempotencyKeyHeader(): ParameterDecorator {
  return requestParam(
    idempotencyKeyOf,
    optionalHeader(
      'Idempotency-Key',
      '1–255 visible ASCII characters, new for each intended call. Within 24 hours the same call is done once and gets the same response.',
      { minLength: 1, maxLength: 255 },
    ),
  );
}
