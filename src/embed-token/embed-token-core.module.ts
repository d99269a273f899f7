import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.ts';
import { EncryptionKeyModule } from '../encryption-key/encryption-key.module.ts';
import { KeyRing } from '../encryption-key/key-ring.ts';
import { EmbedTokenService } from './embed-token.service.ts';
import { EmbedTokenVerifier } from './embed-token.verifier.ts';
import { SigningKeys } from './signing-keys.ts';
import { UserGroupCoreModule } from '../user-group/user-group-core.module.ts';

/** Issues and verifies embed tokens. */
@Module({
  imports: [AuditModule, EncryptionKeyModule, UserGroupCoreModule],
  providers: [
    {
      provide: SigningKeys,
      inject: [KeyRing],
      useFactory: (ring: KeyRing) => SigningKeys.of(ring),
    },
    EmbedTokenService,
    EmbedTokenVerifier,
  ],
  exports: [EmbedTokenService, EmbedTokenVerifier, SigningKeys],
})
export class EmbedTokenCoreModule {}
