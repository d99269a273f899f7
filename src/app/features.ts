import type { DynamicModule, Type } from '@nestjs/common';
import { activity } from '../activity/activity.feature.ts';
import { apiTokens } from '../api-token/api-token.feature.ts';
import { auditEvents } from '../audit/audit.feature.ts';
import { changeLog } from '../change-log/change-log.feature.ts';
import type { FeatureDefinition } from '../common/extension/feature.ts';
import { OperatorError } from '../common/problem/operator-error.ts';
import { operatorConsole } from '../console/console.feature.ts';
import { database } from '../database/database.feature.ts';
import { embedTokens } from '../embed-token/embed-token.feature.ts';
import { encryptionKeys } from '../encryption-key/encryption-key.feature.ts';
import { events } from '../event/event.feature.ts';
import { idempotency } from '../idempotency/idempotency.feature.ts';
import { inspection } from '../inspection/inspection.feature.ts';
import { introspection } from '../introspection/introspection.feature.ts';
import { keyAdministration } from '../key-administration/key-administration.feature.ts';
import { mapping } from '../mapping/mapping.feature.ts';
import { overview } from '../overview/overview.feature.ts';
import { registry } from '../registry/registry.feature.ts';
import { revocation } from '../revocation/revocation.feature.ts';
import { system } from '../system/system.feature.ts';
import { userGroups } from '../user-group/user-group.feature.ts';
import { webhooks } from '../webhook/webhook.feature.ts';
import { workspaces } from '../workspace/workspace.feature.ts';

/** A part of the HTTP interface that an application can have or leave out. */
export type Feature =
  | 'audit-events'
  | 'api-tokens'
  | 'registry'
  | 'user-groups'
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
const ground = [activity, changeLog, database, encryptionKeys, idempotency, keyAdministration, mapping, workspaces];

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
