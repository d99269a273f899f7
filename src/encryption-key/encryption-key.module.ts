import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module';
import { Config } from '../config/config';
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
      inject: [KeyRing],
      useFactory: (keys: KeyRing) => new TokenCipher(keys),
    },
    EncryptionKeyRepository,
    EncryptionKeyService,
    KeyCheck,
    TokenRewrapper,
  ],
  exports: [KeyRing, TokenCipher],
})
export class EncryptionKeyModule {}
