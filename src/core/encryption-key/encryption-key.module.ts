import { Module } from '@nestjs/common';
import { port } from '../../platform/common/extension/ports.ts';
import { Config } from '../../platform/config/config.ts';
import { EncryptionCount } from './encryption-count.ts';
import { EncryptionKeyRepository } from './encryption-key.repository.ts';
import { IdempotentResponseCipher } from './idempotent-response-cipher.ts';
import { KeyProvider } from '../../platform/common/secret/key-provider.ts';
import { KeyRing } from './key-ring.ts';
import { containKeyProvider, StandardKeyProvider } from './standard-key-provider.ts';
import { UserGroupTokenCipher } from './user-group-token-cipher.ts';

@Module({
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
    EncryptionCount,
    EncryptionKeyRepository,
    IdempotentResponseCipher,
    UserGroupTokenCipher,
  ],
  exports: [
    EncryptionCount,
    EncryptionKeyRepository,
    IdempotentResponseCipher,
    KeyRing,
    UserGroupTokenCipher,
  ],
})
export class EncryptionKeyModule {}
