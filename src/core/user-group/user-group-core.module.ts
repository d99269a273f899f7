import { Module } from '@nestjs/common';
import { port } from '../../platform/common/extension/ports.ts';
import { ActivityModule } from '../activity/activity.module.ts';
import { AuditModule } from '../audit/audit.module.ts';
import { EncryptionKeyModule } from '../encryption-key/encryption-key.module.ts';
import { IdempotencyModule } from '../idempotency/idempotency.module.ts';
import { MappingModule } from '../mapping/mapping.module.ts';
import {
  UserGroupHistoryRetention,
  WorkspaceHistoryRetention,
} from './history/history-retention.ts';
import { UserGroupHistoryRepository } from './history/user-group-history.repository.ts';
import { UserGroupPast } from './resource/user-group-past.ts';
import { RangeCursors } from './resource/range-cursors.ts';
import { UserGroupList } from './resource/user-group-list.ts';
import { UserGroupTotal } from './resource/user-group-total.ts';
import {
  containFormat,
  StandardTokenFormat,
  UserGroupTokenFormat,
} from './token/user-group-token-format.ts';
import { FormerTokens } from './token/former-tokens.ts';
import { TokenIssuer } from './token/token-issuer.ts';
import { UserGroupWriter } from './writing/user-group-writer.ts';
import { WritePlanner } from './writing/write-planner.ts';
import { WriteStore } from './writing/write-store.ts';
import { WriteWaves } from './writing/write-waves.ts';
import { changeGuardPort, UserGroupChangeVeto } from './guard/user-group-change-veto.ts';
import { UserGroupRepository } from './group/user-group.repository.ts';
import { UserGroupResourceService } from './resource/user-group-resource.service.ts';
import { UserGroupService } from './user-group.service.ts';
import { TokenEnder } from './rotation/token-ender.ts';
import { TokenRotations } from './rotation/token-rotations.ts';
import { UserGroupTokenService } from './rotation/user-group-token.service.ts';
import { UserGroupSnapshotModule } from './snapshot/user-group-snapshot.module.ts';
import { Tokens } from './tokens.ts';
import { UserGroups } from './user-groups.ts';

/** The providers that other modules use. */
const shared = [
  TokenEnder,
  TokenIssuer,
  Tokens,
  UserGroupHistoryRepository,
  RangeCursors,
  UserGroupList,
  UserGroupPast,
  UserGroupRepository,
  UserGroupTotal,
  UserGroupResourceService,
  UserGroupService,
  UserGroupTokenService,
  UserGroupWriter,
  UserGroups,
];

/** Provides groups and their tokens to the modules that serve them and that build on them. */
@Module({
  imports: [
    ActivityModule,
    AuditModule,
    EncryptionKeyModule,
    IdempotencyModule,
    MappingModule,
    UserGroupSnapshotModule,
  ],
  providers: [
    ...shared,
    changeGuardPort,
    port(UserGroupTokenFormat, { useFactory: () => new StandardTokenFormat() }, containFormat),
    FormerTokens,
    TokenRotations,
    UserGroupHistoryRetention,
    WritePlanner,
    WriteStore,
    WriteWaves,
    WorkspaceHistoryRetention,
  ],
  exports: [...shared, FormerTokens, UserGroupChangeVeto, UserGroupSnapshotModule],
})
export class UserGroupCoreModule {}
