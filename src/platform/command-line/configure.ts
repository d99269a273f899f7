import type { Config } from '../config/config.ts';
import { type ConfigOptions, loadConfig } from '../config/load-config.ts';
import { loadPlugins } from '../config/load-plugins.ts';

/** @throws OperatorError if the environment is invalid */
export async function configure(options?: ConfigOptions): Promise<Config> {
  return loadConfig(process.env, { ...options, plugins: await loadPlugins(process.env) });
}
