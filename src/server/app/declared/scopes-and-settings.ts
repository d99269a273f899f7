// Written by `npm run docs`.
import { userGroupScopes } from '../../../core/user-group/user-group.catalogue.ts';
import { introspectionScopes } from '../../../core/introspection/introspection.catalogue.ts';
import { inspectionScopes } from '../../../features/inspection/inspection.catalogue.ts';
import { embedTokenScopes } from '../../../core/embed-token/embed-token.catalogue.ts';
import { registryScopes } from '../../../features/registry/registry.catalogue.ts';
import { webhookScopes } from '../../../features/webhook/webhook.catalogue.ts';
import { auditScopes } from '../../../core/audit/audit.catalogue.ts';
import { eventScopes } from '../../../features/event/event.catalogue.ts';
import { apiTokenScopes } from '../../../core/api-token/api-token.catalogue.ts';
import { targetScopes } from '../../../features/target/target.catalogue.ts';
import { usageScopes } from '../../../features/usage/usage.catalogue.ts';
import { EventSettings } from '../../../features/event/event.settings.ts';
import { WebhookSettings } from '../../../features/webhook/webhook.settings.ts';
import { ConsoleSettings } from '../../../features/console/console.settings.ts';
import { UsageSettings } from '../../../features/usage/usage.settings.ts';

export const declaredScopes = [
  ...userGroupScopes,
  ...introspectionScopes,
  ...inspectionScopes,
  ...embedTokenScopes,
  ...registryScopes,
  ...webhookScopes,
  ...auditScopes,
  ...eventScopes,
  ...apiTokenScopes,
  ...targetScopes,
  ...usageScopes,
] as const;
export const declaredSettings = [
  EventSettings,
  WebhookSettings,
  ConsoleSettings,
  UsageSettings,
] as const;
