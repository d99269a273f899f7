import Database from 'better-sqlite3';
import { join } from 'node:path';
import { Refusal } from './refusal.mjs';

/** Every data source, by the id that mappings use. Others cannot be opened. */
export const FILES = new Map([
  ['warehouse-acme', 'acme.sqlite'],
  ['warehouse-globex', 'globex.sqlite'],
]);

/** Opens the data sources read-only. */
export function openDataSources(directory) {
  return new Map(
    [...FILES].map(([id, file]) => {
      const database = new Database(join(directory, file), { readonly: true, fileMustExist: true });
      return [id, database];
    }),
  );
}

/**
 * The data source that the mapping names for the schema. There is no default: one that is right for most groups would show
 * its rows to all the others.
 * @throws Refusal if it names none, or an unknown one
 */
export function dataSourceOf(mapping, schema, dataSources) {
  const reference = mapping?.[schema];
  // If the workspace registers its data sources, a mapping comes resolved.
  const found = dataSources.get(reference?.provided_id ?? reference);
  if (found) return found;
  const text = `No data source is set up for the schema ${schema}.`;
  throw new Refusal(422, 'data_source_unknown', text);
}
