import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../config/config';
import { Statements } from '../database/statement';
import { DataSourceMapping } from './data-source-mapping.entity';
import { EncryptionKeyRecord } from './encryption-key.entity';
import { hasRecordedKey, KeyCheck } from './key-check';
import { KeyRing, loadKeyRing } from './key-ring';
import { TokenCipher } from './token-cipher';
import { UserGroupController } from './user-group.controller';
import { UserGroup } from './user-group.entity';
import { UserGroupRepository } from './user-group.repository';
import { UserGroupService } from './user-group.service';
import { UserGroupToken } from './user-group-token.entity';

@Module({
  imports: [
    TypeOrmModule.forFeature([UserGroup, UserGroupToken, DataSourceMapping, EncryptionKeyRecord]),
  ],
  controllers: [UserGroupController],
  providers: [
    {
      provide: KeyRing,
      inject: [Config, Statements],
      useFactory: async (config: Config, statements: Statements) =>
        loadKeyRing(config, !(await hasRecordedKey(statements))),
    },
    {
      provide: TokenCipher,
      inject: [KeyRing],
      useFactory: (keys: KeyRing) => new TokenCipher(keys),
    },
    KeyCheck,
    UserGroupRepository,
    UserGroupService,
  ],
})
export class UserGroupModule {}
