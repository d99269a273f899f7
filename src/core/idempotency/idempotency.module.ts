import { Module } from '@nestjs/common';
import { EncryptionKeyModule } from '../encryption-key/encryption-key.module.ts';
import { IdempotencyKeyExpiry, IdempotencyKeys } from './idempotency-keys.ts';
import { IdempotentCalls } from './idempotent-calls.ts';

@Module({
  imports: [EncryptionKeyModule],
  providers: [IdempotencyKeyExpiry, IdempotencyKeys, IdempotentCalls],
  exports: [IdempotencyKeys, IdempotentCalls],
})
export class IdempotencyModule {}
