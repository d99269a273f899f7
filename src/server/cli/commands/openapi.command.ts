import type { Command } from 'commander';
import { Config } from '../../../platform/config/config.ts';
import { loadConfig } from '../../../platform/config/load-config.ts';
import { loadPlugins } from '../../../platform/config/load-plugins.ts';
import { withExample } from '../../../platform/command-line/subcommand.ts';
import { describeOpenApi } from '../../app/openapi/openapi.ts';

export function defineOpenApi(openapi: Command): void {
  withExample(openapi, 'openapi > openapi.json').action(async () => {
    const { features } = loadConfig({ FEATURES: process.env['FEATURES'] });
    // The document has no operation of the console.
    const config = Object.assign(new Config(), {
      features,
      console: false,
      plugins: await loadPlugins(process.env),
    });
    console.log(JSON.stringify(await describeOpenApi(config), null, 2));
  });
}
