import { Module } from '@nestjs/common';
import { AuditModule } from '../../core/audit/audit.module.ts';
import { EncryptionKeyModule } from '../../core/encryption-key/encryption-key.module.ts';
import { RateLimitModule } from '../../core/rate-limit/rate-limit.module.ts';
import { UserGroupCoreModule } from '../../core/user-group/user-group-core.module.ts';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { BulkWrites } from './bulk-writes.ts';
import { UserGroupBulkChanges } from './user-group-bulk-changes.ts';
import { UserGroupBulkController } from './user-group-bulk.controller.ts';
import { UserGroupExporter } from './user-group-exporter.ts';
import { UserGroupImporter } from './user-group-importer.ts';
import { UserGroupImports } from './user-group-imports.ts';
import { bulkActions } from './bulk.catalogue.ts';

const services = [
  BulkWrites,
  UserGroupBulkChanges,
  UserGroupExporter,
  UserGroupImporter,
  UserGroupImports,
];

/** Provides import, export and actions for many groups, also to the command line. */
@Module({
  imports: [AuditModule, EncryptionKeyModule, RateLimitModule, UserGroupCoreModule],
  providers: services,
  exports: services,
})
export class BulkServicesModule {}

@Module({ imports: [BulkServicesModule], controllers: [UserGroupBulkController] })
class BulkModule {}

export const bulk = defineFeature({
  name: 'bulk',
  about: 'Import, export and actions for many user groups in one call.',
  actions: bulkActions,
  modules: [BulkModule],
  services: [BulkServicesModule],
  commands: [
    {
      name: 'group import',
      about: 'store a group for each line of JSON; can be interrupted and repeated',
      define: async (...given) => (await import('./bulk.command.ts')).defineImport(...given),
    },
    {
      name: 'group export',
      about: 'write every group with its token, one line of JSON each',
      define: async (...given) => (await import('./bulk.command.ts')).defineExport(...given),
    },
  ],
});
