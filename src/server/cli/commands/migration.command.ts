import type { Command } from 'commander';
import { OperatorError } from '../../../platform/common/problem/operator-error.ts';
// Has the schema of every feature.
import '../../app/features.ts';
import type { Config } from '../../../platform/config/config.ts';
import { grantRights } from '../../../platform/database/schema/grants.ts';
import {
  listMigrations,
  type MigrationState,
  prepareDatabase,
  revertMigration,
} from '../../../platform/database/schema/migrate.ts';
import { configure } from '../../../platform/command-line/configure.ts';
import { notifyOperator } from '../notify-operator.ts';
import { printDone, type Printing, printList } from '../../../platform/command-line/output.ts';
import { subcommandOf } from '../../../platform/command-line/subcommand.ts';

export function defineMigration(migration: Command): void {
  subcommandOf(
    migration,
    'run',
    'run the pending migrations; the server does so at its start',
    '--grant-to user_groups_service',
  )
    .option(
      '--grant-to <role>',
      'then grant this PostgreSQL role the rights that it needs to serve, and no others',
    )
    .action(async (options: Printing & { grantTo?: string }) => {
      const { grantTo } = options;
      const config = await configureForSchema();
      if (grantTo !== undefined && config.databaseUrl === undefined) {
        throw new OperatorError(
          '--grant-to needs DATABASE_URL: the embedded database has no roles.',
        );
      }
      const { migrated } = await prepareDatabase(config, notifyOperator);
      const migrations = migrated.map((name) => ({ name }));
      if (options.output !== 'table' || migrated.length > 0) {
        printList<{ name: string }>(
          options,
          { success: 1, migrations, has_more: false },
          'migrations',
          {
            MIGRATION: ({ name }) => name,
          },
        );
      } else console.error('There was no migration to run.');
      if (grantTo !== undefined) await grantRights(config, grantTo);
    });

  subcommandOf(
    migration,
    'revert',
    'undo the latest migration, with the data its tables hold',
    '--plugin seats',
  )
    .option('--plugin <name>', 'revert a migration of this plugin, not of the service')
    .action(async (options: Printing & { plugin?: string }) => {
      const name = await revertMigration(
        await configureForSchema(),
        notifyOperator,
        options.plugin,
      );
      const sentence =
        name === undefined ? 'There was no migration to undo.' : `${name} is undone.`;
      printDone(options, sentence, { success: 1, reverted: name ?? null });
    });

  subcommandOf(migration, 'show', 'list the migrations').action(async (options: Printing) => {
    const migrations = await listMigrations(await configureForSchema(), notifyOperator);
    printList<MigrationState>(options, { success: 1, migrations, has_more: false }, 'migrations', {
      MIGRATION: ({ name, plugin }) => (plugin === undefined ? name : `${plugin}: ${name}`),
      APPLIED: ({ applied }) => (applied ? 'yes' : 'no'),
    });
  });
}

/** Reads the configuration for the owner of the tables, who needs no key. */
function configureForSchema(): Promise<Config> {
  return configure({ needsKeys: false });
}
