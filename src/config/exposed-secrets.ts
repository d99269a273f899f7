import { othersMay } from '../common/others-may.ts';
import { Config } from './config.ts';
import type { Environment } from './load-config.ts';
import { variablesOf } from './variable.ts';

/**
 * Finds files with secrets, and a data directory, that every user of the machine may read, by the
 * names of their variables. It serves a warning only: mounted secrets are often readable, and a
 * container may have no other user.
 */
export function findExposed(env: Environment, { databaseUrl, dataDir, plugins }: Config): string[] {
  const files = [Config, ...plugins.flatMap(({ definition }) => definition.settings ?? [])]
    .flatMap(variablesOf)
    .filter(({ secret }) => secret)
    .map(({ name }) => ({ name: `${name}_FILE`, path: env[`${name}_FILE`] }));
  const data = databaseUrl === undefined ? [{ name: 'DATA_DIR', path: dataDir }] : [];
  return [...files, ...data]
    .filter(({ path }) => path && othersMay(path) !== 'nothing')
    .map(({ name }) => name);
}
