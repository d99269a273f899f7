import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { OperatorError } from '../common/problem/operator-error.ts';
import { reasonOf } from '../common/problem/reason-of.ts';
import { Plugin } from '../common/extension/plugin.ts';
import type { Environment } from './load-config.ts';
import { list } from './readers.ts';
import { sharePackages } from './shared-packages.ts';
import { ConfigError } from './variable.ts';

/**
 * Loads the modules that `PLUGINS` names: files, relative to the working directory, or packages.
 * @returns the plugins in their order
 * @throws ConfigError with one line, if one cannot be loaded or is no plugin; OperatorError like `definePlugin`
 */
export async function loadPlugins(env: Environment): Promise<Plugin[]> {
  const plugins: Plugin[] = [];
  const names = list(env['PLUGINS'] ?? '');
  if (names.length > 0) sharePackages();
  for (const name of names) {
    const plugin = await loadPlugin(name);
    const { name: known } = plugin.definition;
    if (plugins.some(({ definition }) => definition.name === known)) {
      throw new ConfigError(`PLUGINS names two plugins that are called ${known}.`);
    }
    plugins.push(plugin);
  }
  return plugins;
}

async function loadPlugin(name: string): Promise<Plugin> {
  const exported = await importDefault(
    /^[./]/.test(name) ? pathToFileURL(resolve(name)).href : name,
  );
  if (exported instanceof Plugin) return exported;
  const isOfAnother = exported !== null && typeof exported === 'object' && 'definition' in exported;
  throw new ConfigError(
    isOfAnother
      ? `PLUGINS names ${name}, which was made by another copy of user-group-service: it imports that copy by its path, in place of "user-group-service".`
      : `PLUGINS names ${name}, whose default export is not made by definePlugin.`,
  );

  async function importDefault(specifier: string): Promise<unknown> {
    try {
      return ((await import(specifier)) as { default?: unknown }).default;
    } catch (error) {
      if (error instanceof OperatorError) throw error;
      throw new ConfigError(`PLUGINS names ${name}, which cannot be loaded: ${reasonOf(error)}.`, {
        cause: error,
      });
    }
  }
}
