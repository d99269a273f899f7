// Adds the settings of the features, and the scopes that one of them may name.
import './catalogues.ts';
import { Config } from '../../platform/config/config.ts';
import { KeyProvider } from '../../platform/common/secret/key-provider.ts';
import type { Plugin } from '../../platform/common/extension/plugin.ts';
import type { PortProvider } from '../../platform/common/extension/ports.ts';
import { loadConfig } from '../../platform/config/load-config.ts';
import { ownSettings } from '../../platform/config/settings.ts';
import { ConfigError, variablesOf } from '../../platform/config/variable.ts';
import type { UserGroupOptions } from './declared/options.ts';

/**
 * Checks the values, and completes them with defaults.
 * @throws ConfigError with one line that names the faulty option, never its value
 */
export function configOf(
  { pluginSettings = [], ...options }: UserGroupOptions,
  {
    ports = [],
    plugins = [],
  }: { ports?: readonly PortProvider[]; plugins?: readonly Plugin[] } = {},
): Config {
  const names = new Map(
    [Config, ...ownSettings].flatMap(variablesOf).map(({ property, name }) => [property, name]),
  );
  const env: Record<string, string> = {};
  for (const [property, value] of Object.entries<string | number | boolean | undefined>(options)) {
    const name = names.get(property);
    if (name === undefined) throw new ConfigError(`${property} is no option of the user groups.`);
    if (value !== undefined) env[name] = String(value);
  }
  const classes = plugins.map(({ definition }) => definition.settings);
  const stray = pluginSettings.find(
    ({ constructor }) => !classes.some((one) => one === constructor),
  );
  if (stray) {
    throw new ConfigError(`No plugin has settings of the class ${stray.constructor.name}.`);
  }
  try {
    // Settings of plugins are values here, not variables.
    const needsKeys = !ports.some(({ provide }) => provide === KeyProvider);
    return loadConfig(env, { needsKeys, plugins, pluginSettings });
  } catch (error) {
    if (error instanceof ConfigError) throw new ConfigError(inWordsOf(names, error.message));
    throw error;
  }
}

/** Replaces variables in the message by options. */
function inWordsOf(names: ReadonlyMap<string, string>, message: string): string {
  const properties = new Map([...names].map(([property, name]) => [name, property]));
  return message.replace(/\b[A-Z][A-Z_]+\b/g, (word) => properties.get(word) ?? word);
}
