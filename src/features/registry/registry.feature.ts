import { Module } from '@nestjs/common';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { AuditModule } from '../../core/audit/audit.module.ts';
import { IdempotencyModule } from '../../core/idempotency/idempotency.module.ts';
import { WorkspaceModule } from '../../core/workspace/workspace.module.ts';
import { MappingModule } from '../../core/mapping/mapping.module.ts';
import { GroupChecksModule } from '../group-checks/group-checks.feature.ts';
import { DataSourceController, SchemaController } from './entries/registered.controllers.ts';
import { RegistryRepository } from './entries/registry.repository.ts';
import { RegistryService } from './entries/registry.service.ts';
import { WorkspaceSettingsController } from './settings/workspace-settings.controller.ts';
import { UserGroupIssuesService } from './settings/user-group-issues.service.ts';
import { WorkspaceSettingsService } from './settings/workspace-settings.service.ts';
import { registryActions, registryScopes } from './registry.catalogue.ts';
import * as problems from './entries/registry.errors.ts';

/** Settings such as the issuer of embed tokens are of use without a registry: the command line changes them. */
@Module({
  imports: [AuditModule, GroupChecksModule, MappingModule, WorkspaceModule],
  providers: [UserGroupIssuesService, WorkspaceSettingsService],
  exports: [UserGroupIssuesService, WorkspaceSettingsService],
})
class WorkspaceSettingsModule {}

@Module({
  imports: [AuditModule, IdempotencyModule, MappingModule, WorkspaceSettingsModule],
  controllers: [SchemaController, DataSourceController, WorkspaceSettingsController],
  providers: [RegistryRepository, RegistryService],
})
class RegistryModule {}

export const registry = defineFeature({
  name: 'registry',
  about: 'The schemas and data sources that mappings refer to, and the settings of a workspace.',
  uses: ['group-checks'],
  scopes: registryScopes,
  actions: registryActions,
  problems,
  modules: [RegistryModule],
  openapi: async () => (await import('./registry.openapi.ts')).registryOpenApi,
  services: [WorkspaceSettingsModule],
  commands: [
    {
      name: 'schema',
      about: 'administer the schemas that mappings refer to',
      define: async (...given) =>
        (await import('./entries/registry.command.ts')).defineSchema(...given),
    },
    {
      name: 'data-source',
      about: 'administer the data sources that mappings refer to',
      define: async (...given) =>
        (await import('./entries/registry.command.ts')).defineDataSource(...given),
    },
    {
      name: 'workspace',
      about: 'administer workspaces, which are the tenants of the service',
      stays: true,
      define: async (...given) =>
        (await import('./settings/workspace.command.ts')).defineWorkspace(...given),
    },
  ],
});
