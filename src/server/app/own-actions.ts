import type { AuditAction } from '../../core/audit/audit-actions.ts';
import { apiTokenActions } from '../../core/api-token/api-token.catalogue.ts';
import { auditLogActions } from '../../core/audit/audit.catalogue.ts';
import { embedTokenActions } from '../../core/embed-token/embed-token.catalogue.ts';
import { userGroupActions } from '../../core/user-group/user-group.catalogue.ts';
import { workspaceActions } from '../../core/workspace/workspace.catalogue.ts';
import { bulkActions } from '../../features/bulk/bulk.catalogue.ts';
import { consoleActions } from '../../features/console/console.catalogue.ts';
import { inspectionActions } from '../../features/inspection/inspection.catalogue.ts';
import { keyAdministrationActions } from '../../features/key-administration/key-administration.catalogue.ts';
import { registryActions } from '../../features/registry/registry.catalogue.ts';
import { revocationActions } from '../../features/revocation/revocation.catalogue.ts';
import { webhookActions } from '../../features/webhook/webhook.catalogue.ts';

const folders = [
  apiTokenActions,
  auditLogActions,
  embedTokenActions,
  userGroupActions,
  workspaceActions,
  bulkActions,
  consoleActions,
  inspectionActions,
  keyAdministrationActions,
  registryActions,
  revocationActions,
  webhookActions,
];

type OwnAction = (typeof folders)[number]['changing' | 'unchanging'][number];

declare module '../../core/audit/audit-actions.ts' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- adds what it extends
  interface OwnActions extends Record<OwnAction, true> {}
}

/**
 * The actions of the service, as `noun.verb`, without those of plugins; docs/reference/audit-log.md describes each. The
 * console's page imports this file.
 */
export const ownActions: readonly AuditAction[] = folders
  .flatMap(({ changing, unchanging }): OwnAction[] => [...changing, ...unchanging])
  .sort();

/** Actions that change no user group, API token or anything that they depend on, so that they are no events. */
export const unchangingActions: readonly string[] = folders.flatMap(
  ({ unchanging }): readonly string[] => unchanging,
);
