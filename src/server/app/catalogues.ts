import { userGroupScopes } from '../../core/user-group/user-group.catalogue.ts';
import { introspectionScopes } from '../../core/introspection/introspection.catalogue.ts';
import { inspectionScopes } from '../../features/inspection/inspection.catalogue.ts';
import { embedTokenScopes } from '../../core/embed-token/embed-token.catalogue.ts';
import { registryScopes } from '../../features/registry/registry.catalogue.ts';
import { webhookScopes } from '../../features/webhook/webhook.catalogue.ts';
import { auditScopes } from '../../core/audit/audit.catalogue.ts';
import { eventScopes } from '../../features/event/event.catalogue.ts';
import { apiTokenScopes } from '../../core/api-token/api-token.catalogue.ts';
import { addOwnActions } from '../../core/audit/audit-actions.ts';
import { ownActions, unchangingActions } from './own-actions.ts';
import { addOwnSettings } from '../../platform/config/settings.ts';
import { ConsoleSettings } from '../../features/console/console.settings.ts';
import { WebhookSettings } from '../../features/webhook/webhook.settings.ts';
import { addOwnScopes } from '../../platform/common/access/scopes.ts';

/** The scopes of the service, without those of plugins. */
export const ownScopes = [
  ...userGroupScopes,
  ...introspectionScopes,
  ...inspectionScopes,
  ...embedTokenScopes,
  ...registryScopes,
  ...webhookScopes,
  ...auditScopes,
  ...eventScopes,
  ...apiTokenScopes,
] as const;

declare module '../../platform/common/access/scopes.ts' {
  // eslint-disable-next-line @typescript-eslint/no-empty-object-type -- adds what it extends
  interface OwnScopes extends Record<(typeof ownScopes)[number], true> {}
}

addOwnScopes(ownScopes);
addOwnActions(ownActions, unchangingActions);
addOwnSettings([WebhookSettings, ConsoleSettings]);
