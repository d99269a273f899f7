import { isDeepStrictEqual } from 'node:util';
import type { AuditEntry } from '../../audit/audit-log.ts';
import { summarise } from '../../audit/tally/summarise.ts';
import type { Caller } from '../../common/access/caller.ts';
import type { JsonObject, JsonValue } from '../../common/json/strict-json.ts';
import { hashToken } from '../../common/secret/secrets.ts';
import { requireNewId } from '../group/provided-id.ts';
import {
  bodyNames,
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
import type { IdempotentCall } from './idempotency-keys.ts';

/** The wish of a write: fields to store, and perhaps another token, or no group at all. */
export type Wanted = (WantedUserGroup & { replacement?: Replacement }) | 'removal';

/** The replacement of the current token of a group. */
export interface Replacement {
  /** A token issued elsewhere; without it a new one is generated. */
  token?: string;
  /** Overlap during which the old token can still be introspected; 0 ends it at once. */
  graceSeconds: number;
  /** Set if the call has an `Idempotency-Key`. */
  call?: IdempotentCall | undefined;
}

/** The replacement of a token that its caller names. */
export interface Rotation extends Replacement {
  caller: Caller;
  tokenHash: Buffer;
}

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
export function changeOf(stored: StoredUserGroup | undefined, wanted: Wanted, providedId: string): UserGroupChange {
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
  return { stored, ...differencesOf(stored, fields), ...(token !== undefined && { firstToken: token }) };
}

export function isNothing(change: UserGroupChange): boolean {
  return !changesRow(change) && !change.replacement && !change.isRemoval;
}

/** Tells whether it changes anything that the rules of a workspace judge. */
export function changesContent(change: UserGroupChange): boolean {
  return bodyNames.some((name) => change[name] !== undefined);
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
  return {
    ...(stored ?? { ...UNSTORED, createdAt: now }),
    ...toState(change, now),
    updatedAt: isWritten ? now : stored.updatedAt,
    version: (stored?.version ?? UNSTORED.version) + Number(isWritten),
  };
}

/**
 * Returns the audit events of the change. The statement that stores it adds the id of the group, and the generation of
 * a replaced token.
 * @param version of the group after the change
 */
export function eventsOf(
  change: UserGroupChange,
  { providedId, version }: { providedId: string; version: number },
  details?: object,
): AuditEntry[] {
  const object = { type: 'user_group', id: providedId };
  const event = { object, version, details };
  const { stored, suspended, replacement, isRemoval, ...fields } = change;
  if (!stored) return [{ action: 'user_group.create', ...event, after: recorded(change).after }];
  if (isRemoval) {
    const before = recorded(differencesOf(undefined, bodyOf(stored))).after;
    return [{ action: 'user_group.delete', ...event, version: stored.version + 1, before }];
  }
  const events: AuditEntry[] = [];
  if (changesContent(change)) {
    events.push({ action: 'user_group.update', ...event, ...recorded(fields) });
  }
  if (suspended) {
    events.push({ action: suspended.is ? 'user_group.suspend' : 'user_group.resume', ...event });
  }
  if (replacement) events.push({ ...rotationEvent(replacement, details), object });
  return events;
}

/** Returns the event of a token that is replaced, without the id of its group. */
export function rotationEvent({ graceSeconds }: Replacement, details?: object): AuditEntry {
  const object = { type: 'user_group', id: null };
  return { action: 'user_group_token.rotate', object, details: { grace_period_seconds: graceSeconds, ...details } };
}

/** Returns differences as events show them: for an object, the changed entries. */
function recorded(differences: Differences): { before: object; after: object } {
  const before: JsonObject = {};
  const after: JsonObject = {};
  for (const name of fieldNames) {
    const difference = differences[name] as Difference<JsonValue> | undefined;
    if (!difference) continue;
    const { was, is } = difference;
    after[name] = entriesThatDiffer(is, was);
    if (was !== undefined) before[name] = entriesThatDiffer(was, is);
  }
  return { before, after };
}

function entriesThatDiffer(of: JsonValue, from: JsonValue | undefined): JsonValue {
  if (!isObject(of)) return of;
  const entries = Object.entries(of).filter(
    ([key, value]) => !isObject(from) || !Object.hasOwn(from, key) || !isDeepStrictEqual(value, from[key]),
  );
  return summarise(Object.fromEntries(entries));
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
