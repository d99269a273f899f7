import type { INestApplicationContext } from '@nestjs/common';
import { activity } from '../../core/activity/activity.feature.ts';
import { apiTokens } from '../../core/api-token/api-token.feature.ts';
import { auditEvents } from '../../core/audit/audit.feature.ts';
import { changeLog } from '../../core/change-log/change-log.feature.ts';
import type { FeatureCommand, FeatureDefinition } from '../../platform/common/extension/feature.ts';
import type { Metric } from '../../platform/common/extension/metric.ts';
import { OperatorError } from '../../platform/common/problem/operator-error.ts';
import { bulk } from '../../features/bulk/bulk.feature.ts';
import { bulkJobs } from '../../features/bulk-job/bulk-job.feature.ts';
import type { Config } from '../../platform/config/config.ts';
// Comes with the features: they ask for the scopes that it adds.
import './catalogues.ts';
import { ConsoleSettings } from '../../features/console/console.settings.ts';
import { settingsFrom } from '../../platform/config/settings.ts';
import { takeSchemaOf } from '../../platform/database/schema/own-schema.ts';
import { operatorConsole } from '../../features/console/console.feature.ts';
import { database } from '../../platform/database/database.feature.ts';
import { embedTokens } from '../../core/embed-token/embed-token.feature.ts';
import { encryptionKeys } from '../../core/encryption-key/encryption-key.feature.ts';
import { events } from '../../features/event/event.feature.ts';
import { idempotency } from '../../core/idempotency/idempotency.feature.ts';
import { forwardAuth } from '../../features/forward-auth/forward-auth.feature.ts';
import { groupChecks } from '../../features/group-checks/group-checks.feature.ts';
import { inspection } from '../../features/inspection/inspection.feature.ts';
import { introspection } from '../../core/introspection/introspection.feature.ts';
import { keyAdministration } from '../../features/key-administration/key-administration.feature.ts';
import { mapping } from '../../core/mapping/mapping.feature.ts';
import { overview } from '../../features/overview/overview.feature.ts';
import { registry } from '../../features/registry/registry.feature.ts';
import { revocation } from '../../features/revocation/revocation.feature.ts';
import { system } from '../../features/system/system.feature.ts';
import { targets } from '../../features/target/target.feature.ts';
import { usage } from '../../features/usage/usage.feature.ts';
import { userGroups } from '../../core/user-group/user-group.feature.ts';
import { webhooks } from '../../features/webhook/webhook.feature.ts';
import { workspaces } from '../../core/workspace/workspace.feature.ts';

/** A part of the HTTP interface that an application can have or leave out. */
export type Feature =
  | 'bulk'
  | 'user-groups'
  | 'bulk-jobs'
  | 'embed-tokens'
  | 'introspection'
  | 'forward-auth'
  | 'inspection'
  | 'revocation'
  | 'registry'
  | 'targets'
  | 'usage'
  | 'webhooks'
  | 'api-tokens'
  | 'overview'
  | 'system'
  | 'audit-events'
  | 'events';

/** A name in a choice: of a feature, or of a set of them. */
type FeatureName = Feature | 'all' | 'core';

/** The features whose routes an application can choose. */
const optional: readonly FeatureDefinition<Feature>[] = [
  // In the document its paths come before those with the id of a group.
  bulk,
  userGroups,
  bulkJobs,
  embedTokens,
  introspection,
  forwardAuth,
  inspection,
  revocation,
  registry,
  targets,
  usage,
  webhooks,
  apiTokens,
  overview,
  system,
  auditEvents,
  events,
];

/** The smallest set with which renderers and the backend of a host are served. */
const CORE: readonly Feature[] = [
  'user-groups',
  'introspection',
  'embed-tokens',
  'api-tokens',
  'audit-events',
];

const names = optional.map(({ name }) => name);

const choices: readonly FeatureName[] = ['all', 'core', ...names];

const sets: Partial<Record<string, readonly Feature[]>> = { all: names, core: CORE };

/** The features without routes, which cannot be left out; one above the core says in `always` why. */
const ground = [
  activity,
  changeLog,
  database,
  encryptionKeys,
  groupChecks,
  idempotency,
  keyAdministration,
  mapping,
  workspaces,
];

/** Every feature of the service. */
export const features: readonly FeatureDefinition[] = [...optional, operatorConsole, ...ground];

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
  { features: given = ['all'], console = false }: FeatureChoice,
  setting = 'http.features',
): FeatureDefinition[] {
  const unknown = given.find((one) => !choices.includes(one));
  if (unknown !== undefined) {
    throw new OperatorError(
      `${setting} names ${unknown}, which is no feature; they are ${choices.join(', ')}.`,
    );
  }
  const wanted = new Set(given.flatMap(featuresOf));
  const chosen: FeatureDefinition[] = optional.filter(({ name }) => wanted.has(name));
  if (console) chosen.push(operatorConsole);
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
  const isOptional = feature !== 'user-groups' && optional.some(({ name }) => name === feature);
  return isOptional ? choices.filter((name) => featuresOf(name).includes(feature)) : undefined;
}

/**
 * Returns the choice of the running service, which serves the contract in any case.
 * @throws OperatorError like `chooseFeatures`
 */
export function servedChoice(config: Config): Required<FeatureChoice> {
  const { console } = settingsFrom(config, ConsoleSettings);
  const choice = { features: ['user-groups', ...config.features] as FeatureName[], console };
  chooseFeatures(choice, 'FEATURES');
  return choice;
}

/** Returns the metrics of each feature of the running service. */
export function metricsOf(
  config: Config,
  app: INestApplicationContext,
): { title: string; metrics: readonly Metric[] }[] {
  return [...chooseFeatures(servedChoice(config)), ...ground].map(({ name, metrics }) => ({
    title: `feature ${name}`,
    metrics: metrics?.(app) ?? [],
  }));
}
