import type { Type } from '@nestjs/common';
import { getMetadataStorage, validateSync } from 'class-validator';
import { ValidationFailed, type Violation } from '../errors';
import { ruleOf } from './obeys.decorator';

/** The fields of `type` that `source` has; other fields are left out. */
export function toDto<T extends object>(type: Type<T>, source: object): T {
  const dto = new type();
  for (const field of fieldsOf(type)) {
    if (Object.hasOwn(source, field)) {
      Object.assign(dto, { [field]: (source as Record<string, unknown>)[field] });
    }
  }
  return dto;
}

/** As `toDto`. @throws ValidationFailed if a rule on a property of `type` is broken */
export function checkedDto<T extends object>(type: Type<T>, source: object): T {
  const dto = toDto(type, source);
  const violations = ruleViolations(dto);
  if (violations.length > 0) throw new ValidationFailed(violations);
  return dto;
}

/** What the rules on the properties of a DTO say about it. */
export function ruleViolations(dto: object): Violation[] {
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
export function fieldsOf(type: Type): readonly string[] {
  let fields = fieldsByType.get(type);
  if (!fields) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
    fields = [...new Set(rules.map((rule) => rule.propertyName))];
    fieldsByType.set(type, fields);
  }
  return fields;
}

const fieldsByType = new Map<Type, readonly string[]>();
