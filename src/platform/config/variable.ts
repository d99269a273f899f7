import type { Type } from '@nestjs/common';
import { Expose, Transform } from 'class-transformer';
import { inspect } from 'node:util';
import { isPromise } from 'node:util/types';
import { OperatorError } from '../common/problem/operator-error.ts';
import { reasonOf } from '../common/problem/reason-of.ts';

/** An invalid environment. The message names the variable, never its value. */
export class ConfigError extends OperatorError {
  override readonly name = 'ConfigError';
}

/** Describes how a variable is read, and documents it. */
export interface VariableOptions<T> {
  /** One sentence for the README table and `.env.example`. */
  about: string;
  /** The default in documents, if it is not the property's value: `unset` without one. */
  defaultText?: string;
  /** Heading in documents of this variable and those after it. */
  group?: string;
  /** Hides the value. A secret can also be given as `NAME_FILE`, the path of a file that holds it. */
  secret?: true;
  /** Allows `NAME_FILE` without hiding the value. */
  file?: true;
  /** Shows a time after which something is removed, as a member of `retention` of the system: its name and a sentence. */
  retention?: [string, string];
  /** Converts the text into the value; an error ends the start with its message. */
  read: (text: string) => T;
}

export interface Variable extends VariableOptions<unknown> {
  name: string;
  property: string;
  /** Whether it can be given as `NAME_FILE`. */
  hasFile: boolean;
}

const declared = new WeakMap<object, Variable[]>();

/** The variables of a class of settings, in the order of their declaration. */
export function variablesOf(settings: Type): readonly Variable[] {
  return declared.get(settings.prototype as object) ?? [];
}

/** Binds a property of a class of settings to one environment variable; its initial value is the default. */
export function FromEnv<T>(name: string, options: VariableOptions<T>): PropertyDecorator {
  return (target, property) => {
    const hasFile = Boolean(options.secret ?? options.file);
    const variable = { ...options, name, property: String(property), hasFile };
    declared.set(target, [...(declared.get(target) ?? []), variable]);
    if (options.secret) hideSecrets(target);
    Expose({ name })(target, property);
    Transform(({ value }: { value: unknown }) => readVariable(name, options, value))(
      target,
      property,
    );
  };
}

/** Hides secrets in `util.inspect` and in JSON. */
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
    // The message of a plugin's code may contain the value.
    const told = reason.includes(value) ? '' : `: ${reason}`;
    throw new ConfigError(`${name} cannot be read${told}.`);
  }
  throw new ConfigError(`${name} is read by what returns a promise, and must be read at once.`);
}
