import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.ts';
import { WorkspaceSettingsRepository } from './workspace-settings.repository.ts';
import { WorkspaceService } from './workspace.service.ts';

@Module({
  imports: [AuditModule],
  providers: [WorkspaceService, WorkspaceSettingsRepository],
  exports: [WorkspaceService, WorkspaceSettingsRepository],
})
export class WorkspaceModule {}
