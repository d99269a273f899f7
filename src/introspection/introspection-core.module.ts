import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/activity.module.ts';
import { EmbedTokenCoreModule } from '../embed-token/embed-token-core.module.ts';
import { UserGroupCoreModule } from '../user-group/user-group-core.module.ts';
import { GroupViewService } from './group-view.service.ts';
import { IntrospectionService } from './introspection.service.ts';
import { Introspector } from './introspector.ts';

@Module({
  imports: [ActivityModule, EmbedTokenCoreModule, UserGroupCoreModule],
  providers: [GroupViewService, IntrospectionService, Introspector],
  exports: [GroupViewService, IntrospectionService, Introspector],
})
export class IntrospectionCoreModule {}
