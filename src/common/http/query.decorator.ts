import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import type { Request } from 'express';
import { ApiQuery } from '../api-docs.ts';
import { documentParameter } from '../document-parameter.ts';
import { ValidationFailed } from '../errors.ts';
import type { Violation } from '../violation.ts';
import { toPointer } from '../json/json-pointer.ts';
import { findRepeated, type Parameters, parseForm } from './form.ts';
import { fieldsOf, ruleViolations, toDto } from '../json/to-dto.ts';

/**
 * Parameter decorator: the query of the URL as an instance of `type`, each parameter a string
 * checked by the rules on its property; also describes the query in the OpenAPI document. Unknown
 * and repeated parameters are refused: a misspelt filter would silently widen the answer.
 */
export function QueryOf<T extends object>(type: Type<T>): ParameterDecorator {
  const factory = (_data: unknown, context: ExecutionContext): T => {
    const request = context.switchToHttp().getRequest<Request>();
    const given = queryOf(request.originalUrl);
    const dto = toDto(type, Object.fromEntries(given));
    const found = [...misnamed(given, fieldsOf(type)), ...ruleViolations(dto)];
    if (found.length > 0) throw new ValidationFailed(found);
    return dto;
  };
  return createParamDecorator(factory, [documentParameter(ApiQuery({ type }))])();
}

function queryOf(url: string): Parameters {
  const [, query = ''] = /\?([^#]*)/.exec(url) ?? [];
  return parseForm(query);
}

function misnamed(given: Parameters, fields: readonly string[]): Violation[] {
  const unknown = given
    .filter(([name]) => !fields.includes(name))
    .map(([name]): Violation => {
      const detail = `The query can have ${fields.join(', ')}.`;
      return { pointer: toPointer([name]), code: 'unknown', detail };
    });
  const repeated = findRepeated(given);
  if (repeated === undefined) return unknown;
  const detail = 'The query must name each parameter once.';
  return [...unknown, { pointer: toPointer([repeated]), code: 'repeated', detail }];
}
