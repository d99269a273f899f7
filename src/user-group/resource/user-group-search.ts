import { foldCase } from '../../common/fold-case.ts';
import type { JsonObject } from '../../common/json/strict-json.ts';

/** What a search looks at. */
export interface Searchable {
  providedId: string;
  name: string;
  /** JSON text of an object. */
  properties: string;
}

/**
 * Returns whether a group has the text in its id, its name or a property that is a string, whatever
 * the case. Here and not in SQL: what the databases know of letters beyond ASCII differs, and on
 * PostgreSQL depends on its locale.
 */
export function toSearch(text: string): (group: Searchable) => boolean {
  const wanted = foldCase(text);
  // As it stands in JSON: most properties that do not have it need not be parsed.
  const escaped = JSON.stringify(wanted).slice(1, -1);
  const has = (value: unknown) => typeof value === 'string' && foldCase(value).includes(wanted);
  return ({ providedId, name, properties }) =>
    has(providedId) ||
    has(name) ||
    (foldCase(properties).includes(escaped) &&
      Object.values(JSON.parse(properties) as JsonObject).some(has));
}
