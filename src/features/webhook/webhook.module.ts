import { Module } from '@nestjs/common';
import { AuditModule } from '../../core/audit/audit.module.ts';
import { EncryptionKeyModule } from '../../core/encryption-key/encryption-key.module.ts';
import { IdempotencyModule } from '../../core/idempotency/idempotency.module.ts';
import { WorkspaceModule } from '../../core/workspace/workspace.module.ts';
import { GroupChecksModule } from '../group-checks/group-checks.feature.ts';
import { NewDeliveries } from './delivery/new-deliveries.ts';
import { TestEvents } from './delivery/test-events.ts';
import { WebhookDeliverer } from './delivery/webhook-deliverer.ts';
import { WebhookDeliveryController } from './delivery/webhook-delivery.controller.ts';
import { WebhookBacklogRepository } from './delivery/webhook-backlog.repository.ts';
import {
  DeliveryRetention,
  WebhookDeliveryRepository,
} from './delivery/webhook-delivery.repository.ts';
import { WebhookDeliveryService } from './delivery/webhook-delivery.service.ts';
import { WebhookFanOut } from './delivery/webhook-fan-out.ts';
import { WebhookReplays } from './delivery/webhook-replays.ts';
import { WebhookWorker } from './delivery/webhook-worker.ts';
import { EndpointHealth } from './endpoint/endpoint-health.ts';
import { EndpointOverflow } from './endpoint/endpoint-overflow.ts';
import { EndpointSecrets } from './endpoint/endpoint-secrets.ts';
import { EndpointUrls } from './endpoint/endpoint-urls.ts';
import { RemovedEndpoints } from './endpoint/removed-endpoints.ts';
import { WebhookEndpointController } from './endpoint/webhook-endpoint.controller.ts';
import { WebhookEndpointRepository } from './endpoint/webhook-endpoint.repository.ts';
import { WebhookEndpointService } from './endpoint/webhook-endpoint.service.ts';
import { WebhookSecretCipher } from './endpoint/webhook-secret-cipher.ts';
import { ReminderLog, ReminderRetention } from './reminder/reminder-log.ts';
import { Reminders } from './reminder/reminders.ts';
import { UnresolvableMappingReminder } from './reminder/unresolvable-mappings.ts';

@Module({
  imports: [
    AuditModule,
    EncryptionKeyModule,
    GroupChecksModule,
    IdempotencyModule,
    WorkspaceModule,
  ],
  controllers: [WebhookEndpointController, WebhookDeliveryController],
  providers: [
    ReminderLog,
    DeliveryRetention,
    EndpointHealth,
    EndpointOverflow,
    EndpointSecrets,
    EndpointUrls,
    NewDeliveries,
    ReminderRetention,
    Reminders,
    RemovedEndpoints,
    TestEvents,
    UnresolvableMappingReminder,
    WebhookBacklogRepository,
    WebhookDeliverer,
    WebhookDeliveryRepository,
    WebhookDeliveryService,
    WebhookEndpointRepository,
    WebhookEndpointService,
    WebhookFanOut,
    WebhookReplays,
    WebhookSecretCipher,
    WebhookWorker,
  ],
})
export class WebhookModule {}
