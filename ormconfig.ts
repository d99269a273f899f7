import 'reflect-metadata';
import { entities } from './src/server/app/features.ts';
import { loadConfig, loadDotEnv } from './src/platform/config/load-config.ts';
import { createDataSource } from './src/platform/database/create-data-source.ts';
import { loadDriver } from './src/platform/database/drivers.ts';
import { migratingOptions } from './src/platform/database/data-source-options.ts';
import { ownSchema } from './src/platform/database/schema/own-schema.ts';

loadDotEnv();

const config = loadConfig(process.env, { needsKeys: false });
await loadDriver(config);

/**
 * For TypeORM's own command line, on the configured database:
 * `npm run build && npx typeorm -d dist/ormconfig.js migration:show`.
 */
export default createDataSource({
  ...migratingOptions(config),
  migrationsTransactionMode: 'each',
  entities,
  migrations: [...ownSchema().migrations],
});
