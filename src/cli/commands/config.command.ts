import type { Command } from 'commander';
import { configure } from '../configure.ts';

export function defineConfig(config: Command): void {
  config
    .command('check')
    .description('check the environment without touching the database')
    .action(async () => {
      const config = await configure();
      const { databaseUrl, dataDir, plugins } = config;
      if (plugins.length > 0) {
        // Refuses incompatible plugins.
        (await import('../../app/app.module.ts')).AppModule.with(config);
      }
      const database = databaseUrl === undefined ? `SQLite in ${dataDir}` : 'PostgreSQL';
      const names = plugins.map(({ definition }) => definition.name).join(', ');
      const added = names === '' ? '' : ` Plugins: ${names}.`;
      console.log(`The configuration is valid. Database: ${database}.${added}`);
    });
}
