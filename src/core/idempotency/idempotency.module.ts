import { Module } from '@nestjs/common';
import { EncryptionKeyModule } from '../encryption-key/encryption-key.module.ts';
import { IdempotentCalls, IdempotentResponseExpiry } from './idempotent-calls.ts';

@Module({
  imports: [EncryptionKeyModule],
  providers: [IdempotentCalls, IdempotentResponseExpiry],
  exports: [IdempotentCalls],
})
export class IdempotencyModule {}
