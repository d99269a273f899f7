import type { Type } from '@nestjs/common';
import type { ApiPropertyOptions } from '@nestjs/swagger';
import { registerDecorator } from 'class-validator/cjs/register-decorator.js';
import { ApiProperty } from './api-docs.ts';
import { toPointer } from './json-pointer.ts';
import type { Violation } from './problem/violation.ts';

/**
 * Decorators that describe the properties of a DTO in the OpenAPI document, one for each kind of value: `@Text('Its
 * name.', 'Acme')`. Each has variants: `Text.optional`, `Text.orNull`, `Text.optionalOrNull`.
 */

/** Keywords of JSON Schema beyond those of the kind, such as `maximum`. */
type Keywords = Partial<
  Record<
    keyof ApiPropertyOptions | 'maximum' | 'maxLength' | 'schema' | 'x-extensible-enum',
    unknown
  >
>;

type Described = [description: string, example?: unknown, keywords?: Keywords];

/** The time in examples. */
export const TIME_EXAMPLE = '2030-01-01T12:00:00.000Z';

export const Text = kind({ type: String });
/** A text of 1–255 characters. */
export const ShortText = kind({ type: String, minLength: 1, maxLength: 255 });
export const Time = kind({ type: String, format: 'date-time', example: TIME_EXAMPLE });
export const Integer = kind({ type: 'integer' });
export const Flag = kind({ type: Boolean });
/** An object with any members. */
export const AnyObject = kind({ type: 'object', additionalProperties: true });

/** Any JSON value. */
export const AnyValue = kind({
  oneOf: [
    ...['string', 'number', 'boolean', 'null'].map((type) => ({ type })),
    { type: 'object', additionalProperties: true },
    { type: 'array', items: {} },
  ],
});

/** A choice of several values, or with `isArray` a list of them. */
export const OneOf = kindOf((values: readonly unknown[]) => ({ enum: values }));
/** A choice of several values in a query. The library drops an `enum` that is not in a `schema` there. */
export const QueryOneOf = kindOf((values: readonly string[]) => ({
  type: String,
  schema: { enum: values },
}));
/** A text that is one of several today; later versions may add others, which a closed list would forbid. */
export const CodeOf = kindOf((values: readonly string[]) => ({
  type: String,
  'x-extensible-enum': values,
}));
/** Always the same value. */
export const Constant = kindOf((value: 0 | 1 | string) => ({
  enum: [value],
  type: typeof value === 'number' ? 'integer' : 'string',
}));
/** An object of another class. */
export const Nested = kindOf((type: Type) => ({ type }));
/** A list of objects of another class, or of texts. */
export const ListOf = kindOf((type: Type | StringConstructor) => ({ type: [type] }));

function kind(schema: Keywords) {
  return variantsOf((...described: Described) => ({ ...schema, ...keywordsOf(described) }));
}

function kindOf<T>(schemaOf: (subject: T) => Keywords) {
  return variantsOf((subject: T, ...described: Described) => ({
    ...schemaOf(subject),
    ...keywordsOf(described),
  }));
}

function keywordsOf([description, example, keywords]: Described): Keywords {
  return { description, ...(example !== undefined && { example }), ...keywords };
}

function variantsOf<Args extends unknown[]>(schemaOf: (...args: Args) => Keywords) {
  const withKeywords =
    (keywords: Keywords) =>
    (...args: Args): PropertyDecorator =>
      ApiProperty({ ...schemaOf(...args), ...keywords } as ApiPropertyOptions);
  return Object.assign(withKeywords({}), {
    optional: withKeywords({ required: false }),
    orNull: withKeywords({ nullable: true }),
    optionalOrNull: withKeywords({ required: false, nullable: true }),
  });
}

/** Checks the value of a field; `pointer` is the field's own JSON Pointer. Empty means acceptable. */
export type Check = (value: unknown, pointer: string) => Violation[];

const checkKey = Symbol('check');

/**
 * Declares a class-validator rule that can name a place below the field. A field that was not sent passes every rule,
 * unless `required` gives a message for that case; `null` counts as sent.
 */
export function Rule(check: Check, { required }: { required?: string } = {}): PropertyDecorator {
  const complete: Check = (value, pointer) => {
    if (value !== undefined) return check(value, pointer);
    return required === undefined ? [] : [{ pointer, code: 'required', detail: required }];
  };
  return (target, property) => {
    registerDecorator({
      name: 'rule',
      target: target.constructor,
      propertyName: String(property),
      options: { context: { [checkKey]: complete } },
      validator: {
        validate: (value: unknown) => complete(value, '').length === 0,
        // Without a message class-validator would not hand the context back.
        defaultMessage: () => `${String(property)} is not acceptable`,
      },
    });
  };
}

