import { Module } from '@nestjs/common';
import { AuditEventController } from './audit-event.controller.ts';
import { AuditExporter } from './audit-exporter.ts';
import { AuditEventService } from './audit-event.service.ts';

@Module({
  controllers: [AuditEventController],
  providers: [AuditEventService, AuditExporter],
  exports: [AuditEventService],
})
export class AuditEventModule {}
