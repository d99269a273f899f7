import type { Command } from 'commander';
import { configure } from '../../../platform/command-line/configure.ts';
import { printOne, type Printing } from '../../../platform/command-line/output.ts';
import { subcommandOf } from '../../../platform/command-line/subcommand.ts';

export function defineConfig(config: Command): void {
  subcommandOf(config, 'check', 'check the environment without touching the database').action(
    async (options: Printing) => {
      const config = await configure();
      const { databaseUrl, dataDir, plugins } = config;
      if (plugins.length > 0 || String(config.features) !== 'all') {
        // Refuses incompatible plugins, and features that cannot be served.
        (await import('../../app/app.module.ts')).AppModule.with(config);
      }
      const database = databaseUrl === undefined ? `SQLite in ${dataDir}` : 'PostgreSQL';
      const names = plugins.map(({ definition }) => definition.name);
      const added = names.length === 0 ? '' : ` Plugins: ${names.join(', ')}.`;
      const sentence = `The configuration is valid. Database: ${database}.${added}`;
      if (options.output === 'table') console.log(sentence);
      else printOne(options, { success: 1, database, plugins: names });
    },
  );
}
