import { createHash } from 'node:crypto';
import type { TargetGrant } from '../../../core/embed-token/target-tokens.ts';
import { dataSourceAsSent } from '../../../core/mapping/resolved-mapping.ts';
import { valueAt, variableValues } from '../../../core/mapping/variables.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../platform/common/json/strict-json.ts';

const PLAIN = [
  'sub',
  'team_id',
  'name',
  'user.id',
  'user.name',
  'user.email',
  'user.key',
  'resources',
  'acting_for',
];
const VARIABLE = /^variables(?:\.[^.]+){1,15}$/su;
const MAPPING = /^mapping\..+$/su;
const RESOURCE = /^resource\.[A-Za-z][\w.-]{0,63}$/;
const MAX_LENGTH = 512;

/** Whether a value of the claims is meant as a reference: an object with the member `$`. */
export function isReference(value: JsonValue | undefined): value is JsonObject {
  return isJsonObject(value) && Object.hasOwn(value, '$');
}

/** Whether a text names something that can be copied. */
export function isReferenceName(text: string): boolean {
  if (text.length > MAX_LENGTH) return false;
  return PLAIN.includes(text) || [VARIABLE, MAPPING, RESOURCE].some((form) => form.test(text));
}

/** Whether it tells the groups of a workspace apart: a name is not unique, and ids of users are so within a group alone. */
export function isOfGroup(name: string): boolean {
  return ['sub', 'team_id', 'user.key'].includes(name) || /^(variables|mapping)\./.test(name);
}

/** A value of a group that a browser must not see. */
export const SECRET = Symbol('secret');

/**
 * Finds the value of a reference.
 * @returns undefined if there is none, which null is too; `SECRET` for a variable that is secret, or has one inside
 */
export function valueOf(name: string, grant: TargetGrant): JsonValue | typeof SECRET | undefined {
  const { group, user, resources, actingFor } = grant;
  if (name.startsWith('variables.')) return variableOf(name.slice('variables.'.length), grant);
  if (name.startsWith('mapping.')) return dataSourceOf(name.slice('mapping.'.length), grant);
  if (name.startsWith('resource.')) {
    const [one, ...others] = resources ?? [];
    return others.length === 0 && one?.type === name.slice('resource.'.length) ? one.id : undefined;
  }
  const values: Record<string, JsonValue | undefined> = {
    sub: group.providedId,
    team_id: group.userGroupId,
    name: group.name,
    'user.id': user?.id,
    'user.name': user?.name,
    'user.email': user?.email,
    'user.key': user && keyOfUser(group.userGroupId, user.id),
    resources: resources?.map(({ type, id }) => ({ type, id })),
    acting_for: actingFor,
  };
  return values[name];
}

/** The form of `user.key`. */
export const KEY_OF_USER = /^g\d+-[\da-f]{32}$/;

/**
 * Returns an id of a person that no other group has, in the whole installation, and that renaming neither of the two
 * changes: two groups may have a user of one id.
 */
function keyOfUser(teamId: number, userId: string): string {
  return `g${teamId}-${createHash('sha256').update(userId).digest('hex').slice(0, 32)}`;
}

function variableOf(name: string, grant: TargetGrant) {
  const declared = grant.group.rules.variables;
  const isSecret = declared.some(
    (one) =>
      one.isSecret &&
      (one.name === name || one.name.startsWith(`${name}.`) || name.startsWith(`${one.name}.`)),
  );
  if (isSecret) return SECRET;
  return valueAt(variablesOf(grant), name.split('.')) ?? undefined;
}

/** The variables of tokens that are being made: a target can copy hundreds of them. */
const known = new WeakMap<TargetGrant, JsonObject>();

function variablesOf(grant: TargetGrant): JsonObject {
  const { group, variables = {} } = grant;
  let values = known.get(grant);
  if (!values) {
    const declared = group.rules.variables;
    const properties = JSON.parse(group.properties) as JsonObject;
    values = declared.length > 0 ? variableValues(declared, properties, variables) : properties;
    known.set(grant, values);
  }
  return values;
}

/** Returns the caller's own id of a registered data source, or under the policy `open` what the mapping says. */
function dataSourceOf(schema: string, { group }: TargetGrant): JsonValue | undefined {
  const isOpen = group.rules.policy === 'open';
  const entry = group.mapping.find((one) =>
    isOpen ? one.schemaId === schema : one.schema?.providedId === schema,
  );
  if (!entry) return undefined;
  return isOpen ? dataSourceAsSent(entry) : entry.source?.providedId;
}
