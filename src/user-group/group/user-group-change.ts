import { isDeepStrictEqual } from 'node:util';
import type { AuditEntry } from '../../audit/audit-log.ts';
import { summarise } from '../../audit/summarise.ts';
import type { JsonObject } from '../../common/json/strict-json.ts';
import { hashToken } from '../../common/secrets.ts';
import { fromStoredMapping, isSameMapping, type Mapping } from './mapping.ts';
import { requireNewId } from './provided-id.ts';
import type { StoredUserGroup, UserGroupState } from './user-group.repository.ts';
import { requireName, type WantedUserGroup } from './wanted-user-group.ts';

/** A field that differs; of a new group nothing was there. */
interface Difference<Value> {
  was?: Value;
  is: Value;
}

/**
 * What a write changes of a group: the fields that differ, decided once, under the lock of the group.
 * What is stored, recorded and answered is read from it.
 */
export interface UserGroupChange {
  /** The group as it is; undefined if it is new. */
  stored: StoredUserGroup | undefined;
  name?: Difference<string>;
  properties?: Difference<JsonObject>;
  mapping?: Difference<Mapping>;
  suspended?: Difference<boolean>;
  /** A token that was issued elsewhere and is to be the current one. */
  token?: string;
}

/**
 * What makes `stored` what is wanted.
 * @param stored with its mapping if one is wanted, and with the hash of its token if one is wanted
 * @throws ValidationFailed if the group is new, and has no name or an id that URLs resolve
 */
export function changeOf(
  stored: StoredUserGroup | undefined,
  wanted: WantedUserGroup,
  providedId: string,
): UserGroupChange {
  return stored ? updateOf(stored, wanted) : creationOf(wanted, providedId);
}

function creationOf(wanted: WantedUserGroup, providedId: string): UserGroupChange {
  requireNewId(providedId);
  const { mapping = {}, properties = {}, suspended, token } = wanted;
  return {
    stored: undefined,
    name: { is: requireName(wanted) },
    mapping: { is: mapping },
    properties: { is: properties },
    ...(suspended && { suspended: { is: true } }),
    ...(token !== undefined && { token }),
  };
}

function updateOf(stored: StoredUserGroup, wanted: WantedUserGroup): UserGroupChange {
  const { name, properties, mapping, suspended, token } = wanted;
  const change: UserGroupChange = { stored };
  if (name !== undefined && name !== stored.name) change.name = { was: stored.name, is: name };
  if (properties && stored.properties !== JSON.stringify(properties)) {
    const was = JSON.parse(stored.properties) as JsonObject;
    // The order of keys does not count.
    if (!isDeepStrictEqual(was, properties)) change.properties = { was, is: properties };
  }
  if (mapping) {
    const was = fromStoredMapping(stored.mapping);
    if (!isSameMapping(was, mapping)) change.mapping = { was, is: mapping };
  }
  const isSuspended = stored.suspendedAt !== null;
  if (suspended !== undefined && suspended !== isSuspended) {
    change.suspended = { was: isSuspended, is: suspended };
  }
  if (token !== undefined && !stored.tokenHash?.equals(hashToken(token))) change.token = token;
  return change;
}

/** Whether there is nothing to store. */
export function isNothing(change: UserGroupChange): boolean {
  return !changesContent(change) && change.suspended === undefined && change.token === undefined;
}

/** Whether it changes what the rules of a workspace judge by. */
export function changesContent({ name, properties, mapping }: UserGroupChange): boolean {
  return name !== undefined || properties !== undefined || mapping !== undefined;
}

/** Whether it changes the row of the group, or its mapping, rather than its token alone. */
export function changesRow(change: UserGroupChange): boolean {
  return changesContent(change) || change.suspended !== undefined;
}

/** The group as the change leaves it when it is stored at `now`, but for its mapping. */
export function groupAfter(change: UserGroupChange, now: number): UserGroupState {
  const { stored, name, properties, suspended } = change;
  const base = stored ?? { id: 0, mapping: null, suspendedAt: null, createdAt: now };
  return {
    ...base,
    name: name?.is ?? stored!.name,
    properties: properties ? JSON.stringify(properties.is) : stored!.properties,
    suspendedAt: suspended ? (suspended.is ? now : null) : base.suspendedAt,
    updatedAt: stored && !changesRow(change) ? stored.updatedAt : now,
    version: (stored?.version ?? 0) + Number(!stored || changesRow(change)),
  };
}

/** The audit events of the change; a new token is recorded by `rotationEvent`. */
export function eventsOf(
  change: UserGroupChange,
  group: { id: number; version: number; providedId: string },
  details: object = {},
): AuditEntry[] {
  const event = {
    object: { type: 'user_group', id: group.providedId },
    userGroupId: group.id,
    version: group.version,
    details: { team_id: group.id, ...details },
  };
  const { stored, suspended } = change;
  if (!stored) return [{ action: 'user_group.create', ...event, after: created(change) }];
  const events: AuditEntry[] = [];
  if (changesContent(change)) {
    events.push({ action: 'user_group.update', ...event, ...updated(change) });
  }
  if (suspended) {
    events.push({ action: suspended.is ? 'user_group.suspend' : 'user_group.resume', ...event });
  }
  return events;
}

function created({ name, mapping, properties, suspended }: UserGroupChange): object {
  return {
    name: name!.is,
    mapping: summarise(mapping!.is),
    properties: summarise(properties!.is),
    ...(suspended && { suspended: suspended.is }),
  };
}

/** Of mapping and properties the entries that differ. */
function updated({ name, mapping, properties }: UserGroupChange): {
  before: object;
  after: object;
} {
  const before: JsonObject = {};
  const after: JsonObject = {};
  if (name) {
    before['name'] = name.was!;
    after['name'] = name.is;
  }
  for (const [field, difference] of Object.entries({ mapping, properties })) {
    if (!difference) continue;
    const { was, is } = difference as Difference<JsonObject>;
    before[field] = summarise(entriesThatDiffer(was!, is));
    after[field] = summarise(entriesThatDiffer(is, was!));
  }
  return { before, after };
}

function entriesThatDiffer(of: JsonObject, from: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(of).filter(
      ([key, value]) => !Object.hasOwn(from, key) || !isDeepStrictEqual(value, from[key]),
    ),
  );
}
