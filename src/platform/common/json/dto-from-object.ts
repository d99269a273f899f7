import type { Type } from '@nestjs/common';
import { ValidationFailed } from '../problem/errors.ts';
import { dtoFromJson } from './json-dto.ts';
import { toPointer } from '../json-pointer.ts';
import { parseStrictJson } from './strict-json.ts';

/**
 * Makes an instance of `type` from `input` as JSON, checked by the rules of a body. The result shares nothing with
 * `input`.
 * @throws ValidationFailed, also for values that JSON would alter silently: NaN and the infinities
 */
export function dtoFromObject<T extends object>(type: Type<T>, input: object): T {
  const text = JSON.stringify(input, (name, value: unknown) => {
    if (typeof value !== 'number' || Number.isFinite(value)) return value;
    const detail = `${name} must be a number that JSON has.`;
    throw new ValidationFailed([{ pointer: toPointer([name]), code: 'not_acceptable', detail }]);
  });
  return dtoFromJson(type, parseStrictJson(Buffer.from(text)));
}
