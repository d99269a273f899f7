import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module';
import { Workspace } from './workspace.entity';
import { WorkspaceSettingsRepository } from './workspace-settings.repository';
import { WorkspaceService } from './workspace.service';

@Module({
  imports: [TypeOrmModule.forFeature([Workspace]), AuditModule],
  providers: [WorkspaceService, WorkspaceSettingsRepository],
  exports: [WorkspaceService, WorkspaceSettingsRepository],
})
export class WorkspaceModule {}
