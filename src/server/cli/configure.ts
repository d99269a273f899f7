// Has the scopes that CONSOLE_OIDC_GRANTS may name.
import '../app/catalogues.ts';
import type { Config } from '../../platform/config/config.ts';
import { type ConfigOptions, loadConfig, loadDotEnv } from '../../platform/config/load-config.ts';
import { loadPlugins } from '../../platform/config/load-plugins.ts';
import type { Notify } from '../../platform/database/schema/migration-lock-wait.ts';

/** @throws OperatorError if the environment is invalid */
export async function configure(options?: Pick<ConfigOptions, 'needsKeys'>): Promise<Config> {
  loadDotEnv();
  return loadConfig(process.env, { ...options, plugins: await loadPlugins(process.env) });
}

/** Writes messages of a start to standard error: standard output is for the result of the command. */
export const notifyOperator: Notify = (_level, msg, details = {}) => {
  const facts = Object.entries(details).map(
    ([name, value]) => `${name.replaceAll('_', ' ')} ${value}`,
  );
  console.error([msg, ...facts].join(', '));
};
