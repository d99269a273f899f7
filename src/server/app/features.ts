import type { INestApplicationContext } from '@nestjs/common';
import type { FeatureCommand, FeatureDefinition } from '../../platform/common/extension/feature.ts';
import type { Metric } from '../../platform/common/extension/metric.ts';
import { OperatorError } from '../../platform/common/problem/operator-error.ts';
import type { Config } from '../../platform/config/config.ts';
// Comes with the features: they ask for the scopes that it adds.
import './catalogues.ts';
import { type Feature, groundFeatures, routedFeatures } from './declared/features.ts';
import { settingsFrom } from '../../platform/config/settings.ts';
import { takeSchemaOf } from '../../platform/database/schema/own-schema.ts';

/** A name in a choice: of a feature, or of a set of them. */
type FeatureName = Feature | 'all' | 'core';

/** The smallest set with which renderers and the backend of a host are served. */
const CORE: readonly Feature[] = [
  'user-groups',
  'introspection',
  'embed-tokens',
  'api-tokens',
  'audit-events',
];

const names = routedFeatures
  .filter(({ switchedBy }) => switchedBy === undefined)
  .map(({ name }) => name);

const choices = ['all', 'core', ...names];

const sets: Partial<Record<string, readonly string[]>> = { all: names, core: CORE };

/** Every feature of the service. */
export const features = [...routedFeatures, ...groundFeatures];

takeSchemaOf(features);

/** Every entity of the service. */
export const entities: (new () => object)[] = features.flatMap(({ entities: own = [] }) => own);

/** The commands of every feature, each before its subcommands. */
export const featureCommands: readonly (FeatureCommand & { feature: string })[] = features
  .flatMap(({ name: feature, commands = [] }) => commands.map((one) => ({ ...one, feature })))
  .sort((one, other) => depthOf(one) - depthOf(other));

function depthOf({ name }: FeatureCommand): number {
  return name.split(' ').length;
}

/** A choice of features; everything but the console by default. */
export interface FeatureChoice {
  features?: readonly FeatureName[];
  console?: boolean;
}

/**
 * Returns the chosen features with routes, in the order of their declarations.
 * @param setting names the list in messages
 * @throws OperatorError for a name that is no feature, and for a feature that needs one that is left out
 */
export function chooseFeatures(
  { features: given = ['all'], ...switches }: FeatureChoice,
  setting = 'http.features',
): FeatureDefinition[] {
  const unknown = given.find((one) => !choices.includes(one));
  if (unknown !== undefined) {
    throw new OperatorError(
      `${setting} names ${unknown}, which is no feature; they are ${choices.join(', ')}.`,
    );
  }
  const wanted = new Set(given.flatMap(featuresOf));
  const chosen = routedFeatures.filter(({ name, switchedBy }) =>
    switchedBy === undefined ? wanted.has(name) : switches[switchedBy],
  );
  for (const { name, needs = [] } of chosen) {
    const missing = needs.find((one) => !chosen.some((other) => other.name === one));
    if (missing === undefined) continue;
    throw new OperatorError(
      `The feature ${name} needs the feature ${missing}, which ${setting} leaves out: add ${missing}, or switch ${name} off.`,
    );
  }
  return chosen;
}

function featuresOf(name: string): readonly string[] {
  return sets[name] ?? [name];
}

/** Returns the names of a choice of which each serves a feature; undefined if the running service has it in any case. */
export function namesServing(feature: string): readonly string[] | undefined {
  const isOptional = feature !== 'user-groups' && names.includes(feature);
  return isOptional ? choices.filter((name) => featuresOf(name).includes(feature)) : undefined;
}

/**
 * Returns the choice of the running service, which serves the contract in any case.
 * @throws OperatorError like `chooseFeatures`
 */
export function servedChoice(config: Config): FeatureChoice {
  const switches = routedFeatures.flatMap(({ switchedBy, settings }) =>
    switchedBy && settings
      ? [[switchedBy, Reflect.get(settingsFrom(config, settings), switchedBy)]]
      : [],
  );
  const choice = {
    ...(Object.fromEntries(switches) as FeatureChoice),
    features: ['user-groups', ...config.features] as FeatureName[],
  };
  chooseFeatures(choice, 'FEATURES');
  return choice;
}

/** A page of a feature for people. */
export interface FeaturePage {
  /** The name of the feature. */
  name: string;
  title: string;
  /** Such as `/console`. */
  path: string;
}

/** Returns the pages for people that the running service has. */
export function pagesOf(config: Config): FeaturePage[] {
  return chooseFeatures(servedChoice(config)).flatMap(({ name, page }) =>
    page === undefined ? [] : [{ name, title: name[0]!.toUpperCase() + name.slice(1), path: page }],
  );
}

/** Returns the metrics of each feature of the running service. */
export function metricsOf(
  config: Config,
  app: INestApplicationContext,
): { title: string; metrics: readonly Metric[] }[] {
  return [...chooseFeatures(servedChoice(config)), ...groundFeatures].map(({ name, metrics }) => ({
    title: `feature ${name}`,
    metrics: metrics?.(app) ?? [],
  }));
}
