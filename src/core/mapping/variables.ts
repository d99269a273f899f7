import { toPointer } from '../../platform/common/json-pointer.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../platform/common/json/strict-json.ts';
import type { Violation } from '../../platform/common/problem/violation.ts';
import { isDate, isTimestamp } from '../../platform/common/time.ts';

/** Tests for the types of single values. `null` is of no type. */
const TESTS = {
  string: (value: JsonValue) => typeof value === 'string',
  integer: (value: JsonValue) => Number.isInteger(value),
  number: (value: JsonValue) => typeof value === 'number',
  boolean: (value: JsonValue) => typeof value === 'boolean',
  /** A calendar date of RFC 3339, such as 2030-12-31. */
  date: (value: JsonValue) => typeof value === 'string' && isDate(value),
  /** A date with a time and an offset from UTC, as RFC 3339 writes it. */
  timestamp: (value: JsonValue) => typeof value === 'string' && isTimestamp(value),
};

type SingleType = keyof typeof TESTS;
export type VariableType = SingleType | `${SingleType}[]`;

const singleTypes = Object.keys(TESTS) as SingleType[];
/** The types of variables; `integer` is a number without a fraction, and `[]` makes a list. */
export const variableTypes: readonly VariableType[] = [
  ...singleTypes,
  ...singleTypes.map((type): VariableType => `${type}[]`),
];

/** The places that give a variable its value: the properties of the group, or an embed token. */
export const variableSources = ['group', 'token'] as const;

/** A variable that a workspace declares for dashboards and SQL. */
export interface DeclaredVariable {
  /** The name of a property, or a path such as `address.country` into nested ones. */
  name: string;
  type: VariableType;
  /** The only place that its value is taken from. */
  source: (typeof variableSources)[number];
  /** Whether a group that lacks it is incomplete, or a token that lacks it is inactive. */
  required: boolean;
  /** The value for groups or tokens that lack it; without one they have null. */
  default?: JsonValue;
  /** The allowed values, of a list the allowed entries. */
  enum?: readonly JsonValue[];
  description?: string;
  /** Whether lists and logs leave its value out. */
  isSecret: boolean;
}

/** The place of a secret value in the audit log. */
const HIDDEN = '[secret]';

/** Splits the name of a variable into the names of nested properties. */
export const pathOf = ({ name }: Pick<DeclaredVariable, 'name'>) => name.split('.');

/** Lists what is wrong with the value that the properties of a group have for a variable. */
export function variableViolations(
  variable: DeclaredVariable,
  properties: JsonObject,
): Violation[] {
  const path = pathOf(variable);
  if (variable.source === 'token') {
    if ((valueAt(properties, path) ?? null) === null) return [];
    const detail = 'The workspace declares that only an embed token has this variable.';
    return [{ pointer: toPointer(['properties', ...path]), code: 'not_acceptable', detail }];
  }
  const outer = path.findIndex(
    (_, depth) => depth > 0 && isOther(valueAt(properties, path.slice(0, depth))),
  );
  if (outer > 0) {
    const detail = `The workspace declares ${variable.name}, so this property must be an object.`;
    return [{ pointer: toPointer(['properties', ...path.slice(0, outer)]), code: 'type', detail }];
  }
  const pointer = toPointer(['properties', ...path]);
  const value = valueAt(properties, path);
  if (value === undefined || (value === null && !variable.required)) {
    if (!variable.required) return [];
    const detail = `The workspace requires every user group to have this property, of the type ${variable.type}.`;
    return [{ pointer, code: 'required', detail }];
  }
  return valueViolations(variable, value, pointer);
}

/** Lists what is wrong with a value of a variable. @param pointer its place */
export function valueViolations(
  { type, enum: allowed }: Pick<DeclaredVariable, 'type' | 'enum'>,
  value: JsonValue,
  pointer: string,
): Violation[] {
  const isList = type.endsWith('[]');
  const isOfType = TESTS[type.replace('[]', '') as SingleType];
  if (isList && !Array.isArray(value)) return [wrongType(type, pointer)];
  const entries = isList ? (value as JsonValue[]) : [value];
  return entries.flatMap((entry, index): Violation[] => {
    const place = isList ? `${pointer}/${index}` : pointer;
    if (!isOfType(entry)) return [wrongType(type, place)];
    if (!allowed || allowed.includes(entry)) return [];
    return [
      {
        pointer: place,
        code: 'not_acceptable',
        detail: 'The workspace allows other values for this variable.',
      },
    ];
  });
}

function wrongType(type: VariableType, pointer: string): Violation {
  return {
    pointer,
    code: 'type',
    detail: `The workspace requires this variable to be of the type ${type}.`,
  };
}

/** Finds the value of a path of names; undefined if there is none. */
export function valueAt(properties: JsonObject, path: readonly string[]): JsonValue | undefined {
  let value: JsonValue | undefined = properties;
  for (const name of path) {
    value = isJsonObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
  }
  return value;
}

/**
 * Returns every declared variable: its value, the default or null. Paths become nested objects.
 * @param ofToken the variables of a token; each is of the source `token`, or a narrowed list of the group
 */
export function variableValues(
  declared: readonly DeclaredVariable[],
  properties: JsonObject,
  ofToken: JsonObject,
): JsonObject {
  const variables = emptyObject();
  for (const variable of declared) {
    const path = pathOf(variable);
    const ofGroup = variable.source === 'token' ? undefined : valueAt(properties, path);
    const value = valueAt(ofToken, path) ?? ofGroup ?? variable.default ?? null;
    const last = path.pop()!;
    let within = variables;
    for (const name of path) within = (within[name] ??= emptyObject()) as JsonObject;
    within[last] = value;
  }
  return variables;
}

/** Returns the properties as JSON text without the values of secret variables. */
export function withoutSecrets(properties: string, declared: readonly DeclaredVariable[]): string {
  const secrets = declared.filter(({ isSecret }) => isSecret);
  if (secrets.length === 0) return properties;
  return JSON.stringify(
    secrets.reduce((rest, secret) => replaced(rest, pathOf(secret)), parse(properties)),
  );
}

/** Returns the properties with a mark in place of the values of secret variables. */
export function withHiddenSecrets(
  properties: JsonObject,
  declared: readonly DeclaredVariable[],
): JsonObject {
  const secrets = declared.filter(({ isSecret }) => isSecret);
  return secrets.reduce((rest, secret) => replaced(rest, pathOf(secret), HIDDEN), properties);
}

/** Returns a copy with another value at the path, if there is one, or with none there. */
export function replaced(
  from: JsonObject,
  [name, ...rest]: readonly string[],
  value?: JsonValue,
): JsonObject {
  const entries = Object.entries(from).flatMap(([key, one]): [string, JsonValue][] => {
    if (key !== name) return [[key, one]];
    if (rest.length > 0 && isJsonObject(one)) return [[key, replaced(one, rest, value)]];
    // Another value in the place of an object may hold the secret.
    return value === undefined ? [] : [[key, value]];
  });
  return Object.fromEntries(entries);
}

/** Makes an object in which every name is a name, `__proto__` too. */
function emptyObject(): JsonObject {
  return Object.create(null) as JsonObject;
}

function parse(text: string): JsonObject {
  return JSON.parse(text) as JsonObject;
}

/** Tells whether there is something that is no object. */
function isOther(value: JsonValue | undefined): boolean {
  return value !== undefined && value !== null && !isJsonObject(value);
}
