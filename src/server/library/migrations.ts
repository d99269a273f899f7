/**
 * The schema of the database, for pipelines that change it themselves: the migrations in their order, the entities, and
 * the commands of the service.
 * @packageDocumentation
 */
import type { MigrationInterface } from 'typeorm';
import type { UserGroupOptions } from '../app/declared/options.ts';
import { configOf } from '../app/options.ts';
import {
  listMigrations,
  type MigrationState,
  prepareDatabase,
} from '../../platform/database/schema/migrate.ts';
import { ownSchema } from '../../platform/database/schema/own-schema.ts';

export { entities } from '../app/features.ts';
export type { MigrationState, UserGroupOptions };

/** Every migration in the order in which they run; the list only ever grows at its end. */
export const migrations: (new () => MigrationInterface)[] = [...ownSchema().migrations];

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
