import { Module } from '@nestjs/common';
import { ApiTokenModule } from '../../core/api-token/api-token.module.ts';
import { AuditModule } from '../../core/audit/audit.module.ts';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { EmbedTokenCoreModule } from '../../core/embed-token/embed-token-core.module.ts';
import { UserGroupSnapshotModule } from '../../core/user-group/snapshot/user-group-snapshot.module.ts';
import { WorkspaceModule } from '../../core/workspace/workspace.module.ts';
import { InspectionController } from './inspection.controller.ts';
import { InspectionService } from './inspection.service.ts';
import { LeakReports } from './leak-reports.ts';
import { inspectionActions, inspectionScopes } from './inspection.catalogue.ts';

@Module({
  imports: [
    ApiTokenModule,
    AuditModule,
    EmbedTokenCoreModule,
    UserGroupSnapshotModule,
    WorkspaceModule,
  ],
  providers: [InspectionService, LeakReports],
  exports: [InspectionService],
})
class InspectionServicesModule {}

@Module({ imports: [InspectionServicesModule], controllers: [InspectionController] })
class InspectionModule {}

export const inspection = defineFeature({
  name: 'inspection',
  about: 'Explains what a token is, and why it is not accepted.',
  scopes: inspectionScopes,
  actions: inspectionActions,
  modules: [InspectionModule],
  services: [InspectionServicesModule],
  commands: [
    {
      name: 'inspect',
      about: 'explain what a token is, and why it is not accepted',
      define: async (...given) => (await import('./inspection.command.ts')).defineInspect(...given),
    },
  ],
});
