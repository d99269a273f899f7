import { isDeepStrictEqual } from 'node:util';
import type { AuditEntry } from '../../audit/audit-log.ts';
import { summarise } from '../../audit/tally/summarise.ts';
import type { Caller } from '../../../platform/common/access/caller.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../platform/common/json/strict-json.ts';
import { hashToken } from '../../../platform/common/secret/secrets.ts';
import { type DeclaredVariable, withHiddenSecrets } from '../../mapping/variables.ts';
import { requireNewId } from '../group/provided-id.ts';
import {
  bodyOf,
  type Difference,
  type Differences,
  differencesOf,
  fieldNames,
  requireName,
  toState,
  UNSTORED,
  type UserGroupState,
  type WantedUserGroup,
  withDefaults,
} from '../group/user-group-fields.ts';
import type { StoredUserGroup } from '../group/user-group.repository.ts';
import type { KeyedCall } from '../../idempotency/idempotency-keys.ts';

/** The wish of a write: fields to store, and perhaps another token, or no group at all. */
export type Wanted = (WantedUserGroup & { replacement?: Replacement }) | 'removal';

/** The replacement of the current token of a group. */
export interface Replacement {
  /** A token issued elsewhere; without it a new one is generated. */
  token?: string;
  /** Overlap during which the old token can still be introspected; 0 ends it at once. */
  graceSeconds: number;
  /** Whether the token was ended together with others, so that this write replaces it unasked. */
  isEnded?: boolean;
}

/** The discovery of a token outside of the systems that may have it. */
export interface Leak {
  source?: string | undefined;
}

/** The replacement of a token, and of nothing else of its group. */
export type Rotation = Replacement & {
  caller: Caller;
  /** Set if the token is replaced because it has leaked. */
  leak?: Leak | undefined;
  /** Set if the call has an `Idempotency-Key`. */
  call?: KeyedCall | undefined;
} & (
    | { tokenHash: Buffer; providedId?: undefined }
    /** The current token of the group, whichever it is; it may have been ended together with others. */
    | { tokenHash?: undefined; providedId: string }
  );

/** The changes of a write, decided once. Storing, recording and responding all read them. */
export interface UserGroupChange extends Differences {
  /** The group that the change was decided for; undefined for a new one. */
  stored: StoredUserGroup | undefined;
  /** The token issued elsewhere that a new group begins with. */
  firstToken?: string;
  replacement?: Replacement;
  isRemoval?: boolean;
}

/**
 * Returns the change from `stored` to the wanted state.
 * @param stored with its mapping if one is wanted
 * @throws ValidationFailed if the group is new, and has no name or an id that URLs resolve
 */
export function changeOf(
  stored: StoredUserGroup | undefined,
  wanted: Wanted,
  providedId: string,
): UserGroupChange {
  if (wanted === 'removal') return { stored, isRemoval: true };
  const { token, replacement } = wanted;
  if (stored) {
    const isOther = token !== undefined && !stored.tokenHash.equals(hashToken(token));
    const replaced = isOther ? { token, graceSeconds: 0 } : replacement;
    return { stored, ...differencesOf(stored, wanted), ...(replaced && { replacement: replaced }) };
  }
  requireNewId(providedId);
  requireName(wanted);
  // A group that begins without being suspended need not say so.
  const fields = { ...withDefaults(wanted), suspended: wanted.suspended ? true : undefined };
  return {
    stored,
    ...differencesOf(stored, fields),
    ...(token !== undefined && { firstToken: token }),
  };
}

export function isNothing(change: UserGroupChange): boolean {
  return !changesRow(change) && !change.replacement && !change.isRemoval;
}

/** Tells whether it changes anything but its suspension and its token. */
export function changesContent(change: UserGroupChange): boolean {
  return fieldNames.some((name) => name !== 'suspended' && change[name] !== undefined);
}

/** Tells whether the rules of the workspace judge the change: then it is refused unless it leaves no flaw. */
export function changesRuled({ name, mapping, properties }: UserGroupChange): boolean {
  return [name, mapping, properties].some((difference) => difference !== undefined);
}

/** Tells whether it changes the row of the group, or its mapping, rather than its token alone. */
export function changesRow(change: UserGroupChange): boolean {
  return fieldNames.some((name) => change[name] !== undefined);
}

