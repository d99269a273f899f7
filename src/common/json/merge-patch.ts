import type { JsonObject, JsonValue } from './strict-json.ts';

/** Applies a JSON Merge Patch (RFC 7396). Keys such as `__proto__` are ordinary members. */
export function mergePatch(target: JsonValue | undefined, patch: JsonObject): JsonObject {
  const members = new Map(isObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) members.delete(key);
    else members.set(key, isObject(value) ? mergePatch(members.get(key), value) : value);
  }
  return Object.fromEntries(members);
}

function isObject(value: JsonValue | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
