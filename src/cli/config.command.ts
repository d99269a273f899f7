import type { Command } from 'commander';
import { configure } from './configure.ts';

/** Defines `config check`. */
export function defineConfig(config: Command): void {
  config
    .command('check')
    .description('check the environment without touching the database')
    .action(() => {
      const { databaseUrl, dataDir } = configure();
      const database = databaseUrl === undefined ? `SQLite in ${dataDir}` : 'PostgreSQL';
      console.log(`The configuration is valid. Database: ${database}.`);
    });
}
