import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module';
import { UserGroupModule } from '../user-group/user-group.module';
import { WorkspaceModule } from '../workspace/workspace.module';
import { MappingModule } from './mapping/mapping.module';
import { DataSourceController } from './things/data-source.controller';
import { RegisteredDataSource } from './things/registered-data-source.entity';
import { RegisteredSchema } from './things/registered-schema.entity';
import { RegistryRepository } from './things/registry.repository';
import { RegistryService } from './things/registry.service';
import { SchemaController } from './things/schema.controller';
import { WorkspaceSettingsController } from './settings/workspace-settings.controller';
import { WorkspaceSettingsService } from './settings/workspace-settings.service';

@Module({
  imports: [
    TypeOrmModule.forFeature([RegisteredSchema, RegisteredDataSource]),
    AuditModule,
    MappingModule,
    UserGroupModule,
    WorkspaceModule,
  ],
  controllers: [SchemaController, DataSourceController, WorkspaceSettingsController],
  providers: [RegistryRepository, RegistryService, WorkspaceSettingsService],
})
export class RegistryModule {}
