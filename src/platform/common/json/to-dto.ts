import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator/cjs/metadata/MetadataStorage.js';
import { Validator } from 'class-validator/cjs/validation/Validator.js';
import { ValidationFailed } from '../problem/errors.ts';
import type { Violation } from '../problem/violation.ts';
import { type Check, checkOf } from '../fields.ts';

/** Facts of class-validator about a DTO, read once. */
interface Shape {
  fields: readonly string[];
  /** The rule of each field; undefined if some field has anything but one `Rule`. */
  rules: readonly Check[] | undefined;
}

/** Copies the fields of `type` from `source`, and leaves out others. */
export function toDto<T extends object>(type: Type<T>, source: object): T {
  const dto = new type() as Record<string, unknown>;
  for (const field of fieldsOf(type)) {
    if (Object.hasOwn(source, field)) dto[field] = (source as Record<string, unknown>)[field];
  }
  return dto as T;
}

/** @throws ValidationFailed if a rule on a property of `type` is broken */
export function checkedDto<T extends object>(type: Type<T>, source: object): T {
  const dto = toDto(type, source);
  const violations = ruleViolations(dto);
  if (violations.length > 0) throw new ValidationFailed(violations);
  return dto;
}

/**
 * Checks a DTO against the rules on its properties. If each property has one `Rule`, the rules are called directly;
 * class-validator would find the same, much more slowly.
 */
export function ruleViolations(dto: object): Violation[] {
  const { fields, rules } = shapeOf(dto.constructor as Type);
  if (rules === undefined) return validatorViolations(dto);
  let found: Violation[] | undefined;
  for (let index = 0; index < fields.length; index++) {
    const field = fields[index]!;
    const violations = rules[index]!((dto as Record<string, unknown>)[field], `/${field}`);
    if (violations.length > 0) found = found === undefined ? violations : [...found, ...violations];
  }
  return found ?? [];
}

const validator = new Validator();

/** Checks a DTO with class-validator, whose own decorators a module may use in addition to `Rule`. */
export function validatorViolations(dto: object): Violation[] {
  return validator.validateSync(dto).flatMap((error) =>
    Object.entries(error.constraints ?? {}).flatMap(([name, message]) => {
      const pointer = `/${error.property}`;
      const rule = checkOf(error.contexts?.[name]);
      return rule?.(error.value, pointer) ?? { pointer, code: 'not_acceptable', detail: message };
    }),
  );
}

/** Lists the decorated properties of a DTO, in class-validator's order. */
export function fieldsOf(type: Type): readonly string[] {
  return shapeOf(type).fields;
}

const shapes = new Map<Type, Shape>();

function shapeOf(type: Type): Shape {
  let shape = shapes.get(type);
  if (!shape) {
    shape = readShape(type);
    shapes.set(type, shape);
  }
  return shape;
}

function readShape(type: Type): Shape {
  const decorators = getMetadataStorage().getTargetValidationMetadatas(type, '', false, false);
  const fields = [...new Set(decorators.map(({ propertyName }) => propertyName))];
  const rules = decorators.map(({ context }) => checkOf(context));
  const isSimple =
    fields.length > 0 && fields.length === rules.length && !rules.includes(undefined);
  return { fields, rules: isSimple ? (rules as Check[]) : undefined };
}
