import { isDeepStrictEqual } from 'node:util';
import { ValidationFailed } from '../../../platform/common/problem/errors.ts';
import type { JsonObject } from '../../../platform/common/json/strict-json.ts';
import { toWireTime, toWireTimeOrNull } from '../../../platform/common/time.ts';
import type { StoredMapping } from '../../mapping/resolved-mapping.ts';
import { fromStoredMapping, isSameMapping, type Mapping } from './mapping.ts';

/** The fields of a user group that callers write. */
export interface UserGroupContent {
  name: string;
  /** Schema id to data source, as sent. */
  mapping: Mapping;
  properties: JsonObject;
  /** Time from which on its tokens cannot be introspected, as `toWireTime` writes it; null if it does not end. */
  valid_until: string | null;
  suspended: boolean;
}

/** The fields of a user group that a write can set. */
type UserGroupFields = UserGroupContent & { managed_by: string | null };

/** The fields that a caller wants to store; undefined ones stay as they are. */
export interface WantedUserGroup extends Partial<UserGroupFields> {
  /** A token issued elsewhere that becomes the current one. */
  token?: string;
}

/** A user group without its token. */
export interface UserGroupState {
  id: number;
  name: string;
  properties: string;
  /** For `readResolvedMapping`; only if requested. */
  mapping?: StoredMapping;
  suspendedAt: number | null;
  validUntil: number | null;
  /** The set that it belongs to, if it belongs to one. */
  managedBy: string | null;
  createdAt: number;
  updatedAt: number;
  /** Grows with each change of a field or of the mapping; part of the entity tag. */
  version: number;
  /** Whether its current token was ended together with others; only if requested. */
  isTokenEnded?: boolean | 0 | 1 | null;
}

/** The members that a write sets, with the types of their columns. A mapping has rows of its own. */
export const WRITTEN = {
  name: 'text',
  properties: 'text',
  suspendedAt: 'bigint',
  validUntil: 'bigint',
  managedBy: 'text',
} as const;

/** The members of a group before it is stored. */
export const UNSTORED = {
  id: 0,
  name: '',
  properties: '{}',
  suspendedAt: null,
  validUntil: null,
  managedBy: null,
  version: 0,
};

/** Picks the members that a write sets, without nulls: the others would be needless JSON. */
export function writtenOf(group: UserGroupState) {
  const { name, properties, suspendedAt, validUntil, managedBy } = group;
  return {
    name,
    properties,
    suspendedAt: suspendedAt ?? undefined,
    validUntil: validUntil ?? undefined,
    managedBy: managedBy ?? undefined,
  };
}

interface Field<Value> {
  read: (group: UserGroupState) => Value;
  write: (difference: Difference<Value>, now: number) => Partial<UserGroupState>;
  /** Returns the difference from a stored group, if there is one; by default compares the value that is read. */
  compare?: (group: UserGroupState, is: Value) => Difference<Value> | undefined;
}

type FieldName = keyof UserGroupFields;

/** Each field as it is stored, in the order in which events list them. */
const FIELDS: { [Name in FieldName]: Field<UserGroupFields[Name]> } = {
  name: { read: ({ name }) => name, write: ({ is }) => ({ name: is }) },
  mapping: {
    read: ({ mapping }) => fromStoredMapping(mapping),
    write: () => ({}),
    compare: ({ mapping }, is) => {
      const was = fromStoredMapping(mapping);
      return isSameMapping(was, is) ? undefined : { was, is };
    },
  },
  properties: {
    read: ({ properties }) => JSON.parse(properties) as JsonObject,
    write: ({ is, text = JSON.stringify(is) }) => ({ properties: text }),
    compare: ({ properties }, is) => {
      const text = JSON.stringify(is);
      if (text === properties) return undefined;
      const was = JSON.parse(properties) as JsonObject;
      // Ignores the order of keys.
      return isDeepStrictEqual(was, is) ? undefined : { was, is, text };
    },
  },
  valid_until: {
    read: ({ validUntil }) => toWireTimeOrNull(validUntil),
    write: ({ is }) => ({ validUntil: is === null ? null : Date.parse(is) }),
  },
  suspended: {
    read: ({ suspendedAt }) => suspendedAt !== null,
    write: ({ is }, now) => ({ suspendedAt: is ? now : null }),
  },
  managed_by: {
    read: ({ managedBy }) => managedBy,
    write: ({ is }) => ({ managedBy: is }),
  },
};

