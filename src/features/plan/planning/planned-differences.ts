import { type DeclaredVariable, withHiddenSecrets } from '../../../core/mapping/variables.ts';
import { differencesAt, type StateDifference } from '../../history/version-changes.ts';
import { type Differences, fieldNames } from '../../../core/user-group/group/user-group-fields.ts';
import {
  isJsonObject,
  type JsonObject,
  type JsonValue,
} from '../../../platform/common/json/strict-json.ts';
import type { PlannedChangeView } from '../dto/plan-response.dto.ts';

/** Places that are shown of a group. */
const MAX_DIFFERENCES = 50;
/** Characters of JSON that are shown of a value. */
const MAX_LENGTH = 200;

/** Returns what a change stores, place by place, for people: without secrets, and with long values cut. */
export function plannedDifferences(
  differences: Differences,
  variables: readonly DeclaredVariable[],
): Pick<PlannedChangeView, 'differences' | 'more_differences'> {
  const all = fieldNames.flatMap((name): StateDifference[] => {
    const { was, is } = (differences[name] ?? {}) as { was?: JsonValue; is?: JsonValue };
    const found = differencesAt(was, is, `/${name}`);
    return name === 'properties' ? found.map((one) => hidden(one, { was, is }, variables)) : found;
  });
  const shown = all.slice(0, MAX_DIFFERENCES).map(({ pointer, ...values }) => ({
    pointer,
    ...Object.fromEntries(Object.entries(values).map(([key, value]) => [key, cut(value)])),
  }));
  return {
    differences: shown,
    ...(all.length > shown.length && { more_differences: all.length - shown.length }),
  };
}

/** Finds secrets in the whole properties: a value below, above or in the place of a secret one may hold it. */
function hidden(
  { pointer, ...values }: StateDifference,
  whole: { was?: JsonValue | undefined; is?: JsonValue | undefined },
  variables: readonly DeclaredVariable[],
): StateDifference {
  const path = pointer
    .split('/')
    .slice(2)
    .map((name) => name.replaceAll('~1', '/').replaceAll('~0', '~'));
  const shown = Object.keys(values).map((key) => {
    const properties = whole[key as 'was' | 'is'] as JsonObject;
    return [key, valueOnPath(withHiddenSecrets(properties, variables), path)];
  });
  return { pointer, ...Object.fromEntries(shown) } as StateDifference;
}

/** Returns the value at the path, or the one that stands in the place of an object on the way. */
function valueOnPath(from: JsonObject, path: readonly string[]): JsonValue {
  let value: JsonValue = from;
  for (const name of path) {
    if (!isJsonObject(value)) return value;
    value = value[name]!;
  }
  return value;
}

function cut(value: JsonValue): JsonValue {
  const text = JSON.stringify(value);
  if (text.length <= MAX_LENGTH) return value;
  // Half of a surrogate pair is no character.
  return `${text.slice(0, MAX_LENGTH).replace(/[\ud800-\udbff]$/, '')}…`;
}
