import { toPointer } from '../../platform/common/json-pointer.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../platform/common/json/strict-json.ts';
import type { Violation } from '../../platform/common/problem/violation.ts';
import {
  type DeclaredVariable,
  pathOf,
  replaced,
  valueAt,
  valueViolations,
  variableValues,
} from './variables.ts';

/** The properties and variables that a renderer gets for a token. */
interface VariablesOfToken {
  properties: JsonObject;
  /** Absent if the workspace declares none. */
  variables?: JsonObject;
}

/**
 * Returns what a renderer gets for a token of a complete group, whose lists are as short in the properties as in the
 * variables; undefined if the token lacks a required variable, or has one that it could not be issued with now.
 */
export function variablesOfToken(
  declared: readonly DeclaredVariable[],
  properties: JsonObject,
  sent: JsonObject = {},
): VariablesOfToken | undefined {
  if (tokenVariableViolations(declared, properties, sent).length > 0) return undefined;
  if (declared.length === 0) return { properties };
  return {
    properties: declared.reduce((narrowed, variable) => {
      const path = pathOf(variable);
      const value = variable.source === 'group' ? valueAt(sent, path) : undefined;
      return value === undefined ? narrowed : replaced(narrowed, path, value);
    }, properties),
    variables: variableValues(declared, properties, sent),
  };
}

/**
 * Lists the reasons why a token cannot have these variables for a group, with places in the body that issues it. A token
 * has the variables of the source `token`, each required one of them, and parts of the group's lists. Issue and
 * introspection use this check, so a later change of group or workspace never widens what a token shows.
 */
export function tokenVariableViolations(
  declared: readonly DeclaredVariable[],
  properties: JsonObject,
  sent: JsonObject,
): Violation[] {
  const missing = declared.filter(
    (variable) =>
      variable.source === 'token' &&
      variable.required &&
      valueAt(sent, pathOf(variable)) === undefined,
  );
  return [
    ...missing.map((variable): Violation => {
      const pointer = toPointer(['variables', ...pathOf(variable)]);
      const detail = `The workspace requires every token to have this variable, of the type ${variable.type}.`;
      return { pointer, code: 'variable_missing', detail };
    }),
    ...wrongVariables(declared, properties, sent, []),
  ];
}

function wrongVariables(
  declared: readonly DeclaredVariable[],
  properties: JsonObject,
  within: JsonObject,
  outer: readonly string[],
): Violation[] {
  return Object.entries(within).flatMap(([key, value]): Violation[] => {
    const path = [...outer, key];
    const pointer = toPointer(['variables', ...path]);
    // A dot in a key is no path: its name would be that of a nested variable.
    const known = path.some((one) => one.includes('.')) ? [] : declared;
    const variable = known.find(({ name }) => name === path.join('.'));
    if (variable?.source === 'token') return valueViolations(variable, value, pointer);
    if (variable) return narrowingViolations(variable, properties, value, pointer);
    const inside = known.filter(({ name }) => name.startsWith(`${path.join('.')}.`));
    if (inside.length > 0 && isJsonObject(value)) {
      return wrongVariables(inside, properties, value, path);
    }
    return [{ pointer, code: 'unknown', detail: 'The workspace declares no such variable.' }];
  });
}

/** Accepts a part of a list of the group. An empty part could be read as no filter, and a secret list be guessed. */
function narrowingViolations(
  variable: DeclaredVariable,
  properties: JsonObject,
  value: JsonValue,
  pointer: string,
): Violation[] {
  if (!variable.type.endsWith('[]') || variable.isSecret) {
    const detail = 'This variable is of the group: only a list that is no secret can be narrowed.';
    return [{ pointer, code: 'variable_not_from_token', detail }];
  }
  const violations = valueViolations(variable, value, pointer);
  if (violations.length > 0) return violations;
  const part = value as JsonValue[];
  if (part.length === 0) {
    return [{ pointer, code: 'empty', detail: 'The list must not be empty.' }];
  }
  const whole = new Set(
    (valueAt(properties, pathOf(variable)) ?? variable.default ?? []) as JsonValue[],
  );
  if (part.every((entry) => whole.has(entry))) return [];
  const detail = 'The list of the group does not have all of these entries.';
  return [{ pointer, code: 'not_a_subset', detail }];
}
