import { registerDecorator } from 'class-validator/cjs/register-decorator.js';
import type { Violation } from '../violation.ts';

/** Checks the value of a field; `pointer` is the field's own JSON Pointer. Empty means acceptable. */
export type Rule = (value: unknown, pointer: string) => Violation[];

const ruleKey = Symbol('rule');

/**
 * Declares a class-validator rule that can name a place below the field. A field that was not sent
 * passes every rule, unless `required` gives a message for that case; `null` counts as sent.
 */
export function Obeys(rule: Rule, { required }: { required?: string } = {}): PropertyDecorator {
  const complete: Rule = (value, pointer) => {
    if (value !== undefined) return rule(value, pointer);
    return required === undefined ? [] : [{ pointer, code: 'required', detail: required }];
  };
  return (target, property) => {
    registerDecorator({
      name: 'obeys',
      target: target.constructor,
      propertyName: String(property),
      options: { context: { [ruleKey]: complete } },
      validator: {
        validate: (value: unknown) => complete(value, '').length === 0,
        // Without a message class-validator would not hand the context back.
        defaultMessage: () => `${String(property)} is not acceptable`,
      },
    });
  };
}

/** Returns the rule behind a failed validation, from the context that class-validator hands back. */
export function ruleOf(context: unknown): Rule | undefined {
  return (context as Partial<Record<typeof ruleKey, Rule>> | undefined)?.[ruleKey];
}
