import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { USER_GROUP_DATA_SOURCE } from '../database/data-source-name.ts';
import { AuditModule } from '../audit/audit.module.ts';
import { Workspace } from './workspace.entity.ts';
import { WorkspaceSettingsRepository } from './workspace-settings.repository.ts';
import { WorkspaceService } from './workspace.service.ts';

@Module({
  imports: [TypeOrmModule.forFeature([Workspace], USER_GROUP_DATA_SOURCE), AuditModule],
  providers: [WorkspaceService, WorkspaceSettingsRepository],
  exports: [WorkspaceService, WorkspaceSettingsRepository],
})
export class WorkspaceModule {}
