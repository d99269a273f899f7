import type { Command } from 'commander';
import { Config } from '../../../platform/config/config.ts';
import { loadPlugins } from '../../../platform/config/load-plugins.ts';
import { withExample } from '../subcommand.ts';
import { describeOpenApi } from '../../app/openapi/openapi.ts';

export function defineOpenApi(openapi: Command): void {
  withExample(openapi, 'openapi > openapi.json').action(async () => {
    console.log(
      JSON.stringify(
        await describeOpenApi(Object.assign(new Config(), { plugins: await loadPlugins(process.env) })),
        null,
        2,
      ),
    );
  });
}
