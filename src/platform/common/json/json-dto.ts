import type { Type } from '@nestjs/common';
import { type BodyPart, ValidationFailed } from '../problem/errors.ts';
import type { Violation } from '../problem/violation.ts';
import { toPointer } from '../json-pointer.ts';
import type { StrictJson } from './strict-json.ts';
import { fieldsOf, ruleViolations, toDto } from './to-dto.ts';

/**
 * Converts a JSON object into an instance of `type`, checked by the rules on its properties.
 * @param options.lenient whether to ignore unknown fields; by default they are refused
 * @param options.part name of the JSON in messages
 * @throws ValidationFailed
 */
export function dtoFromJson<T extends object>(
  type: Type<T>,
  { value, violations, lossyNumbers }: StrictJson,
  { lenient = false, part = 'body' }: { lenient?: boolean; part?: BodyPart } = {},
): T {
  if (violations.length > 0) throw new ValidationFailed(violations);
  if (value === null || typeof value !== 'object' || Array.isArray(value)) {
    const detail = `The ${part} must be a JSON object.`;
    throw new ValidationFailed([{ pointer: '', code: 'type', detail }]);
  }
  const dto = toDto(type, value);
  const fields = fieldsOf(type);
  const broken = ruleViolations(dto);
  if (!lenient || broken.length > 0 || lossyNumbers.length > 0) {
    const found = [
      ...(lenient ? [] : unknownFields(value, fields, part)),
      ...broken,
      ...lossyNumbers.filter((number) => isBelow(number, fields)),
    ];
    if (found.length > 0) throw new ValidationFailed(found);
  }
  return dto;
}

function unknownFields(value: object, fields: readonly string[], part: BodyPart): Violation[] {
  const detail = `This field is unknown. The ${part} can have: ${fields.join(', ')}.`;
  return Object.keys(value)
    .filter((key) => !fields.includes(key))
    .map((key) => ({ pointer: toPointer([key]), code: 'unknown', detail }));
}

/** A number in an ignored field is never stored, so its digits do not matter. */
function isBelow(violation: Violation, fields: readonly string[]): boolean {
  return fields.some((field) => `${violation.pointer}/`.startsWith(`/${field}/`));
}
