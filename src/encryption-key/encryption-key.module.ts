import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module';
import { Config } from '../config/config';
import { EncryptionCount } from './encryption-count';
import { EncryptionKeyRecord } from './encryption-key.entity';
import { EncryptionKeyRepository } from './encryption-key.repository';
import { EncryptionKeyService } from './encryption-key.service';
import { KeyCheck } from './key-check';
import { KeyRing, loadKeyRing } from './key-ring';
import { TokenCipher } from './token-cipher';
import { TokenRewrapper } from './token-rewrapper';

@Module({
  imports: [TypeOrmModule.forFeature([EncryptionKeyRecord]), AuditModule],
  providers: [
    {
      provide: KeyRing,
      inject: [Config, EncryptionKeyRepository],
      useFactory: async (config: Config, keys: EncryptionKeyRepository) =>
        loadKeyRing(config, (await keys.list()).length === 0),
    },
    {
      provide: TokenCipher,
      inject: [KeyRing, EncryptionCount],
      useFactory: (keys: KeyRing, { add }: EncryptionCount) => new TokenCipher(keys, add),
    },
    EncryptionCount,
    EncryptionKeyRepository,
    EncryptionKeyService,
    KeyCheck,
    TokenRewrapper,
  ],
  exports: [EncryptionCount, KeyRing, TokenCipher],
})
export class EncryptionKeyModule {}
