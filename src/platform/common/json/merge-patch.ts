import { isJsonObject, type JsonObject, type JsonValue } from './strict-json.ts';

/** Applies a JSON Merge Patch (RFC 7396). Keys such as `__proto__` are ordinary members. */
export function mergePatch(target: JsonValue | undefined, patch: JsonObject): JsonObject {
  const members = new Map(isJsonObject(target) ? Object.entries(target) : []);
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) members.delete(key);
    else members.set(key, isJsonObject(value) ? mergePatch(members.get(key), value) : value);
  }
  return Object.fromEntries(members);
}
