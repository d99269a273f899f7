import Database from 'better-sqlite3';
import { join } from 'node:path';

/** Every data source, by the id that mappings use. Others cannot be opened. */
export const FILES = new Map([
  ['warehouse-acme', 'acme.sqlite'],
  ['warehouse-globex', 'globex.sqlite'],
]);

/** Opens the data sources read-only: each with its `id` and its `database`. */
export function openDataSources(directory) {
  return new Map(
    [...FILES].map(([id, file]) => {
      const database = new Database(join(directory, file), { readonly: true, fileMustExist: true });
      return [id, { id, database }];
    }),
  );
}
