// Written by `npm run docs`.
import { apiTokenActions } from '../../../core/api-token/api-token.catalogue.ts';
import { auditLogActions } from '../../../core/audit/audit.catalogue.ts';
import { embedTokenActions } from '../../../core/embed-token/embed-token.catalogue.ts';
import { userGroupActions } from '../../../core/user-group/user-group.catalogue.ts';
import { workspaceActions } from '../../../core/workspace/workspace.catalogue.ts';
import { bulkActions } from '../../../features/bulk/bulk.catalogue.ts';
import { consoleActions } from '../../../features/console/console.catalogue.ts';
import { inspectionActions } from '../../../features/inspection/inspection.catalogue.ts';
import { keyAdministrationActions } from '../../../features/key-administration/key-administration.catalogue.ts';
import { registryActions } from '../../../features/registry/registry.catalogue.ts';
import { revocationActions } from '../../../features/revocation/revocation.catalogue.ts';
import { webhookActions } from '../../../features/webhook/webhook.catalogue.ts';
import { targetActions } from '../../../features/target/target.catalogue.ts';
import { bulkJobActions } from '../../../features/bulk-job/bulk-job.catalogue.ts';
import { usageActions } from '../../../features/usage/usage.catalogue.ts';
import { planActions } from '../../../features/plan/plan.catalogue.ts';
import { renameActions } from '../../../features/rename/rename.catalogue.ts';

export const declaredActions = [
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
  targetActions,
  bulkJobActions,
  usageActions,
  planActions,
  renameActions,
] as const;
