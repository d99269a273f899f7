import { Module } from '@nestjs/common';
import { AuditModule } from '../../core/audit/audit.module.ts';
import { EncryptionKeyModule } from '../../core/encryption-key/encryption-key.module.ts';
import { BulkJobLineCipher } from '../bulk-job/lines/bulk-job-line-cipher.ts';
import { EncryptedTokens } from './encrypted-tokens.ts';
import { EncryptionKeyService } from './encryption-key.service.ts';
import { KeyCheck } from './key-check.ts';
import { TargetSecretCipher } from '../target/signing/target-secret-cipher.ts';
import { SecretRewrapper } from './secret-rewrapper.ts';
import { TokenRewrapper } from './token-rewrapper.ts';
import { WebhookSecretCipher } from '../webhook/endpoint/webhook-secret-cipher.ts';

/** Checks, counts and replaces the keys that encrypt tokens and secrets at rest. */
@Module({
  imports: [AuditModule, EncryptionKeyModule],
  providers: [
    BulkJobLineCipher,
    EncryptedTokens,
    EncryptionKeyService,
    KeyCheck,
    SecretRewrapper,
    TargetSecretCipher,
    TokenRewrapper,
    WebhookSecretCipher,
  ],
  exports: [EncryptedTokens, KeyCheck],
})
export class KeyAdministrationModule {}
