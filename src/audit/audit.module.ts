import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditEventController } from './audit-event.controller';
import { AuditEvent } from './audit-event.entity';
import { AuditEventService } from './audit-event.service';
import { AuditLog } from './audit-log';
import { AuditRetention } from './audit-retention';
import { AccessRefusalLog } from './access-refusal-log';
import { ShownTokens } from './shown-tokens';
import { StrangerRefusals } from './stranger-refusals';

@Module({
  imports: [TypeOrmModule.forFeature([AuditEvent])],
  controllers: [AuditEventController],
  providers: [
    AuditEventService,
    AuditLog,
    AuditRetention,
    AccessRefusalLog,
    ShownTokens,
    StrangerRefusals,
  ],
  exports: [AuditEventService, AuditLog, AccessRefusalLog, ShownTokens],
})
export class AuditModule {}
