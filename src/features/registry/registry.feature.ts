import { Module } from '@nestjs/common';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { AuditModule } from '../../core/audit/audit.module.ts';
import { IdempotencyModule } from '../../core/idempotency/idempotency.module.ts';
import { WorkspaceModule } from '../../core/workspace/workspace.module.ts';
import { MappingModule } from '../../core/mapping/mapping.module.ts';
import { GroupChecksModule } from '../group-checks/group-checks.feature.ts';
import { DataSourceController, SchemaController } from './things/registered.controllers.ts';
import { RegistryRepository } from './things/registry.repository.ts';
import { RegistryService } from './things/registry.service.ts';
import { WorkspaceSettingsController } from './settings/workspace-settings.controller.ts';
import { WorkspaceSettingsService } from './settings/workspace-settings.service.ts';
import { UserGroupCoreModule } from '../../core/user-group/user-group-core.module.ts';

@Module({
  imports: [AuditModule, GroupChecksModule, IdempotencyModule, MappingModule, UserGroupCoreModule, WorkspaceModule],
  controllers: [SchemaController, DataSourceController, WorkspaceSettingsController],
  providers: [RegistryRepository, RegistryService, WorkspaceSettingsService],
})
class RegistryModule {}

export const registry = defineFeature({ name: 'registry', modules: [RegistryModule] });
