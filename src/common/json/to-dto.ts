import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator/cjs/metadata/MetadataStorage.js';
import { Validator } from 'class-validator/cjs/validation/Validator.js';
import { ValidationFailed } from '../errors.ts';
import type { Violation } from '../violation.ts';
import { type Rule, ruleOf } from './obeys.decorator.ts';

/** What class-validator knows about a DTO, read once. */
interface Shape {
  /** Its decorated properties. */
  fields: readonly string[];
  /** The rule of each field; undefined if some field has anything but one `Obeys`. */
  rules: readonly Rule[] | undefined;
}

/** Copies the fields of `type` from `source`, and leaves out others. */
export function toDto<T extends object>(type: Type<T>, source: object): T {
  const dto = new type() as Record<string, unknown>;
  for (const field of fieldsOf(type)) {
    if (Object.hasOwn(source, field)) dto[field] = (source as Record<string, unknown>)[field];
  }
  return dto as T;
}

/** As `toDto`. @throws ValidationFailed if a rule on a property of `type` is broken */
export function checkedDto<T extends object>(type: Type<T>, source: object): T {
  const dto = toDto(type, source);
  const violations = ruleViolations(dto);
  if (violations.length > 0) throw new ValidationFailed(violations);
  return dto;
}

/**
 * Checks a DTO against the rules on its properties. Where each property has one `Obeys`, the rules
 * are called directly; class-validator would find the same, much more slowly.
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

/** As `ruleViolations`, by class-validator, whose own decorators a module may use besides `Obeys`. */
export function validatorViolations(dto: object): Violation[] {
  return validator.validateSync(dto).flatMap((error) =>
    Object.entries(error.constraints ?? {}).flatMap(([name, message]) => {
      const pointer = `/${error.property}`;
      const rule = ruleOf(error.contexts?.[name]);
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
  const rules = decorators.map(({ context }) => ruleOf(context));
  const isSimple =
    fields.length > 0 && fields.length === rules.length && !rules.includes(undefined);
  return { fields, rules: isSimple ? (rules as Rule[]) : undefined };
}
