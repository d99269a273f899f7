import type { Type } from '@nestjs/common';
import { ApiTokenAdministrationModule } from '../api-token/api-token-administration.module.ts';
import { AuditEventModule } from '../audit/audit-event.module.ts';
import { OperatorError } from '../common/problem/operator-error.ts';
import { EmbedTokenModule } from '../embed-token/embed-token.module.ts';
import { EventModule } from '../event/event.module.ts';
import { InspectionModule } from '../inspection/inspection.module.ts';
import { IntrospectionModule } from '../introspection/introspection.module.ts';
import { OverviewModule } from '../overview/overview.module.ts';
import { RegistryModule } from '../registry/registry.module.ts';
import { RevocationModule } from '../revocation/revocation.module.ts';
import { SystemModule } from '../system/system.module.ts';
import { UserGroupModule } from '../user-group/user-group.module.ts';
import { WebhookModule } from '../webhook/webhook.module.ts';

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

const modules: Record<Feature, Type> = {
  'audit-events': AuditEventModule,
  'api-tokens': ApiTokenAdministrationModule,
  registry: RegistryModule,
  'user-groups': UserGroupModule,
  'embed-tokens': EmbedTokenModule,
  introspection: IntrospectionModule,
  inspection: InspectionModule,
  revocation: RevocationModule,
  events: EventModule,
  webhooks: WebhookModule,
  overview: OverviewModule,
  system: SystemModule,
};

const features = Object.keys(modules) as readonly Feature[];

/** @throws OperatorError for a text that is no feature */
export function modulesOf(chosen: readonly Feature[] = features): Type[] {
  const unknown = chosen.find((one) => !features.includes(one));
  if (unknown !== undefined) throw new OperatorError(`${unknown} is no feature; they are ${features.join(', ')}.`);
  return chosen.map((feature) => modules[feature]);
}
