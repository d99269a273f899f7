import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Config } from '../config/config';
import { EncryptionCount } from './encryption-count';
import { EncryptionKeyRecord } from './encryption-key.entity';
import { EncryptionKeyRepository } from './encryption-key.repository';
import { KeyRing, loadKeyRing } from './key-ring';
import { UserGroupTokenCipher } from './user-group-token-cipher';
import { WebhookSecretCipher } from './webhook-secret-cipher';

@Module({
  imports: [TypeOrmModule.forFeature([EncryptionKeyRecord])],
  providers: [
    {
      provide: KeyRing,
      inject: [Config, EncryptionKeyRepository],
      useFactory: async (config: Config, keys: EncryptionKeyRepository) =>
        loadKeyRing(config, (await keys.list()).length === 0),
    },
    {
      provide: UserGroupTokenCipher,
      inject: [KeyRing, EncryptionCount],
      useFactory: (keys: KeyRing, { add }: EncryptionCount) => new UserGroupTokenCipher(keys, add),
    },
    {
      provide: WebhookSecretCipher,
      inject: [KeyRing, EncryptionCount],
      useFactory: (keys: KeyRing, { add }: EncryptionCount) => new WebhookSecretCipher(keys, add),
    },
    EncryptionCount,
    EncryptionKeyRepository,
  ],
  exports: [
    EncryptionCount,
    EncryptionKeyRepository,
    KeyRing,
    UserGroupTokenCipher,
    WebhookSecretCipher,
  ],
})
export class EncryptionKeyModule {}
