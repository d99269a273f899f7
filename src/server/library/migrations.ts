/**
 * The schema of the database, for pipelines that change it themselves: the migrations in their order, the entities, and
 * the commands of the service.
 * @packageDocumentation
 */
import { configOf, type UserGroupOptions } from '../app/options.ts';
import {
  listMigrations,
  type MigrationState,
  prepareDatabase,
} from '../../platform/database/schema/migrate.ts';

export { entities } from '../app/features.ts';
export { migrations } from '../../platform/database/migrations/index.ts';
export type { MigrationState, UserGroupOptions };

/**
 * Runs the pending migrations, one process at a time; a service that starts does the same.
 * @returns the names of those that were run
 * @throws ConfigError, OperatorError with one line
 */
export async function migrateUserGroups(options: UserGroupOptions): Promise<string[]> {
  return (await prepareDatabase(configOf(options))).migrated;
}

/** Lists every migration in order, and whether this database has it. @throws ConfigError, OperatorError */
export async function listUserGroupMigrations(
  options: UserGroupOptions,
): Promise<MigrationState[]> {
  return listMigrations(configOf(options));
}
