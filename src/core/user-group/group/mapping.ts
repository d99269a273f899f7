import type { Violation } from '../../../platform/common/problem/violation.ts';
import { toPointer } from '../../../platform/common/json-pointer.ts';
import { textViolations } from '../../../platform/common/text.ts';
import {
  dataSourceAsSent,
  readResolvedMapping,
  type StoredMapping,
  type SentEntry,
} from '../../mapping/resolved-mapping.ts';

/** `mapping` on the wire: schema id to data source. */
export type Mapping = Record<string, string | number>;

const MAX_ENTRIES = 200;

/** Accepts an object of strings and integers, or null, which empties the mapping. */
export function mappingViolations(value: unknown, pointer: string): Violation[] {
  if (value === null) return [];
  if (typeof value !== 'object' || Array.isArray(value)) {
    return [{ pointer, code: 'type', detail: 'The mapping must be an object.' }];
  }
  const entries = Object.entries(value);
  if (entries.length > MAX_ENTRIES) {
    const detail = `The mapping must have at most ${MAX_ENTRIES} entries.`;
    return [{ pointer, code: 'too_many', detail }];
  }
  return entries.flatMap(([schemaId, dataSource]) => {
    const place = pointer + toPointer([schemaId]);
    return [...textViolations(schemaId, place), ...dataSourceViolations(dataSource, place)];
  });
}

/** Ids are opaque: any string is valid. */
function dataSourceViolations(value: unknown, pointer: string): Violation[] {
  if (typeof value === 'string' || Number.isSafeInteger(value)) return [];
  const detail = 'A data source must be a string, or an integer between -(2^53-1) and 2^53-1.';
  return [{ pointer, code: 'type', detail }];
}

/** Makes the rows of a mapping. An integer keeps its type: 7 and "7" are different references. */
export function toMappingEntries(mapping: Mapping): SentEntry[] {
  return Object.entries(mapping).map(([schemaId, dataSource]) => ({
    schemaId,
    dataSource: String(dataSource),
    dataSourceType: typeof dataSource === 'number' ? 'integer' : 'string',
  }));
}

/** Returns a stored mapping as it was sent (see `UserGroupState.mapping`). */
export function fromStoredMapping(stored: StoredMapping | undefined): Mapping {
  return toSentMapping(readResolvedMapping(stored));
}

function toSentMapping(entries: readonly SentEntry[]): Mapping {
  return Object.fromEntries(entries.map((entry) => [entry.schemaId, dataSourceAsSent(entry)]));
}

/** Ignores the order of entries. */
export function isSameMapping(one: Mapping, other: Mapping): boolean {
  const entries = Object.entries(one);
  return (
    entries.length === Object.keys(other).length &&
    entries.every(([key, value]) => Object.hasOwn(other, key) && other[key] === value)
  );
}
