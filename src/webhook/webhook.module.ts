import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { USER_GROUP_DATA_SOURCE } from '../database/data-source-name.ts';
import { AuditModule } from '../audit/audit.module.ts';
import { EncryptionKeyModule } from '../encryption-key/encryption-key.module.ts';
import { WorkspaceModule } from '../workspace/workspace.module.ts';
import { DeliveryRetention } from './delivery/delivery-retention.ts';
import { NewDeliveries } from './delivery/new-deliveries.ts';
import { WebhookAttempt } from './delivery/webhook-attempt.entity.ts';
import { WebhookDeliverer } from './delivery/webhook-deliverer.ts';
import { WebhookDeliveryController } from './delivery/webhook-delivery.controller.ts';
import { WebhookBacklog } from './delivery/webhook-backlog.entity.ts';
import { WebhookBacklogRepository } from './delivery/webhook-backlog.repository.ts';
import { WebhookDelivery } from './delivery/webhook-delivery.entity.ts';
import { WebhookDeliveryRepository } from './delivery/webhook-delivery.repository.ts';
import { WebhookDeliveryService } from './delivery/webhook-delivery.service.ts';
import { WebhookFanOut } from './delivery/webhook-fan-out.ts';
import { WebhookProgress } from './delivery/webhook-progress.entity.ts';
import { WebhookReplay } from './delivery/webhook-replay.entity.ts';
import { WebhookReplays } from './delivery/webhook-replays.ts';
import { WebhookWorker } from './delivery/webhook-worker.ts';
import { EndpointHealth } from './endpoint/endpoint-health.ts';
import { EndpointOverflow } from './endpoint/endpoint-overflow.ts';
import { EndpointSecrets } from './endpoint/endpoint-secrets.ts';
import { EndpointUrls } from './endpoint/endpoint-urls.ts';
import { RemovedEndpoints } from './endpoint/removed-endpoints.ts';
import { WebhookEndpointController } from './endpoint/webhook-endpoint.controller.ts';
import { WebhookEndpoint } from './endpoint/webhook-endpoint.entity.ts';
import { WebhookEndpointRepository } from './endpoint/webhook-endpoint.repository.ts';
import { WebhookEndpointService } from './endpoint/webhook-endpoint.service.ts';
import { Announcements } from './notice/announcements.ts';
import { EndingOverlapNotice } from './notice/ending-overlaps.ts';
import { ExpiringApiTokenNotice } from './notice/expiring-api-tokens.ts';
import { Notice } from './notice/notice.entity.ts';
import { NoticeRetention } from './notice/notice-retention.ts';
import { Notices } from './notice/notices.ts';
import { UnresolvableMappingNotice } from './notice/unresolvable-mappings.ts';
import { WebhookSecretRewrapper } from './endpoint/webhook-secret-rewrapper.ts';
import { UserGroupCoreModule } from '../user-group/user-group-core.module.ts';

@Module({
  imports: [
    TypeOrmModule.forFeature(
      [
        Notice,
        WebhookAttempt,
        WebhookBacklog,
        WebhookDelivery,
        WebhookEndpoint,
        WebhookProgress,
        WebhookReplay,
      ],
      USER_GROUP_DATA_SOURCE,
    ),
    AuditModule,
    EncryptionKeyModule,
    UserGroupCoreModule,
    WorkspaceModule,
  ],
  controllers: [WebhookEndpointController, WebhookDeliveryController],
  providers: [
    Announcements,
    DeliveryRetention,
    EndingOverlapNotice,
    EndpointHealth,
    EndpointOverflow,
    EndpointSecrets,
    EndpointUrls,
    ExpiringApiTokenNotice,
    NewDeliveries,
    NoticeRetention,
    Notices,
    RemovedEndpoints,
    UnresolvableMappingNotice,
    WebhookBacklogRepository,
    WebhookDeliverer,
    WebhookDeliveryRepository,
    WebhookDeliveryService,
    WebhookEndpointRepository,
    WebhookEndpointService,
    WebhookFanOut,
    WebhookReplays,
    WebhookSecretRewrapper,
    WebhookWorker,
  ],
})
export class WebhookModule {}
