import type { Type } from '@nestjs/common';
import { Expose, Transform } from 'class-transformer';
import { inspect } from 'node:util';
import { isPromise } from 'node:util/types';
import { OperatorError } from '../common/operator-error.ts';
import { reasonOf } from '../common/reason-of.ts';

/** An environment that cannot be used. The message names the variable, never its value. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';
}

/** How an environment variable is read and described. */
export interface VariableOptions<T> {
  /** Describes it in one sentence, for the README table and `.env.example`. */
  about: string;
  /** The default as documents show it, where that is not the property's value. */
  defaultText?: string;
  /** A secret can also be given as `NAME_FILE`, the path of a file that holds it. */
  secret?: true;
  /** Turns the text into the value; what it throws ends the start, with its message. */
  read: (text: string) => T;
}

export interface Variable extends VariableOptions<unknown> {
  name: string;
  property: string;
}

const declared = new WeakMap<object, Variable[]>();

/** The variables of a class of settings, in the order of their declaration. */
export function variablesOf(settings: Type): readonly Variable[] {
  return declared.get(settings.prototype as object) ?? [];
}

/**
 * Binds a property of a class of settings to one environment variable; the value that it is initialised
 * with is the default.
 */
export function FromEnv<T>(name: string, options: VariableOptions<T>): PropertyDecorator {
  return (target, property) => {
    const variable = { ...options, name, property: String(property) };
    declared.set(target, [...(declared.get(target) ?? []), variable]);
    if (options.secret) hideSecrets(target);
    Expose({ name })(target, property);
    Transform(({ value }: { value: unknown }) => readVariable(name, options, value))(
      target,
      property,
    );
  };
}

/** Makes settings show no secret, wherever they are shown: by `util.inspect`, or as JSON in a log. */
function hideSecrets(target: object): void {
  const value = function (this: object): object {
    const secrets = variablesOf(this.constructor as Type).filter(({ secret }) => secret);
    return {
      ...this,
      ...Object.fromEntries(secrets.map(({ property }) => [property, '[redacted]'])),
    };
  };
  for (const name of [inspect.custom, 'toJSON']) {
    Object.defineProperty(target, name, { value, configurable: true });
  }
}

function readVariable<T>(name: string, options: VariableOptions<T>, value: unknown): T | undefined {
  if (typeof value !== 'string') return undefined;
  try {
    const read: unknown = options.read(value);
    if (!isPromise(read)) return read as T;
    read.catch(() => undefined);
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(`${name} ${error.message}`);
    const reason = reasonOf(error);
    // What the code of a plugin says may hold the value.
    const told = reason.includes(value) ? '' : `: ${reason}`;
    throw new ConfigError(`${name} cannot be read${told}.`);
  }
  throw new ConfigError(`${name} is read by what returns a promise, and must be read at once.`);
}
