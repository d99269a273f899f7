import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { USER_GROUP_DATA_SOURCE } from '../database/data-source-name.ts';
import { port } from '../common/ports.ts';
import { Config } from '../config/config.ts';
import { containKeyProvider } from './contained-key-provider.ts';
import { EncryptionCount } from './encryption-count.ts';
import { EncryptionKeyRecord } from './encryption-key.entity.ts';
import { EncryptionKeyRepository } from './encryption-key.repository.ts';
import { KeyProvider } from '../common/key-provider.ts';
import { KeyRing } from './key-ring.ts';
import { StandardKeyProvider } from './standard-key-provider.ts';
import { UserGroupTokenCipher } from './user-group-token-cipher.ts';
import { WebhookSecretCipher } from './webhook-secret-cipher.ts';

@Module({
  imports: [TypeOrmModule.forFeature([EncryptionKeyRecord], USER_GROUP_DATA_SOURCE)],
  providers: [
    port(
      KeyProvider,
      {
        inject: [Config, EncryptionKeyRepository],
        useFactory: (config: Config, keys: EncryptionKeyRepository) =>
          new StandardKeyProvider(config, async () => (await keys.list()).length === 0),
      },
      containKeyProvider,
    ),
    {
      provide: KeyRing,
      inject: [KeyProvider],
      useFactory: async (provider: KeyProvider) => new KeyRing(await provider.keys()),
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
