import type { Command } from 'commander';
import { listMigrations, prepareDatabase, revertMigration } from '../database/migrate';
import { printTable } from './print-table';
import { configure, tellOperator } from './with-services';

/** Adds `migration run`, `migration revert` and `migration show`. */
export function addMigrationCommand(program: Command): void {
  const migration = program.command('migration').description('the database schema');

  migration
    .command('run')
    .description('run the pending migrations; the server does so at its start')
    .action(async () => {
      const names = await prepareDatabase(configure(), tellOperator);
      for (const name of names) console.log(name);
      if (names.length === 0) console.error('There was no migration to run.');
    });

  migration
    .command('revert')
    .description('undo the latest migration, with the data its tables hold')
    .action(async () => {
      const name = await revertMigration(configure(), tellOperator);
      console.error(name === undefined ? 'There was no migration to undo.' : `${name} is undone.`);
    });

  migration
    .command('show')
    .description('list the migrations')
    .action(async () => {
      const rows = await listMigrations(configure(), tellOperator);
      printTable(
        ['MIGRATION', 'APPLIED'],
        rows.map(({ name, applied }) => [name, applied ? 'yes' : 'no']),
      );
    });
}