/** Tells whether an application's guard is asked about it: about everything but its token alone. */
export function isJudged(change: UserGroupChange): boolean {
  return !change.stored || change.isRemoval === true || changesRow(change);
}

/** Returns the group as it is stored at `now`, except for its mapping. */
export function groupAfter(change: UserGroupChange, now: number): UserGroupState {
  const { stored } = change;
  const isWritten = !stored || changesRow(change);
  const before: UserGroupState = stored ?? { ...UNSTORED, createdAt: now, updatedAt: now };
  const group = {
    ...before,
    ...toState(change, now),
    ...(change.replacement && { isTokenEnded: false }),
  };
  if (isWritten) {
    group.updatedAt = stored ? Math.max(now, stored.updatedAt + 1) : now;
    group.version++;
  }
  return group;
}

/**
 * Returns the audit events of the change. The statement that stores it adds the id of the group, and the generation of
 * a replaced token.
 * @param version of the group after the change
 * @param variables declared by its workspace: the values of secret ones are left out
 */
export function eventsOf(
  change: UserGroupChange,
  { providedId, version }: { providedId: string; version: number },
  {
    variables = [],
    details,
  }: { variables?: readonly DeclaredVariable[]; details?: object | undefined } = {},
): AuditEntry[] {
  const object = { type: 'user_group', id: providedId };
  const event = { object, version, details };
  const { stored, suspended, replacement, isRemoval, ...fields } = change;
  if (!stored) {
    return [{ action: 'user_group.create', ...event, after: recorded(change, variables).after }];
  }
  if (isRemoval) {
    const { valid_until, ...body } = bodyOf(stored);
    const all = differencesOf(undefined, valid_until === null ? body : { ...body, valid_until });
    const before = recorded(all, variables).after;
    return [{ action: 'user_group.delete', ...event, version: stored.version + 1, before }];
  }
  const events: AuditEntry[] = [];
  if (changesContent(change)) {
    events.push({ action: 'user_group.update', ...event, ...recorded(fields, variables) });
  }
  if (suspended) {
    events.push({ action: suspended.is ? 'user_group.suspend' : 'user_group.resume', ...event });
  }
  if (replacement) events.push({ ...rotationEvent(replacement, details), object });
  return events;
}

/** Returns the event of a token that is replaced, without the id of its group. */
export function rotationEvent(
  { graceSeconds, isEnded }: Replacement,
  details?: object,
): AuditEntry {
  const object = { type: 'user_group', id: null };
  const own = { grace_period_seconds: graceSeconds, ...(isEnded && { ended: true }) };
  return { action: 'user_group_token.rotate', object, details: { ...own, ...details } };
}

/** Returns the event of a token that has leaked and is replaced, without the id of its group. */
export function leakEvent({ source }: Leak): AuditEntry {
  const details = source === undefined ? undefined : { source };
  return { action: 'user_group_token.leaked', object: { type: 'user_group', id: null }, details };
}

/** Returns differences as events show them: for an object, the changed entries, and no secret. */
function recorded(
  differences: Differences,
  variables: readonly DeclaredVariable[],
): { before: object; after: object } {
  const before: JsonObject = {};
  const after: JsonObject = {};
  for (const name of fieldNames) {
    const difference = differences[name] as Difference<JsonValue> | undefined;
    if (!difference) continue;
    const { was, is } = difference;
    const declared = name === 'properties' ? variables : [];
    after[name] = entriesThatDiffer(is, was, declared);
    if (was !== undefined) before[name] = entriesThatDiffer(was, is, declared);
  }
  return { before, after };
}

function entriesThatDiffer(
  of: JsonValue,
  from: JsonValue | undefined,
  declared: readonly DeclaredVariable[],
): JsonValue {
  if (!isJsonObject(of)) return of;
  const differs = (key: string, value: JsonValue, other: JsonObject) =>
    !Object.hasOwn(other, key) || !isDeepStrictEqual(value, other[key]);
  const different = isJsonObject(from)
    ? Object.fromEntries(Object.entries(of).filter(([key, value]) => differs(key, value, from)))
    : of;
  return summarise(withHiddenSecrets(different, declared));
}

/** Returns the token issued elsewhere that a write brings. */
export function chosenToken({ firstToken, replacement }: UserGroupChange): string | undefined {
  return firstToken ?? replacement?.token;
}
