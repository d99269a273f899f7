import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module';
import { EncryptionKeyModule } from '../encryption-key/encryption-key.module';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { RegistryModule } from '../registry/registry.module';
import { DataSourceMapping } from './data-source-mapping.entity';
import { IdempotencyKey } from './idempotency-key.entity';
import { IdempotencyKeyExpiry } from './idempotency-key-expiry';
import { IdempotencyKeys } from './idempotency-keys';
import { UserGroupAdmission } from './user-group-admission';
import { UserGroupController } from './user-group.controller';
import { UserGroup } from './user-group.entity';
import { UserGroupList } from './user-group-list';
import { ImportedTokens } from './imported-tokens';
import { UserGroupBatch } from './user-group-batch';
import { UserGroupBulkController } from './user-group-bulk.controller';
import { UserGroupExporter } from './user-group-exporter';
import { UserGroupImporter } from './user-group-importer';
import { UserGroupQuota } from './user-group-quota';
import { UserGroupRepository } from './user-group.repository';
import { UserGroupResourceController } from './user-group-resource.controller';
import { UserGroupResourceService } from './user-group-resource.service';
import { UserGroupService } from './user-group.service';
import { UserGroupTokenController } from './user-group-token.controller';
import { UserGroupTokenList } from './user-group-token-list';
import { UserGroupTokenRepository } from './user-group-token.repository';
import { UserGroupTokenService } from './user-group-token.service';
import { UserGroupTokenUsage } from './user-group-token-usage';
import { UserGroupToken } from './user-group-token.entity';
import { UserGroupSnapshotRepository } from './user-group-snapshot.repository';
import { UserGroupSnapshots } from './user-group-snapshots';
import { UserGroupWriter } from './user-group-writer';

@Module({
  imports: [
    TypeOrmModule.forFeature([UserGroup, UserGroupToken, DataSourceMapping, IdempotencyKey]),
    AuditModule,
    EncryptionKeyModule,
    RateLimitModule,
    RegistryModule,
  ],
  controllers: [
    UserGroupController,
    UserGroupBulkController,
    UserGroupResourceController,
    UserGroupTokenController,
  ],
  providers: [
    IdempotencyKeyExpiry,
    IdempotencyKeys,
    ImportedTokens,
    UserGroupAdmission,
    UserGroupBatch,
    UserGroupExporter,
    UserGroupImporter,
    UserGroupList,
    UserGroupQuota,
    UserGroupRepository,
    UserGroupResourceService,
    UserGroupService,
    UserGroupSnapshotRepository,
    UserGroupSnapshots,
    UserGroupTokenList,
    UserGroupTokenRepository,
    UserGroupTokenService,
    UserGroupTokenUsage,
    UserGroupWriter,
  ],
  exports: [UserGroupSnapshots, UserGroupTokenRepository, UserGroupTokenUsage],
})
export class UserGroupModule {}
