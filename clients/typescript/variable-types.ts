import { boundValueOf, type Refuse, type Scalar, type ValueRules } from './bound-values.js';

/** The type of a variable: `string[]` is a list; `string?` may be missing where the SQL has it in `[[ … ]]`. */
export type VariableType =
  `${'string' | 'integer' | 'number' | 'boolean' | 'date' | 'timestamp'}${'' | '[]'}${'' | '?'}`;

export interface Type {
  scalar: Scalar;
  isList: boolean;
  isOptional: boolean;
}

const TYPES = new Map<string, Type>(
  (['string', 'integer', 'number', 'boolean', 'date', 'timestamp'] as const).flatMap((scalar) =>
    ['', '[]', '?', '[]?'].map((more) => {
      return [
        scalar + more,
        { scalar, isList: more.startsWith('['), isOptional: more.endsWith('?') },
      ];
    }),
  ),
);
/** Every engine takes every value of a type. */
const NO_ENGINE: ValueRules = {};

/** Returns the declared type. @throws TypeError if it is none */
export function typeDeclared(name: string, declared: string): Type {
  const type = TYPES.get(declared);
  if (!type) throw new TypeError(`${name} is declared as ${declared}, which is no type`);
  return type;
}

/** Checks each value of a variable against its type, as `bindVariables` does. */
export function checkValue(value: unknown, { scalar, isList }: Type, refuse: Refuse): void {
  if (!isList) boundValueOf(value, scalar, NO_ENGINE, refuse);
  else if (Array.isArray(value)) {
    for (const one of value) boundValueOf(one, scalar, NO_ENGINE, refuse);
  } else throw refuse('variable_type', `has to be a list of type ${scalar}`);
}

/** Returns the variable of a path; undefined if it is missing. */
export function valueAt(variables: unknown, path: readonly string[], refuse: Refuse): unknown {
  let value = variables;
  for (const key of path) {
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'object' || Array.isArray(value)) {
      throw refuse('variable_type', 'is looked for in what is no object');
    }
    value = own(value as Record<string, unknown>, key);
  }
  return value;
}

/** Returns a member of the object itself, whatever its name is. */
export function own<Value>(
  record: Readonly<Record<string, Value>>,
  name: string,
): Value | undefined {
  return Object.hasOwn(record, name) ? record[name] : undefined;
}
