import { isDeepStrictEqual } from 'node:util';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../platform/common/json/strict-json.ts';
import { pointerSegment } from '../../platform/common/json-pointer.ts';
import {
  contentOf,
  differencesOf,
  fieldNames,
  type UserGroupState,
} from '../../core/user-group/group/user-group-fields.ts';

export const versionChanges = ['create', 'update', 'suspend', 'resume', 'rename'] as const;
export type VersionChange = (typeof versionChanges)[number];

/** A place in which two states differ; a state without a value there has no member. */
export interface StateDifference {
  pointer: string;
  was?: JsonValue;
  is?: JsonValue;
}

/** A state with the id that the group then had. */
type NamedState = UserGroupState & { providedId: string };

/**
 * Returns what a version has changed, and in which fields.
 * @param before the state that it has replaced; undefined if there was none, or if it is no longer kept
 */
export function changeOfVersion(
  state: NamedState,
  before: NamedState | undefined,
): { change: VersionChange | null; changed: string[] } {
  if (!before) return { change: state.version === 1 ? 'create' : null, changed: [] };
  if (before.providedId !== state.providedId) return { change: 'rename', changed: [] };
  const differences = differencesOf(before, stateOf(state));
  const changed = fieldNames.filter((name) => differences[name] !== undefined);
  const { suspended } = differences;
  if (!suspended || changed.length > 1) return { change: 'update', changed };
  return { change: suspended.is ? 'suspend' : 'resume', changed };
}

/** Lists the differences from one state to another, of objects member by member. */
export function differencesBetween(was: UserGroupState, is: UserGroupState): StateDifference[] {
  return differencesAt(stateOf(was), stateOf(is), '');
}

function stateOf(state: UserGroupState) {
  return { ...contentOf(state), managed_by: state.managedBy };
}

/** Lists the differences between two values, of objects member by member. @param pointer of the values */
export function differencesAt(
  was: JsonValue | undefined,
  is: JsonValue | undefined,
  pointer: string,
): StateDifference[] {
  if (isDeepStrictEqual(was, is)) return [];
  if (!isJsonObject(was) || !isJsonObject(is)) {
    return [{ pointer, ...(was !== undefined && { was }), ...(is !== undefined && { is }) }];
  }
  const names = new Set([...Object.keys(was), ...Object.keys(is)]);
  return [...names].flatMap((name) => {
    return differencesAt(member(was, name), member(is, name), pointer + pointerSegment(name));
  });
}

/** Leaves out what every object inherits, such as `constructor`. */
function member(object: JsonObject, name: string): JsonValue | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
