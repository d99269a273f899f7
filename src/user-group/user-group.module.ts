import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module';
import { EncryptionKeyModule } from '../encryption-key/encryption-key.module';
import { RateLimitModule } from '../rate-limit/rate-limit.module';
import { MappingModule } from '../registry/mapping/mapping.module';
import { DanglingMappings } from './conformance/dangling-mappings';
import { IncompleteGroups } from './conformance/incomplete-groups';
import { MappingPolicySwitch } from './conformance/mapping-policy-switch';
import { MappingReferrers } from './conformance/mapping-referrers';
import { UnresolvableMappings } from './conformance/unresolvable-mappings';
import { DataSourceMapping } from './entities/data-source-mapping.entity';
import { IdempotencyKey } from './entities/idempotency-key.entity';
import { IdempotencyKeyExpiry } from './rotation/idempotency-key-expiry';
import { IdempotencyKeys } from './rotation/idempotency-keys';
import { UserGroupController } from './user-group.controller';
import { UserGroup } from './entities/user-group.entity';
import { UserGroupList } from './resource/user-group-list';
import { UserGroupBulkController } from './bulk/user-group-bulk.controller';
import { UserGroupExporter } from './bulk/user-group-exporter';
import { UserGroupImporter } from './bulk/user-group-importer';
import { TokenIssuer } from './token/token-issuer';
import { UserGroupWaves } from './group/user-group-waves';
import { UserGroupWrites } from './group/user-group-writes';
import { UserGroupQuota } from './group/user-group-quota';
import { UserGroupRepository } from './group/user-group.repository';
import { UserGroupResourceController } from './resource/user-group-resource.controller';
import { UserGroupResourceService } from './resource/user-group-resource.service';
import { UserGroupService } from './group/user-group.service';
import { TokenRotations } from './rotation/token-rotations';
import { UserGroupTokenController } from './rotation/user-group-token.controller';
import { UserGroupTokenList } from './rotation/user-group-token-list';
import { UserGroupTokenRepository } from './token/user-group-token.repository';
import { UserGroupTokenService } from './rotation/user-group-token.service';
import { UserGroupTokenUsage } from './token/user-group-token-usage';
import { UserGroupToken } from './entities/user-group-token.entity';
import { UserGroupSnapshotRepository } from './snapshot/user-group-snapshot.repository';
import { UserGroupSnapshots } from './snapshot/user-group-snapshots';
import { EncryptedTokens } from './keys/encrypted-tokens';
import { EncryptionKeyService } from './keys/encryption-key.service';
import { KeyCheck } from './keys/key-check';
import { TokenRewrapper } from './keys/token-rewrapper';

@Module({
  imports: [
    TypeOrmModule.forFeature([UserGroup, UserGroupToken, DataSourceMapping, IdempotencyKey]),
    AuditModule,
    EncryptionKeyModule,
    MappingModule,
    RateLimitModule,
  ],
  controllers: [
    UserGroupController,
    UserGroupBulkController,
    UserGroupResourceController,
    UserGroupTokenController,
  ],
  providers: [
    DanglingMappings,
    EncryptedTokens,
    EncryptionKeyService,
    IdempotencyKeyExpiry,
    IdempotencyKeys,
    IncompleteGroups,
    KeyCheck,
    MappingPolicySwitch,
    MappingReferrers,
    TokenRewrapper,
    UnresolvableMappings,
    TokenIssuer,
    TokenRotations,
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
    UserGroupWaves,
    UserGroupWrites,
  ],
  exports: [
    DanglingMappings,
    IncompleteGroups,
    MappingPolicySwitch,
    MappingReferrers,
    TokenIssuer,
    UnresolvableMappings,
    UserGroupSnapshots,
    UserGroupTokenRepository,
    UserGroupTokenUsage,
  ],
})
export class UserGroupModule {}
