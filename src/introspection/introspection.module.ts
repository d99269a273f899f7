import { Module } from '@nestjs/common';
import { AuthorizationServerController } from './authorization-server.controller.ts';
import { GroupViewController } from './group-view.controller.ts';
import { IntrospectionCoreModule } from './introspection-core.module.ts';
import { IntrospectionController } from './introspection.controller.ts';

@Module({
  imports: [IntrospectionCoreModule],
  controllers: [IntrospectionController, GroupViewController, AuthorizationServerController],
})
export class IntrospectionModule {}
