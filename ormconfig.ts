import 'reflect-metadata';
import { join } from 'node:path';
import { loadConfig, loadDotEnv } from './src/config/load-config';
import { createDataSource } from './src/database/create-data-source';
import { migratingOptions } from './src/database/data-source-options';

loadDotEnv();

/**
 * For TypeORM's own command line, on the configured database:
 * `npm run build && npx typeorm -d dist/ormconfig.js migration:show`.
 */
export default createDataSource({
  ...migratingOptions(loadConfig(process.env, { needsKeys: false })),
  migrationsTransactionMode: 'each',
  entities: [join(__dirname, 'src', '**', '*.entity.{js,ts}')],
});
