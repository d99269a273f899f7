import { RequestMethod, type Type } from '@nestjs/common';
import {
  HOST_METADATA,
  METHOD_METADATA,
  PATH_METADATA,
  VERSION_METADATA,
} from '@nestjs/common/constants.js';
import { handlersOf } from '../../platform/common/access/handler-access.ts';
import type { FeatureDefinition } from '../../platform/common/extension/feature.ts';
import type { Plugin } from '../../platform/common/extension/plugin.ts';
import * as commonProblems from '../../platform/common/problem/errors.ts';
import { OperatorError } from '../../platform/common/problem/operator-error.ts';
import { Config } from '../../platform/config/config.ts';
import { variablesOf } from '../../platform/config/variable.ts';

/** The names that one declaration gives to its parts, by the kind of the part. */
interface Declared {
  /** Such as `feature webhooks`. */
  title: string;
  names: Readonly<Record<string, readonly string[]>>;
}

type Parts = Omit<Partial<FeatureDefinition>, 'name'>;

/** Returns the names of the parts of a declaration, without its routes. */
function declaredBy(title: string, parts: Parts): Declared {
  const { scopes = [], actions, problems = {}, settings, rights = {}, migrations = [] } = parts;
  const names = {
    scope: scopes,
    action: Object.values(actions ?? {}).flat(),
    error: Object.values(problems).map(({ spec }) => spec.code),
    variable: settings ? variablesOf(settings).map(({ name }) => name) : [],
    table: Object.keys(rights),
    migration: migrations.map(({ name }) => name),
    command: (parts.commands ?? []).map(({ name }) => name),
  };
  return { title, names };
}

/** Returns the routes of controllers; parameters of two names are the same. */
export function routesOf(title: string, controllers: readonly Type[]): Declared {
  const routes = controllers.flatMap((controller) =>
    handlersOf(controller).flatMap(({ handler }) => {
      const method = RequestMethod[Reflect.getMetadata(METHOD_METADATA, handler) as number]!;
      // Nest tells these apart, too.
      const conditions: unknown[] = [
        Reflect.getMetadata(HOST_METADATA, controller),
        Reflect.getMetadata(VERSION_METADATA, handler),
      ].filter(Boolean);
      return pathsOf(controller)
        .flatMap((base) => pathsOf(handler).map((path) => `${base}/${path}`))
        .map((path) => [method, normal(path), ...conditions.map(String)].join(' '));
    }),
  );
  return { title, names: { route: [...new Set(routes)] } };
}

function pathsOf(target: object): string[] {
  return [Reflect.getMetadata(PATH_METADATA, target) as string | string[]].flat();
}

function normal(path: string): string {
  const segments = path.split('/').filter((one) => one !== '');
  return `/${segments.map((one) => one.replace(/^:.*/, '{}')).join('/')}`;
}

/** @throws OperatorError for two declarations of one title */
function requireDistinctTitles(titles: readonly string[]): void {
  const repeated = titles.find((title, index) => titles.indexOf(title) < index);
  if (repeated === undefined) return;
  throw new OperatorError(`There are two declarations of the ${repeated}.`);
}

/** @throws OperatorError naming the two declarations that have a part of the same name, and the part */
function requireDistinct(declared: readonly Declared[]): void {
  const owners = new Map<string, string>();
  for (const { title, names } of declared) {
    for (const [kind, own] of Object.entries(names)) {
      for (const name of own) {
        const part = `${kind} ${name}`;
        const other = owners.get(part);
        if (other !== undefined) {
          throw new OperatorError(
            `The ${title} cannot have the ${part}: the ${other} has it already.`,
          );
        }
        owners.set(part, title);
      }
    }
  }
}

const problems = Object.fromEntries(
  Object.entries(commonProblems).flatMap(([name, one]) => ('spec' in one ? [[name, one]] : [])),
);

const ofService = declaredBy('service', { problems, settings: Config });

/**
 * Requires that no two features have a part of the same name, and that those that they need or use exist.
 * @param controllers returns the controllers of a feature
 * @throws OperatorError naming the feature, and the part
 */
export function requireConsistent(
  features: readonly FeatureDefinition[],
  controllers: (feature: FeatureDefinition) => readonly Type[],
): void {
  requireDistinctTitles(features.map(({ name }) => `feature ${name}`));
  requireDistinct([
    ofService,
    ...features.flatMap((feature) => [
      declaredBy(`feature ${feature.name}`, feature),
      routesOf(`feature ${feature.name}`, controllers(feature)),
    ]),
  ]);
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
 * Requires that plugins have no part of the name of one of the features, or of one another.
 * @param routes those that are served
 * @throws OperatorError naming the plugin, and the part
 */
export function requireDistinctPlugins(
  features: readonly FeatureDefinition[],
  plugins: readonly Plugin[],
  routes: readonly Declared[],
): void {
  requireDistinctTitles(plugins.map(({ title }) => title));
  requireDistinct([
    ofService,
    ...features.map((feature) => declaredBy(`feature ${feature.name}`, feature)),
    ...plugins.map(({ title, definition }) => declaredBy(title, definition)),
    ...routes,
  ]);
}