/** Returns the rule behind a failed validation, from the context that class-validator hands back. */
export function checkOf(context: unknown): Check | undefined {
  return (context as Partial<Record<typeof checkKey, Check>> | undefined)?.[checkKey];
}

/** Accepts any string. */
export function stringViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'string') return [];
  return [{ pointer, code: 'type', detail: `The ${fieldOf(pointer)} must be a string.` }];
}

/** Accepts true and false. */
export function flagViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'boolean') return [];
  return [
    { pointer, code: 'type', detail: `The field ${fieldOf(pointer)} must be true or false.` },
  ];
}

/** Makes the rule of a text that is one of several. */
export function choiceOf(values: readonly string[]): Check {
  return textThat(
    (text) => values.includes(text),
    `The value must be one of ${values.join(', ')}.`,
  );
}

/** Makes the rule of a text of a form. @param detail what it must be, also for a caller that sends no text */
export function textThat(is: (text: string) => boolean, detail: string): Check {
  return (value, pointer) => {
    if (typeof value !== 'string') return [{ pointer, code: 'type', detail }];
    return is(value) ? [] : [{ pointer, code: 'not_acceptable', detail }];
  };
}

/** Makes the rule of a whole number in a query, where it is a text. */
export function digits(least: number, most = 999_999_999): Check {
  const isNumber = (text: string) =>
    /^(0|[1-9]\d{0,8})$/.test(text) && Number(text) >= least && Number(text) <= most;
  return textThat(isNumber, `The value must be a whole number from ${least} to ${most}.`);
}

/** Lets null pass a rule. */
export function orNull(check: Check): Check {
  return (value, pointer) => (value === null ? [] : check(value, pointer));
}

/** Makes the rule of a list, in which each value, or each `name` of an object, occurs once unless `canRepeat`. */
export function listOf(check: Check, { least = 0, most, canRepeat = false }: ListLimits): Check {
  return (value, pointer) => {
    if (!Array.isArray(value)) {
      return [{ pointer, code: 'type', detail: 'The value must be a list.' }];
    }
    if (value.length < least) {
      return [{ pointer, code: 'empty', detail: 'The list must not be empty.' }];
    }
    if (value.length > most) {
      return [{ pointer, code: 'too_many', detail: `The list must have at most ${most} entries.` }];
    }
    const seen = new Set<unknown>();
    return value.flatMap((item: unknown, index): Violation[] => {
      const place = `${pointer}/${index}`;
      const violations = check(item, place);
      const name =
        typeof item === 'object' && item !== null ? (item as { name?: unknown }).name : item;
      if (violations.length > 0 || canRepeat || !seen.has(name)) {
        seen.add(name);
        return violations;
      }
      return [{ pointer: place, code: 'repeated', detail: 'It is listed twice.' }];
    });
  };
}

interface ListLimits {
  /** 0, or 1 for a list that must not be empty. */
  least?: 0 | 1;
  most: number;
  canRepeat?: boolean;
}

/** Makes the rule of a whole number between two. */
export function wholeNumber(least: number, most: number): Check {
  return (value, pointer) => {
    if (typeof value !== 'number') {
      return [{ pointer, code: 'type', detail: `The ${fieldOf(pointer)} must be a number.` }];
    }
    if (Number.isInteger(value) && value >= least && value <= most) return [];
    const detail = `The ${fieldOf(pointer)} must be a whole number from ${least} to ${most}.`;
    return [{ pointer, code: 'not_acceptable', detail }];
  };
}

/** Makes the rule of an object with these fields, of which some can be absent, and no others. */
export function objectOf(
  fields: Readonly<Record<string, Check>>,
  optional: readonly string[] = [],
): Check {
  const names = Object.keys(fields);
  const required = names.filter((name) => !optional.includes(name));
  return (value, pointer) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return [{ pointer, code: 'type', detail: 'The value must be an object.' }];
    }
    const unknown = Object.keys(value)
      .filter((name) => !Object.hasOwn(fields, name))
      .map((name): Violation => {
        const detail = `This field is unknown. The object can have: ${names.join(', ')}.`;
        return { pointer: pointer + toPointer([name]), code: 'unknown', detail };
      });
    const broken = names.flatMap((name): Violation[] => {
      const place = `${pointer}/${name}`;
      if (Object.hasOwn(value, name)) {
        return fields[name]!((value as Record<string, unknown>)[name], place);
      }
      if (optional.includes(name)) return [];
      return [
        {
          pointer: place,
          code: 'required',
          detail: `The object must have ${required.join(', ')}.`,
        },
      ];
    });
    return [...unknown, ...broken];
  };
}

function fieldOf(pointer: string): string {
  return pointer.slice(1);
}
