import type { Type } from '@nestjs/common';
import { getMetadataArgsStorage, type MigrationInterface } from 'typeorm';
import { handlersOf, scopesNamedIn } from '../../../platform/common/access/handler-access.ts';
import { operationIdOf } from '../../../platform/common/api-docs.ts';
import type {
  FeatureDefinition,
  MountedRoute,
} from '../../../platform/common/extension/feature.ts';
import type { Plugin, PluginDefinition } from '../../../platform/common/extension/plugin.ts';
import * as commonProblems from '../../../platform/common/problem/errors.ts';
import { OperatorError } from '../../../platform/common/problem/operator-error.ts';
import { Config } from '../../../platform/config/config.ts';
import { variablesOf } from '../../../platform/config/variable.ts';
import { PostgresNames } from '../../../platform/database/names.ts';
import { requireDistinctRoutes, type RoutedDeclaration } from './routes.ts';

type Names = Readonly<Record<string, readonly string[]>>;

/** The parts that one declaration adds to the service. */
interface Declared extends RoutedDeclaration {
  /** The names of its parts, by the kind of the part. */
  names: Names;
  /** Names that are distinct within the declaration alone. */
  inner?: Names;
  /** The classes that bring a part, such as `table seats_seat`; another plugin may have it by one of the same. */
  broughtBy?: ReadonlyMap<string, readonly Type[]>;
}

const NAMES = new PostgresNames();

const problems = Object.fromEntries(
  Object.entries(commonProblems).flatMap(([name, one]) => ('spec' in one ? [[name, one]] : [])),
);

/**
 * Returns what the service has whatever its features are.
 * @param mounted the routes of the process that no controller serves
 */
export function partsOfService(
  controllers: readonly Type[] = [],
  mounted: readonly MountedRoute[] = [],
): Declared {
  const names = namesOf({ problems, settings: Config });
  return { title: 'service', names, controllers, mounted };
}

/**
 * @param controllers those that are served
 * @param mounted the routes without a controller that are served
 * @throws OperatorError for a migration without a number
 */
export function partsOfFeature(
  feature: FeatureDefinition,
  controllers: readonly Type[],
  mounted: readonly MountedRoute[] = [],
): Declared {
  const title = `feature ${feature.name}`;
  // The migrations of all features are one list.
  const numbers = numbersOf(title, feature.migrations);
  const names = { ...namesOf(feature), 'migration number': numbers };
  return { title, names, controllers, mounted };
}

/**
 * @param controllers those of its modules, and of the modules that these import
 * @throws OperatorError for a migration without a number
 */
export function partsOfPlugin(plugin: Plugin, controllers: readonly Type[]): Declared {
  const { title, definition, prefix } = plugin;
  const { actions: changing = [], migrations = [] } = definition;
  const names = namesOf({ ...definition, actions: { changing, unchanging: [] } });
  const record = migrations.length > 0 ? [`${prefix}migration`] : [];
  return {
    title,
    names: { ...names, table: [...names.table, ...record] },
    inner: { 'migration number': numbersOf(title, migrations) },
    controllers,
    broughtBy: classesOfParts(definition, controllers),
  };
}

/** A controller or an entity of two plugins is there once, with its scopes and its table. */
function classesOfParts(
  { entities = [] }: PluginDefinition,
  controllers: readonly Type[],
): ReadonlyMap<string, readonly Type[]> {
  const parts = [
    ...controllers.flatMap((type) =>
      scopesNamedIn([type]).map((scope) => ({ part: `scope ${scope}`, type })),
    ),
    ...entities.flatMap((type) =>
      [`entity ${type.name}`, ...tablesOf(type).map((name) => `table ${name}`)].map((part) => ({
        part,
        type,
      })),
    ),
  ];
  const found = new Map<string, Type[]>();
  for (const { part, type } of parts) found.set(part, [...(found.get(part) ?? []), type]);
  return found;
}

function namesOf(parts: Omit<Partial<FeatureDefinition>, 'name'>) {
  const { scopes = [], actions, settings, rights = {}, entities = [], commands = [] } = parts;
  return {
    scope: scopes,
    action: Object.values(actions ?? {}).flat(),
    error: Object.values(parts.problems ?? {}).map(({ spec }) => spec.code),
    variable: settings ? variablesOf(settings).map(({ name }) => name) : [],
    table: [...new Set([...Object.keys(rights), ...entities.flatMap(tablesOf)])],
    // Repositories are injected by the name of the class.
    entity: entities.map(({ name }) => name),
    command: commands.map(({ name }) => name),
  };
}

