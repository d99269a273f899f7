import type { Command } from 'commander';
import { OperatorError } from '../../common/problem/operator-error.ts';
import type { Config } from '../../config/config.ts';
import { grantRights } from '../../database/schema/grants.ts';
import { listMigrations, prepareDatabase, revertMigration } from '../../database/schema/migrate.ts';
import { printTable } from '../print-table.ts';
import { configure, notifyOperator } from '../configure.ts';

export function defineMigration(migration: Command): void {
  migration
    .command('run')
    .description('run the pending migrations; the server does so at its start')
    .option('--grant-to <role>', 'then give this PostgreSQL role what it needs to serve, and no more')
    .action(async ({ grantTo }: { grantTo?: string }) => {
      const config = await configureForSchema();
      if (grantTo !== undefined && config.databaseUrl === undefined) {
        throw new OperatorError('--grant-to needs DATABASE_URL: the embedded database has no roles.');
      }
      const { migrated } = await prepareDatabase(config, notifyOperator);
      for (const name of migrated) console.log(name);
      if (migrated.length === 0) console.error('There was no migration to run.');
      if (grantTo !== undefined) await grantRights(config, grantTo);
    });

  migration
    .command('revert')
    .description('undo the latest migration, with the data its tables hold')
    .option('--plugin <name>', 'of this plugin, not of the service')
    .action(async ({ plugin }: { plugin?: string }) => {
      const name = await revertMigration(await configureForSchema(), notifyOperator, plugin);
      console.error(name === undefined ? 'There was no migration to undo.' : `${name} is undone.`);
    });

  migration
    .command('show')
    .description('list the migrations')
    .action(async () => {
      const rows = await listMigrations(await configureForSchema(), notifyOperator);
      printTable(
        ['MIGRATION', 'APPLIED'],
        rows.map(({ name, plugin, applied }) => [
          plugin === undefined ? name : `${plugin}: ${name}`,
          applied ? 'yes' : 'no',
        ]),
      );
    });
}

/** Reads the configuration for the owner of the tables, who needs no key. */
function configureForSchema(): Promise<Config> {
  return configure({ needsKeys: false });
}
