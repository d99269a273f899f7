import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { USER_GROUP_DATA_SOURCE } from '../database/data-source-name.ts';
import { AuditModule } from '../audit/audit.module.ts';
import { WorkspaceModule } from '../workspace/workspace.module.ts';
import { MappingModule } from './mapping/mapping.module.ts';
import { DataSourceController } from './things/data-source.controller.ts';
import { RegisteredDataSource } from './things/registered-data-source.entity.ts';
import { RegisteredSchema } from './things/registered-schema.entity.ts';
import { RegistryRepository } from './things/registry.repository.ts';
import { RegistryService } from './things/registry.service.ts';
import { SchemaController } from './things/schema.controller.ts';
import { WorkspaceSettingsController } from './settings/workspace-settings.controller.ts';
import { WorkspaceSettingsService } from './settings/workspace-settings.service.ts';
import { UserGroupCoreModule } from '../user-group/user-group-core.module.ts';

@Module({
  imports: [
    TypeOrmModule.forFeature([RegisteredSchema, RegisteredDataSource], USER_GROUP_DATA_SOURCE),
    AuditModule,
    MappingModule,
    UserGroupCoreModule,
    WorkspaceModule,
  ],
  controllers: [SchemaController, DataSourceController, WorkspaceSettingsController],
  providers: [RegistryRepository, RegistryService, WorkspaceSettingsService],
})
export class RegistryModule {}
