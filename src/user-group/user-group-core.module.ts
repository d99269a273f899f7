import { Module } from '@nestjs/common';
import { port } from '../common/ports.ts';
import { TypeOrmModule } from '@nestjs/typeorm';
import { USER_GROUP_DATA_SOURCE } from '../database/data-source-name.ts';
import { ActivityModule } from '../activity/activity.module.ts';
import { AuditModule } from '../audit/audit.module.ts';
import { EncryptionKeyModule } from '../encryption-key/encryption-key.module.ts';
import { RateLimitModule } from '../rate-limit/rate-limit.module.ts';
import { MappingModule } from '../registry/mapping/mapping.module.ts';
import { DanglingMappings } from './conformance/dangling-mappings.ts';
import { IncompleteGroups } from './conformance/incomplete-groups.ts';
import { MappingPolicySwitch } from './conformance/mapping-policy-switch.ts';
import { MappingReferrers } from './conformance/mapping-referrers.ts';
import { UnresolvableMappings } from './conformance/unresolvable-mappings.ts';
import { FlawCounter } from './counts/flaw-counts.ts';
import { UserGroupCounter } from './counts/user-group-counts.ts';
import { DataSourceMapping } from './entities/data-source-mapping.entity.ts';
import { IdempotencyKey } from './entities/idempotency-key.entity.ts';
import { IdempotencyKeyExpiry } from './rotation/idempotency-key-expiry.ts';
import { IdempotencyKeys } from './rotation/idempotency-keys.ts';
import { UserGroup } from './entities/user-group.entity.ts';
import { UserGroupList } from './resource/user-group-list.ts';
import { UserGroupExporter } from './bulk/user-group-exporter.ts';
import { UserGroupImporter } from './bulk/user-group-importer.ts';
import {
  containFormat,
  StandardTokenFormat,
  UserGroupTokenFormat,
} from './token/user-group-token-format.ts';
import { TokenIssuer } from './token/token-issuer.ts';
import { UserGroupWaves } from './group/user-group-waves.ts';
import { UserGroupWrites } from './group/user-group-writes.ts';
import { changeGuardPort } from './group/user-group-change-veto.ts';
import { UserGroupQuota } from './group/user-group-quota.ts';
import { UserGroupRepository } from './group/user-group.repository.ts';
import { UserGroupResourceService } from './resource/user-group-resource.service.ts';
import { UserGroupService } from './group/user-group.service.ts';
import { TokenRotations } from './rotation/token-rotations.ts';
import { UserGroupTokenList } from './rotation/user-group-token-list.ts';
import { UserGroupTokenRepository } from './token/user-group-token.repository.ts';
import { UserGroupTokenService } from './rotation/user-group-token.service.ts';
import { UserGroupTokenUsage } from './token/user-group-token-usage.ts';
import { UserGroupToken } from './entities/user-group-token.entity.ts';
import { UserGroupSnapshotRepository } from './snapshot/user-group-snapshot.repository.ts';
import { UserGroupSnapshots } from './snapshot/user-group-snapshots.ts';
import { EncryptedTokens } from './keys/encrypted-tokens.ts';
import { EncryptionKeyService } from './keys/encryption-key.service.ts';
import { KeyCheck } from './keys/key-check.ts';
import { Tokens } from './tokens.ts';
import { UserGroups } from './user-groups.ts';
import { TokenRewrapper } from './keys/token-rewrapper.ts';

/** Groups and their tokens, for those that serve them and those that build on them. */
@Module({
  imports: [
    TypeOrmModule.forFeature(
      [UserGroup, UserGroupToken, DataSourceMapping, IdempotencyKey],
      USER_GROUP_DATA_SOURCE,
    ),
    ActivityModule,
    AuditModule,
    EncryptionKeyModule,
    MappingModule,
    RateLimitModule,
  ],
  providers: [
    changeGuardPort,
    DanglingMappings,
    EncryptedTokens,
    EncryptionKeyService,
    FlawCounter,
    IdempotencyKeyExpiry,
    IdempotencyKeys,
    IncompleteGroups,
    KeyCheck,
    MappingPolicySwitch,
    MappingReferrers,
    TokenRewrapper,
    UnresolvableMappings,
    TokenIssuer,
    port(UserGroupTokenFormat, { useFactory: () => new StandardTokenFormat() }, containFormat),
    TokenRotations,
    Tokens,
    UserGroupExporter,
    UserGroupImporter,
    UserGroupCounter,
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
    UserGroups,
  ],
  exports: [
    DanglingMappings,
    EncryptedTokens,
    FlawCounter,
    IncompleteGroups,
    KeyCheck,
    MappingPolicySwitch,
    MappingReferrers,
    TokenIssuer,
    Tokens,
    UnresolvableMappings,
    UserGroupCounter,
    UserGroupExporter,
    UserGroupImporter,
    UserGroupList,
    UserGroupResourceService,
    UserGroupService,
    UserGroupSnapshots,
    UserGroupTokenList,
    UserGroupTokenRepository,
    UserGroupTokenService,
    UserGroupTokenUsage,
    UserGroups,
  ],
})
export class UserGroupCoreModule {}
