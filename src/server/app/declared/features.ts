// Written by `npm run docs`.
import type { FeatureDefinition } from '../../../platform/common/extension/feature.ts';
import { bulk } from '../../../features/bulk/bulk.feature.ts';
import { userGroups } from '../../../core/user-group/user-group.feature.ts';
import { history } from '../../../features/history/history.feature.ts';
import { rename } from '../../../features/rename/rename.feature.ts';
import { plans } from '../../../features/plan/plan.feature.ts';
import { bulkJobs } from '../../../features/bulk-job/bulk-job.feature.ts';
import { embedTokens } from '../../../core/embed-token/embed-token.feature.ts';
import { introspection } from '../../../core/introspection/introspection.feature.ts';
import { forwardAuth } from '../../../features/forward-auth/forward-auth.feature.ts';
import { inspection } from '../../../features/inspection/inspection.feature.ts';
import { revocation } from '../../../features/revocation/revocation.feature.ts';
import { registry } from '../../../features/registry/registry.feature.ts';
import { targets } from '../../../features/target/target.feature.ts';
import { usage } from '../../../features/usage/usage.feature.ts';
import { webhooks } from '../../../features/webhook/webhook.feature.ts';
import { apiTokens } from '../../../core/api-token/api-token.feature.ts';
import { overview } from '../../../features/overview/overview.feature.ts';
import { system } from '../../../features/system/system.feature.ts';
import { auditEvents } from '../../../core/audit/audit.feature.ts';
import { events } from '../../../features/event/event.feature.ts';
import { operatorConsole } from '../../../features/console/console.feature.ts';
import { activity } from '../../../core/activity/activity.feature.ts';
import { changeLog } from '../../../core/change-log/change-log.feature.ts';
import { database } from '../../../platform/database/database.feature.ts';
import { encryptionKeys } from '../../../core/encryption-key/encryption-key.feature.ts';
import { groupChecks } from '../../../features/group-checks/group-checks.feature.ts';
import { idempotency } from '../../../core/idempotency/idempotency.feature.ts';
import { keyAdministration } from '../../../features/key-administration/key-administration.feature.ts';
import { mapping } from '../../../core/mapping/mapping.feature.ts';
import { workspaces } from '../../../core/workspace/workspace.feature.ts';

/** A part of the HTTP interface that an application can have or leave out. */
export type Feature =
  | 'bulk'
  | 'user-groups'
  | 'history'
  | 'rename'
  | 'plans'
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

/** The features whose routes an application can choose, in the order of the documents. */
export const routedFeatures: readonly FeatureDefinition[] = [
  bulk,
  userGroups,
  history,
  rename,
  plans,
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
  operatorConsole,
];

/** The features without routes, which cannot be left out; one above the core says in `always` why. */
export const groundFeatures: readonly FeatureDefinition[] = [
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
