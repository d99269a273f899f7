import { isDeepStrictEqual } from 'node:util';
import { summarised } from '../audit/summarised';
import type { JsonObject } from '../common/json/strict-json';
import { fromStoredMapping, type Mapping } from './mapping';
import type { UserGroupState } from './user-group.repository';

interface Changes {
  before: object;
  after: object;
}

/** What a write changes: the fields that differ, and of mapping and properties the entries that do. */
export function changesOf(
  stored: UserGroupState,
  wanted: { name?: string; mapping?: Mapping; properties?: JsonObject; suspended?: boolean },
): Changes {
  const before: JsonObject = {};
  const after: JsonObject = {};
  if (wanted.name !== undefined && wanted.name !== stored.name) {
    before['name'] = stored.name;
    after['name'] = wanted.name;
  }
  const wasSuspended = stored.suspendedAt !== null;
  if (wanted.suspended !== undefined && wanted.suspended !== wasSuspended) {
    before['suspended'] = wasSuspended;
    after['suspended'] = wanted.suspended;
  }
  const collections = {
    mapping: [fromStoredMapping(stored.mapping), wanted.mapping],
    properties: [JSON.parse(stored.properties) as JsonObject, wanted.properties],
  } as const;
  for (const [field, [was, is]] of Object.entries(collections)) {
    if (is === undefined || isDeepStrictEqual(was, { ...is })) continue;
    before[field] = summarised(entriesThatDiffer(was, is));
    after[field] = summarised(entriesThatDiffer(is, was));
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
