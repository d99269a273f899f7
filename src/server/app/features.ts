import type { DynamicModule, Type } from '@nestjs/common';
import { activity } from '../../core/activity/activity.feature.ts';
import { apiTokens } from '../../core/api-token/api-token.feature.ts';
import { auditEvents } from '../../core/audit/audit.feature.ts';
import { changeLog } from '../../core/change-log/change-log.feature.ts';
import type { FeatureDefinition } from '../../platform/common/extension/feature.ts';
import { OperatorError } from '../../platform/common/problem/operator-error.ts';
import { bulk } from '../../features/bulk/bulk.feature.ts';
import { operatorConsole } from '../../features/console/console.feature.ts';
import { database } from '../../platform/database/database.feature.ts';
import { embedTokens } from '../../core/embed-token/embed-token.feature.ts';
import { encryptionKeys } from '../../core/encryption-key/encryption-key.feature.ts';
import { events } from '../../features/event/event.feature.ts';
import { idempotency } from '../../core/idempotency/idempotency.feature.ts';
import { groupChecks } from '../../features/group-checks/group-checks.feature.ts';
import { inspection } from '../../features/inspection/inspection.feature.ts';
import { introspection } from '../../core/introspection/introspection.feature.ts';
import { keyAdministration } from '../../features/key-administration/key-administration.feature.ts';
import { mapping } from '../../core/mapping/mapping.feature.ts';
import { overview } from '../../features/overview/overview.feature.ts';
import { registry } from '../../features/registry/registry.feature.ts';
import { revocation } from '../../features/revocation/revocation.feature.ts';
import { system } from '../../features/system/system.feature.ts';
import { userGroups } from '../../core/user-group/user-group.feature.ts';
import { webhooks } from '../../features/webhook/webhook.feature.ts';
import { workspaces } from '../../core/workspace/workspace.feature.ts';

/** A part of the HTTP interface that an application can have or leave out. */
export type Feature =
  | 'audit-events'
  | 'api-tokens'
  | 'registry'
  | 'user-groups'
  | 'bulk'
  | 'embed-tokens'
  | 'introspection'
  | 'inspection'
  | 'revocation'
  | 'events'
  | 'webhooks'
  | 'overview'
  | 'system';

/** The features whose routes an application can choose. */
const optional: readonly FeatureDefinition<Feature>[] = [
  auditEvents,
  apiTokens,
  registry,
  // Before the routes that have the id of a group in place of `import` and `export`.
  bulk,
  userGroups,
  embedTokens,
  introspection,
  inspection,
  revocation,
  events,
  webhooks,
  overview,
  system,
];

const names = optional.map(({ name }) => name);

/** The features without routes. */
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

/** Every entity of the service. */
export const entities: (new () => object)[] = features.flatMap(({ entities: own = [] }) => own);

/** Returns the modules of the chosen features, or of all. @throws OperatorError for a text that is no feature */
export function modulesOf(chosen: readonly Feature[] = names): (Type | DynamicModule)[] {
  const unknown = chosen.find((one) => !names.includes(one));
  if (unknown !== undefined) throw new OperatorError(`${unknown} is no feature; they are ${names.join(', ')}.`);
  return optional.filter(({ name }) => chosen.includes(name)).flatMap(({ modules = [] }) => modules);
}
