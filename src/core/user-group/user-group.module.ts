import { Module } from '@nestjs/common';
import { UserGroupResourceController } from './resource/user-group-resource.controller.ts';
import { UserGroupTokenController } from './rotation/user-group-token.controller.ts';
import { UserGroupCoreModule } from './user-group-core.module.ts';
import { UserGroupController } from './user-group.controller.ts';

/** `/api/user`, the contract, and `/api/v1/user-groups`. */
@Module({
  imports: [UserGroupCoreModule],
  controllers: [UserGroupController, UserGroupResourceController, UserGroupTokenController],
})
export class UserGroupModule {}
