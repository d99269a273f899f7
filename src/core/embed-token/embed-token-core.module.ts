import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module.ts';
import { EncryptionKeyModule } from '../encryption-key/encryption-key.module.ts';
import { KeyRing } from '../encryption-key/key-ring.ts';
import { EmbedTokenReader } from './embed-token.reader.ts';
import { EmbedTokenRevoker, RevokedEmbedTokenExpiry } from './embed-token.revoker.ts';
import { EmbedTokenService } from './embed-token.service.ts';
import { EmbedTokenVerifier } from './embed-token.verifier.ts';
import { IdempotencyModule } from '../idempotency/idempotency.module.ts';
import { SigningKeys } from './signing/signing-keys.ts';
import { UserGroupSnapshotModule } from '../user-group/snapshot/user-group-snapshot.module.ts';

@Module({
  imports: [AuditModule, EncryptionKeyModule, IdempotencyModule, UserGroupSnapshotModule],
  providers: [
    {
      provide: SigningKeys,
      inject: [KeyRing],
      useFactory: (ring: KeyRing) => new SigningKeys(ring),
    },
    EmbedTokenReader,
    EmbedTokenRevoker,
    EmbedTokenService,
    EmbedTokenVerifier,
    RevokedEmbedTokenExpiry,
  ],
  exports: [
    EmbedTokenReader,
    EmbedTokenRevoker,
    EmbedTokenService,
    EmbedTokenVerifier,
    SigningKeys,
  ],
})
export class EmbedTokenCoreModule {}
