import { Module } from '@nestjs/common';
import { AuditLog } from './audit-log.ts';
import { AuditRetention } from './audit-retention.ts';
import { AccessRefusalLog } from './tally/access-refusal-log.ts';
import { TokenDisclosures } from './tally/token-disclosures.ts';
import { AnonymousRefusals } from './tally/anonymous-refusals.ts';

@Module({
  providers: [AuditLog, AuditRetention, AccessRefusalLog, TokenDisclosures, AnonymousRefusals],
  exports: [AuditLog, AccessRefusalLog, TokenDisclosures],
})
export class AuditModule {}
