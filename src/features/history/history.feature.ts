import { Module } from '@nestjs/common';
import { AuditModule } from '../../core/audit/audit.module.ts';
import { UserGroupCoreModule } from '../../core/user-group/user-group-core.module.ts';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import * as problems from './history.errors.ts';
import { UserGroupHistoryController } from './user-group-history.controller.ts';
import { UserGroupHistory } from './user-group-history.service.ts';
import { VersionAuthors } from './version-authors.ts';

@Module({
  imports: [AuditModule, UserGroupCoreModule],
  providers: [UserGroupHistory, VersionAuthors],
  exports: [UserGroupHistory],
})
class HistoryServicesModule {}

@Module({ imports: [HistoryServicesModule], controllers: [UserGroupHistoryController] })
class HistoryModule {}

export const history = defineFeature({
  name: 'history',
  about: 'The states that user groups have had: their differences, and a way back to each.',
  problems,
  modules: [HistoryModule],
  services: [HistoryServicesModule],
  commands: [
    {
      name: 'group history',
      about: 'list the states that a user group has had, newest first',
      define: async (...given) => (await import('./history.command.ts')).defineHistory(...given),
    },
    {
      name: 'group restore',
      about: 'write a state that a user group has had; create the group again if it is deleted',
      define: async (...given) => (await import('./history.command.ts')).defineRestore(...given),
    },
  ],
});
