import { Module } from '@nestjs/common';
import { AuditModule } from '../audit/audit.module';
import { EncryptionKeyModule } from '../encryption-key/encryption-key.module';
import { KeyRing } from '../encryption-key/key-ring';
import { UserGroupModule } from '../user-group/user-group.module';
import { EmbedTokenController } from './embed-token.controller';
import { EmbedTokenService } from './embed-token.service';
import { EmbedTokenVerifier } from './embed-token.verifier';
import { JwksController } from './jwks.controller';
import { SigningKeys } from './signing-keys';

@Module({
  imports: [AuditModule, EncryptionKeyModule, UserGroupModule],
  controllers: [EmbedTokenController, JwksController],
  providers: [
    {
      provide: SigningKeys,
      inject: [KeyRing],
      useFactory: (ring: KeyRing) => SigningKeys.of(ring),
    },
    EmbedTokenService,
    EmbedTokenVerifier,
  ],
  exports: [EmbedTokenVerifier],
})
export class EmbedTokenModule {}