export const fieldNames = Object.keys(FIELDS) as FieldName[];
const bodyNames = fieldNames.filter((name) => !['suspended', 'managed_by'].includes(name));

/** Returns the fields of a body; `null` empties one. */
export function toWanted({
  name,
  mapping,
  properties,
  valid_until: time,
}: {
  name?: string;
  mapping?: Mapping | null;
  properties?: JsonObject | null;
  valid_until?: string | null;
}): WantedUserGroup {
  return {
    name,
    mapping: mapping === null ? {} : mapping,
    properties: properties === null ? {} : properties,
    valid_until: typeof time === 'string' ? toWireTime(Date.parse(time)) : time,
  };
}

/** Fills in every field that a new group has but its name; missing ones are empty. */
export function withDefaults(wanted: WantedUserGroup) {
  return { ...wanted, mapping: wanted.mapping ?? {}, properties: wanted.properties ?? {} };
}

/** @throws ValidationFailed if the group cannot be created, because it has no name */
export function requireName({ name }: WantedUserGroup): void {
  if (name !== undefined) return;
  const detail = 'The user group is new, so the field name is required.';
  throw new ValidationFailed([{ pointer: '/name', code: 'required', detail }]);
}

/** Returns a copy of the fields of a stored group. @param group with its mapping */
export function contentOf(group: UserGroupState): UserGroupContent {
  return { ...bodyOf(group), suspended: FIELDS.suspended.read(group) };
}

/** Returns the same without `suspended`, as a body of PUT has it. */
export function bodyOf(group: UserGroupState): Omit<UserGroupContent, 'suspended'> {
  const read = (name: FieldName) => [name, FIELDS[name].read(group)];
  return Object.fromEntries(bodyNames.map(read)) as UserGroupContent;
}

/** A field that differs; `was` is undefined for a new group. */
export interface Difference<Value> {
  was?: Value;
  is: Value;
  /** The text that stores the value, if the comparison has written it. */
  text?: string;
}

/** The fields that differ. */
export type Differences = { [Name in FieldName]?: Difference<UserGroupFields[Name]> };

/**
 * Returns the wanted fields that differ from `stored`; for a new group all of them.
 * @param stored with its mapping if one is wanted
 */
export function differencesOf(
  stored: UserGroupState | undefined,
  wanted: WantedUserGroup,
): Differences {
  const differences: Partial<Record<FieldName, Difference<unknown>>> = {};
  for (const name of fieldNames) {
    const is = wanted[name];
    if (is === undefined) continue;
    const difference = stored ? compare(FIELDS[name] as Field<unknown>, stored, is) : { is };
    if (difference) differences[name] = difference;
  }
  return differences as Differences;
}

function compare<Value>(
  field: Field<Value>,
  stored: UserGroupState,
  is: Value,
): Difference<Value> | undefined {
  if (field.compare) return field.compare(stored, is);
  const was = field.read(stored);
  return was === is ? undefined : { was, is };
}

/** Returns the members that store the differences, except for the mapping. */
export function toState(differences: Differences, now: number): Partial<UserGroupState> {
  const state: Partial<UserGroupState> = {};
  for (const name of fieldNames) {
    const difference: Difference<unknown> | undefined = differences[name];
    if (difference) {
      Object.assign(state, (FIELDS[name] as Field<unknown>).write(difference, now));
    }
  }
  return state;
}
