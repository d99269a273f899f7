import type { Violation } from '../../../platform/common/problem/violation.ts';
import type { JsonObject, JsonValue } from '../../../platform/common/json/strict-json.ts';

const MAX_BYTES = 16 * 1024;
const MAX_DEPTH = 16;

/** Accepts an object within size and depth, or null, which empties the properties. */
export function propertiesViolations(value: unknown, pointer: string): Violation[] {
  if (value === null) return [];
  if (typeof value !== 'object' || Array.isArray(value)) {
    return [{ pointer, code: 'type', detail: 'The properties must be an object.' }];
  }
  if (depthOf(value as JsonObject) > MAX_DEPTH) {
    const detail = `The properties must not be nested deeper than ${MAX_DEPTH} levels.`;
    return [{ pointer, code: 'too_deep', detail }];
  }
  if (Buffer.byteLength(JSON.stringify(value)) > MAX_BYTES) {
    const detail = `The properties must not be longer than ${MAX_BYTES} bytes when serialised.`;
    return [{ pointer, code: 'too_large', detail }];
  }
  return [];
}

/** Counts levels of objects and arrays; an object without any inside is one level. */
function depthOf(value: JsonValue): number {
  if (value === null || typeof value !== 'object') return 0;
  return 1 + Object.values(value).reduce<number>((most, item) => Math.max(most, depthOf(item)), 0);
}
