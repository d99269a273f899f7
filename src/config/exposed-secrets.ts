import { othersMay } from '../common/others-may';
import type { Config } from './config';
import type { Environment } from './load-config';
import { variables } from './variable';

/**
 * The files with secrets and the directory of data that every user of the machine may read, by what
 * names them. Mounted secrets often are, and in a container there may be no other user; so this is
 * for a warning.
 */
export function findExposed(env: Environment, { databaseUrl, dataDir }: Config): string[] {
  const files = variables()
    .filter(({ secret }) => secret)
    .map(({ name }) => ({ name: `${name}_FILE`, path: env[`${name}_FILE`] }));
  const data = databaseUrl === undefined ? [{ name: 'DATA_DIR', path: dataDir }] : [];
  return [...files, ...data]
    .filter(({ path }) => path && othersMay(path) !== 'nothing')
    .map(({ name }) => name);
}
