import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AuditModule } from '../audit/audit.module';
import { EncryptionKeyModule } from '../encryption-key/encryption-key.module';
import { UserGroupModule } from '../user-group/user-group.module';
import { WorkspaceModule } from '../workspace/workspace.module';
import { DeliveryRetention } from './delivery/delivery-retention';
import { WebhookAttempt } from './delivery/webhook-attempt.entity';
import { WebhookDeliverer } from './delivery/webhook-deliverer';
import { WebhookDeliveryController } from './delivery/webhook-delivery.controller';
import { WebhookDelivery } from './delivery/webhook-delivery.entity';
import { WebhookDeliveryRepository } from './delivery/webhook-delivery.repository';
import { WebhookDeliveryService } from './delivery/webhook-delivery.service';
import { WebhookFanOut } from './delivery/webhook-fan-out';
import { WebhookProgress } from './delivery/webhook-progress.entity';
import { WebhookWorker } from './delivery/webhook-worker';
import { EndpointHealth } from './endpoint/endpoint-health';
import { EndpointSecrets } from './endpoint/endpoint-secrets';
import { EndpointUrls } from './endpoint/endpoint-urls';
import { RemovedEndpoints } from './endpoint/removed-endpoints';
import { WebhookEndpointController } from './endpoint/webhook-endpoint.controller';
import { WebhookEndpoint } from './endpoint/webhook-endpoint.entity';
import { WebhookEndpointRepository } from './endpoint/webhook-endpoint.repository';
import { WebhookEndpointService } from './endpoint/webhook-endpoint.service';
import { Announcements } from './notice/announcements';
import { EndingOverlapNotice } from './notice/ending-overlaps';
import { ExpiringApiTokenNotice } from './notice/expiring-api-tokens';
import { Notice } from './notice/notice.entity';
import { NoticeRetention } from './notice/notice-retention';
import { Notices } from './notice/notices';
import { UnresolvableMappingNotice } from './notice/unresolvable-mappings';
import { WebhookSecretRewrapper } from './endpoint/webhook-secret-rewrapper';

@Module({
  imports: [
    TypeOrmModule.forFeature([
      Notice,
      WebhookAttempt,
      WebhookDelivery,
      WebhookEndpoint,
      WebhookProgress,
    ]),
    AuditModule,
    EncryptionKeyModule,
    UserGroupModule,
    WorkspaceModule,
  ],
  controllers: [WebhookEndpointController, WebhookDeliveryController],
  providers: [
    Announcements,
    DeliveryRetention,
    EndingOverlapNotice,
    EndpointHealth,
    EndpointSecrets,
    EndpointUrls,
    ExpiringApiTokenNotice,
    NoticeRetention,
    Notices,
    RemovedEndpoints,
    UnresolvableMappingNotice,
    WebhookDeliverer,
    WebhookDeliveryRepository,
    WebhookDeliveryService,
    WebhookEndpointRepository,
    WebhookEndpointService,
    WebhookFanOut,
    WebhookSecretRewrapper,
    WebhookWorker,
  ],
})
export class WebhookModule {}
