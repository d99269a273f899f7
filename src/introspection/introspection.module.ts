import { Module } from '@nestjs/common';
import { AuthorizationServerController } from './authorization-server.controller.ts';
import { IntrospectionCoreModule } from './introspection-core.module.ts';
import { IntrospectionController } from './introspection.controller.ts';

/** `/api/v1/introspect`, and the metadata by which OAuth 2.0 clients find it. */
@Module({
  imports: [IntrospectionCoreModule],
  controllers: [IntrospectionController, AuthorizationServerController],
})
export class IntrospectionModule {}
