import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { USER_GROUP_DATA_SOURCE } from '../database/data-source-name.ts';
import { AuditEvent } from './audit-event.entity.ts';
import { AuditLog } from './audit-log.ts';
import { AuditRetention } from './audit-retention.ts';
import { AccessRefusalLog } from './access-refusal-log.ts';
import { ShownTokens } from './shown-tokens.ts';
import { StrangerRefusals } from './stranger-refusals.ts';

@Module({
  imports: [TypeOrmModule.forFeature([AuditEvent], USER_GROUP_DATA_SOURCE)],
  providers: [AuditLog, AuditRetention, AccessRefusalLog, ShownTokens, StrangerRefusals],
  exports: [AuditLog, AccessRefusalLog, ShownTokens],
})
export class AuditModule {}
