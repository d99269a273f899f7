import Database from 'better-sqlite3';
import { join } from 'node:path';
import { FILES } from '../../../examples/renderer/data-sources.mjs';
import { seed } from '../../../examples/renderer/seed.mjs';

export const HIDDEN_PRODUCT = 'Zz canary';

/** Makes the data sources of the example renderer, each with a row that nobody may see. */
export function makeSales(directory) {
  seed(directory);
  for (const file of FILES.values()) {
    const database = new Database(join(directory, file));
    // The first of each query that has lost its filter.
    database
      .prepare('INSERT INTO sale VALUES (?, ?, ?, ?)')
      .run('hidden', '2026-01', HIDDEN_PRODUCT, 1_000_000_000);
    database.close();
  }
  return directory;
}