function tablesOf(entity: Type): string[] {
  const { tables } = getMetadataArgsStorage();
  return tables
    .filter(({ target, type }) => target === entity && type !== 'entity-child')
    .map(({ name }) => NAMES.tableName(entity.name, name));
}

/** The order of migrations is that of the numbers at the end of their names, of which TypeORM reads 13 digits. */
function numbersOf(title: string, migrations: readonly Type<MigrationInterface>[] = []): string[] {
  return migrations.map((migration) => {
    const name = new migration().name ?? migration.name;
    const number = /\d{13}$/.exec(name)?.[0];
    if (number !== undefined) return number;
    throw new OperatorError(
      `The ${title} has the migration ${name}, whose name does not end with a number of 13 digits; rename it, for example to CreateSeat1796000000001.`,
    );
  });
}

/**
 * Requires that no two declarations have a part of one name or a route in common, and none has one twice.
 * @throws OperatorError naming both declarations, the part, and the remedy
 */
export function requireConsistent(declared: readonly Declared[]): void {
  const titles = declared.map(({ title }) => title);
  const repeated = titles.find((title, index) => titles.indexOf(title) < index);
  if (repeated !== undefined) {
    throw new OperatorError(`There are two declarations of the ${repeated}; rename or remove one.`);
  }
  requireDistinctNames(declared);
  for (const { title, inner = {} } of declared) requireDistinctNames([{ title, names: inner }]);
  requireDistinctNames(operationIdsOf(declared));
  requireDistinctRoutes(declared);
}

type Named = Pick<Declared, 'title' | 'names' | 'broughtBy'>;

function requireDistinctNames(declared: readonly Named[]): void {
  const owners = new Map<string, Named>();
  for (const one of declared) {
    const { title } = one;
    for (const [kind, own] of Object.entries(one.names)) {
      for (const name of own) {
        const part = `${kind} ${name}`;
        const other = owners.get(part);
        if (other?.title === title) {
          throw new OperatorError(`The ${title} has the ${part} twice; remove or rename one.`);
        }
        if (other !== undefined && !isShared(part, one, other)) {
          throw new OperatorError(
            `The ${title} cannot have the ${part}: the ${other.title} has it already. Choose another ${kind}.${HINTS[kind] ?? ''}`,
          );
        }
        owners.set(part, one);
      }
    }
  }
}

const HINTS: Record<string, string> = {
  scope: ' A handler can require this one without a place in the list of its plugin.',
};

function isShared(part: string, one: Named, other: Named): boolean {
  const types = other.broughtBy?.get(part) ?? [];
  return one.broughtBy?.get(part)?.some((type) => types.includes(type)) === true;
}

/** A controller that modules of two plugins have is there once. */
function operationIdsOf(declared: readonly Declared[]): Pick<Declared, 'title' | 'names'>[] {
  const seen = new Set<Type>();
  return declared.map(({ title, controllers }) => {
    const added = new Set(controllers.filter((one) => !seen.has(one)));
    for (const one of added) seen.add(one);
    const handlers = [...added].flatMap(handlersOf);
    const ids = handlers.map(({ handler, name }) => operationIdOf(handler, name));
    return { title, names: { 'operation id': ids } };
  });
}

/** Requires that the features exist that others need or use. @throws OperatorError naming both */
export function requireKnownFeatures(features: readonly FeatureDefinition[]): void {
  const known = features.map(({ name }) => name);
  for (const { name, needs = [], uses = [] } of features) {
    for (const [member, others] of Object.entries({ needs, uses })) {
      const unknown = others.find((one) => !known.includes(one));
      if (unknown === undefined) continue;
      throw new OperatorError(`The feature ${name} ${member} ${unknown}, which is no feature.`);
    }
  }
}

/**
 * Requires that a feature or one of the plugins lists each scope of the handlers of a plugin, so that those of two plugins
 * can be told apart.
 * @param listed the scopes that the features and all of the plugins list
 * @throws OperatorError naming the plugin, and the scope
 */
export function requireListedScopes(
  { title }: Plugin,
  controllers: readonly Type[],
  listed: readonly string[],
): void {
  const unlisted = scopesNamedIn(controllers).find((one) => !listed.includes(one));
  if (unlisted === undefined) return;
  throw new OperatorError(
    `The ${title} requires the scope ${unlisted}, which no plugin lists; add it to its scopes, or add the plugin that has it.`,
  );
}
