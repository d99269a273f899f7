import { Module } from '@nestjs/common';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { AuditEventController } from './audit-event.controller.ts';
import { AuditExporter } from './audit-exporter.ts';
import { AuditEventService } from './audit-event.service.ts';
import { AuditEvent } from './audit-event.entity.ts';
import { AuditModule } from './audit.module.ts';
import { auditLogActions, auditScopes } from './audit.catalogue.ts';
import * as problems from './audit.errors.ts';

@Module({
  controllers: [AuditEventController],
  providers: [AuditEventService, AuditExporter],
  exports: [AuditEventService],
})
class AuditEventModule {}

export const auditEvents = defineFeature({
  name: 'audit-events',
  about: 'The audit log: who has changed what, and who was refused or shown a token.',
  scopes: auditScopes,
  actions: auditLogActions,
  problems,
  modules: [AuditEventModule],
  openapi: async () => (await import('./audit.openapi.ts')).auditOpenApi,
  services: [AuditModule],
  entities: [AuditEvent],
  rights: {
    audit_event: 'SELECT, INSERT, DELETE',
  },
  commands: [
    {
      name: 'audit',
      about: 'read the audit log',
      define: async (...given) => (await import('./audit.command.ts')).defineAudit(...given),
    },
  ],
});
