import { createParamDecorator, type ExecutionContext, type Type } from '@nestjs/common';
import { ApiBody } from '@nestjs/swagger';
import { getMetadataStorage, validateSync } from 'class-validator';
import type { Request } from 'express';
import { ValidationFailed, type Violation } from '../errors';
import { BODY_LIMIT_SETTING } from '../http/http-settings';
import { ruleOf } from './obeys.decorator';
import { readBody } from './read-body';
import { parseStrictJson, type StrictJson } from './strict-json';

/**
 * Parameter decorator: the request's JSON body as an instance of `type`, checked by the rules on
 * its properties, and the body in the OpenAPI document. A field of `type` is a property with a
 * rule; other fields are ignored. It reads the body itself, after the guard, so that nobody without
 * a valid API token can make the service read or parse anything.
 */
export function JsonBody<T extends object>(type: Type<T>): ParameterDecorator {
  const factory = async (_data: unknown, context: ExecutionContext): Promise<T> => {
    const request = context.switchToHttp().getRequest<Request>();
    const limit = request.app.get(BODY_LIMIT_SETTING) as number;
    return toDto(type, parseStrictJson(await readBody(request, limit)));
  };
  const document: ParameterDecorator = (target, method) => {
    if (method === undefined) return;
    const descriptor = Object.getOwnPropertyDescriptor(target, method);
    if (descriptor) ApiBody({ type, required: true })(target, method, descriptor);
  };
  return createParamDecorator(factory, [document])();
}

function toDto<T extends object>(type: Type<T>, json: StrictJson): T {
  const { value, violations, lossyNumbers } = json;
  if (violations.length > 0) throw new ValidationFailed(violations);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    const detail = 'The body must be a JSON object.';
    throw new ValidationFailed([{ pointer: '', code: 'type', detail }]);
  }
  const dto = new type() as T & Record<string, unknown>;
  const fields = fieldsOf(type);
  for (const field of fields) {
    if (Object.hasOwn(value, field)) Object.assign(dto, { [field]: value[field] });
  }
  const found = [
    ...ruleViolations(dto),
    ...lossyNumbers.filter((number) => isBelow(number, fields)),
  ];
  if (found.length > 0) throw new ValidationFailed(found);
  return dto;
}

function ruleViolations(dto: object): Violation[] {
  return validateSync(dto).flatMap((error) =>
    Object.entries(error.constraints ?? {}).flatMap(([name, message]) => {
      const pointer = `/${error.property}`;
      const rule = ruleOf(error.contexts?.[name]);
      // A module may use class-validator's own decorators beside `Obeys`.
      return rule?.(error.value, pointer) ?? { pointer, code: 'not_acceptable', detail: message };
    }),
  );
}

/** class-validator's own record of the decorated properties, read once for each DTO. */
function fieldsOf(type: Type): readonly string[] {
  let fields = fieldsByType.get(type);
  if (!fields) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    fields = [...new Set(rules.map((rule) => rule.propertyName))];
    fieldsByType.set(type, fields);
  }
  return fields;
}

const fieldsByType = new Map<Type, readonly string[]>();

/** A number in an ignored field is never stored, so its digits do not matter. */
function isBelow(violation: Violation, fields: readonly string[]): boolean {
  return fields.some((field) => `${violation.pointer}/`.startsWith(`/${field}/`));
}
