import type { Command } from 'commander';
import { listMigrations, prepareDatabase, revertMigration } from '../database/migrate';
import { printTable } from './print-table';
import { configure } from './with-services';

/** Adds `migration run`, `migration revert` and `migration show`. */
export function addMigrationCommand(program: Command): void {
  const migration = program.command('migration').description('the database schema');

  migration
    .command('run')
    .description('run the pending migrations; the server does so at its start')
    .action(() => prepareDatabase(configure()));

  migration
    .command('revert')
    .description('undo the latest migration, with the data its tables hold')
    .action(() => revertMigration(configure()));

  migration
    .command('show')
    .description('list the migrations')
    .action(async () => {
      const rows = await listMigrations(configure());
      printTable(
        ['MIGRATION', 'APPLIED'],
        rows.map(({ name, applied }) => [name, applied ? 'yes' : 'no']),
      );
    });
}
