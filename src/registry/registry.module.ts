import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module';
import { DataSourceController } from './data-source.controller';
import { IncompleteGroups } from './incomplete-groups';
import { MappingPolicySwitch } from './mapping-policy-switch';
import { MappingResolver } from './mapping-resolver';
import { RegisteredDataSource } from './registered-data-source.entity';
import { RegisteredSchema } from './registered-schema.entity';
import { RegistryRepository } from './registry.repository';
import { RegistryService } from './registry.service';
import { SchemaController } from './schema.controller';
import { UnresolvableMappings } from './unresolvable-mappings';
import { WorkspaceRules } from './workspace-rules';
import { WorkspaceSettingsController } from './workspace-settings.controller';
import { WorkspaceSettingsService } from './workspace-settings.service';

@Module({
  imports: [TypeOrmModule.forFeature([RegisteredSchema, RegisteredDataSource]), AuditModule],
  controllers: [SchemaController, DataSourceController, WorkspaceSettingsController],
  providers: [
    IncompleteGroups,
    MappingPolicySwitch,
    MappingResolver,
    RegistryRepository,
    RegistryService,
    UnresolvableMappings,
    WorkspaceRules,
    WorkspaceSettingsService,
  ],
  exports: [MappingResolver, WorkspaceRules],
})
export class RegistryModule {}
