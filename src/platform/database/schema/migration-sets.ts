import type { Type } from '@nestjs/common';
import type { MigrationInterface } from 'typeorm';
import { OperatorError } from '../../common/problem/operator-error.ts';
import type { Config } from '../../config/config.ts';
import { ownSchema } from './own-schema.ts';

/** Migrations with a record of their own. */
export interface MigrationSet {
  /** The name of the plugin; undefined for the service itself. */
  plugin?: string;
  migrations: readonly Type<MigrationInterface>[];
  /** Table with the record of applied migrations. */
  table: string;
}

/**
 * The migrations of the service, and then those of each plugin, whose tables may refer to the service's.
 * @throws OperatorError if a plugin's tables cannot be distinguished from those of the service
 */
export function migrationSets({ plugins }: Config): MigrationSet[] {
  const { migrations, rights } = ownSchema();
  const ofPlugins = plugins.map(({ definition: { name, migrations: own = [] }, prefix }) => {
    const taken = Object.keys(rights).find((table) => `${table}_`.startsWith(prefix));
    if (taken !== undefined) {
      throw new OperatorError(
        `The plugin ${name} needs another name: the service itself has a table ${taken}.`,
      );
    }
    return { plugin: name, migrations: own, table: `${prefix}migration` };
  });
  return [
    { migrations, table: 'migration' },
    ...ofPlugins.filter(({ migrations: own }) => own.length > 0),
  ];
}
