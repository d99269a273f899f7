import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/activity.module.ts';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { port } from '../../platform/common/extension/ports.ts';
import { EmbedTokenCoreModule } from '../embed-token/embed-token-core.module.ts';
import { UserGroupSnapshotModule } from '../user-group/snapshot/user-group-snapshot.module.ts';
import { AuthorizationServerController } from './authorization-server.controller.ts';
import { GroupViewController } from './group-view.controller.ts';
import { GroupViewService } from './group-view.service.ts';
import { IntrospectionController } from './introspection.controller.ts';
import { IntrospectionService } from './introspection.service.ts';
import { Introspector } from './introspector.ts';
import { introspectionScopes } from './introspection.catalogue.ts';
import { containUnknownTokens, NO_ADOPTION, UnknownTokens } from './unknown-tokens.ts';

@Module({
  imports: [ActivityModule, EmbedTokenCoreModule, UserGroupSnapshotModule],
  providers: [
    GroupViewService,
    IntrospectionService,
    Introspector,
    port(UnknownTokens, { useFactory: () => NO_ADOPTION }, containUnknownTokens),
  ],
  exports: [GroupViewService, IntrospectionService, Introspector],
})
class IntrospectionServicesModule {}

@Module({
  imports: [IntrospectionServicesModule],
  controllers: [IntrospectionController, GroupViewController, AuthorizationServerController],
})
class IntrospectionModule {}

export const introspection = defineFeature({
  name: 'introspection',
  about: 'What a token means, for renderers (RFC 7662).',
  scopes: introspectionScopes,
  modules: [IntrospectionModule],
  openapi: async () => (await import('./introspection.openapi.ts')).introspectionOpenApi,
  services: [IntrospectionServicesModule],
  metrics: (app) => [
    {
      type: 'counter',
      name: 'introspections_total',
      help: 'Introspections by result: active or inactive.',
      label: 'result',
      read: () => app.get(IntrospectionService).counts,
    },
  ],
  commands: [
    {
      name: 'introspect',
      about: 'show what a token means, as the renderer of a dashboard gets it',
      define: async (...given) =>
        (await import('./introspection.command.ts')).defineIntrospect(...given),
    },
    {
      name: 'group view',
      about: 'show what a renderer gets for a user group',
      define: async (...given) =>
        (await import('./introspection.command.ts')).defineGroupView(...given),
    },
  ],
});
