import type { Type } from '@nestjs/common';
import { getMetadataArgsStorage, type MigrationInterface } from 'typeorm';
import type { FeatureDefinition } from '../../common/extension/feature.ts';

/** The parts of the service in its database, whichever features are served. */
interface OwnSchema {
  /** In the order in which they run. */
  migrations: readonly Type<MigrationInterface>[];
  /** The rights on each table, by its name, of a role that only serves. */
  rights: Readonly<Record<string, string>>;
  /** Tables whose rows are numbered by a sequence, `<table>_id_seq`. */
  numbered: readonly string[];
}

let own: OwnSchema | undefined;

/** Takes the schema from the declarations of all features; `src/server/app/features.ts` does so when it is loaded. */
export function takeSchemaOf(features: readonly FeatureDefinition[]): void {
  const migrations = features.flatMap(({ migrations: declared = [] }) => declared);
  const rights = features.flatMap((feature) => Object.entries(feature.rights ?? {}));
  const entities = features.flatMap(({ entities: declared = [] }) => declared);
  own = {
    migrations: migrations.sort((one, other) => numberOf(one) - numberOf(other)),
    rights: Object.fromEntries(rights.sort(([one], [other]) => (one < other ? -1 : 1))),
    numbered: entities.filter(isNumbered).map(tableOf).sort(),
  };
}

/** @throws Error in a program that has not loaded the features: it would take a part of the schema for all of it */
export function ownSchema(): OwnSchema {
  if (!own) throw new Error('The features are not loaded.');
  return own;
}

/** The number at the end of the name of a migration: milliseconds since 1970. */
function numberOf({ name }: Type<MigrationInterface>): number {
  return Number(/\d+$/.exec(name)?.[0]);
}

/** Whether the class, or one that it extends, has a column that the database counts up. */
function isNumbered(entity: Type): boolean {
  return getMetadataArgsStorage().generations.some(
    ({ target }) =>
      target === entity || (typeof target === 'function' && entity.prototype instanceof target),
  );
}

function tableOf(entity: Type): string {
  return getMetadataArgsStorage().tables.find(({ target }) => target === entity)!.name!;
}
