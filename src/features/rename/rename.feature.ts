import { Module } from '@nestjs/common';
import { AuditModule } from '../../core/audit/audit.module.ts';
import { IdempotencyModule } from '../../core/idempotency/idempotency.module.ts';
import { MappingModule } from '../../core/mapping/mapping.module.ts';
import { UserGroupCoreModule } from '../../core/user-group/user-group-core.module.ts';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { renameActions } from './rename.catalogue.ts';
import { RenameController } from './rename.controller.ts';
import * as problems from './rename.errors.ts';
import { UserGroupRenames } from './rename.service.ts';
import { ReservedIdExpiry } from './reserved-id-expiry.ts';

@Module({
  imports: [AuditModule, IdempotencyModule, MappingModule, UserGroupCoreModule],
  providers: [ReservedIdExpiry, UserGroupRenames],
  exports: [UserGroupRenames],
})
class RenameServicesModule {}

@Module({ imports: [RenameServicesModule], controllers: [RenameController] })
class RenameModule {}

export const rename = defineFeature({
  name: 'rename',
  about: 'Gives a user group another id, and keeps its former one from others for 30 days.',
  actions: renameActions,
  problems,
  modules: [RenameModule],
  services: [RenameServicesModule],
  commands: [
    {
      name: 'group rename',
      about: 'give a user group another id',
      define: async (...given) => (await import('./rename.command.ts')).defineRename(...given),
    },
  ],
});
