import 'reflect-metadata';
import { join } from 'node:path';
import { loadConfig, loadDotEnv } from './src/config/load-config.ts';
import { createDataSource } from './src/database/create-data-source.ts';
import { migratingOptions } from './src/database/data-source-options.ts';

loadDotEnv();

/**
 * For TypeORM's own command line, on the configured database:
 * `npm run build && npx typeorm -d dist/ormconfig.js migration:show`.
 */
export default createDataSource({
  ...migratingOptions(loadConfig(process.env, { needsKeys: false })),
  migrationsTransactionMode: 'each',
  entities: [join(import.meta.dirname, 'src', '**', '*.entity.{js,ts}')],
});
