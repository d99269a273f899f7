import type { Config } from '../config/config';
import { loadConfig, loadDotEnv } from '../config/load-config';
import type { Tell } from '../database/schema/migration-turn';

/** @throws OperatorError if the environment is not acceptable */
export function configure(options?: { needsKeys: boolean }): Config {
  loadDotEnv();
  return loadConfig(process.env, options);
}

/** What a start tells goes to standard error: standard output is for what was asked for. */
export const tellOperator: Tell = (_level, msg, details = {}) => {
  const facts = Object.entries(details).map(
    ([name, value]) => `${name.replaceAll('_', ' ')} ${value}`,
  );
  console.error([msg, ...facts].join(', '));
};
