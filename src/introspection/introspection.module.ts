import { Module } from '@nestjs/common';
import { EmbedTokenModule } from '../embed-token/embed-token.module';
import { UserGroupModule } from '../user-group/user-group.module';
import { AuthorizationServerController } from './authorization-server.controller';
import { IntrospectionController } from './introspection.controller';
import { IntrospectionService } from './introspection.service';

@Module({
  imports: [EmbedTokenModule, UserGroupModule],
  controllers: [IntrospectionController, AuthorizationServerController],
  providers: [IntrospectionService],
})
export class IntrospectionModule {}
