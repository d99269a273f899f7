import { defineFeature } from '../common/extension/feature.ts';
import { Reminder } from './entities/reminder.entity.ts';
import { WebhookAttempt } from './entities/webhook-attempt.entity.ts';
import { WebhookBacklog } from './entities/webhook-backlog.entity.ts';
import { WebhookDelivery } from './entities/webhook-delivery.entity.ts';
import { WebhookEndpoint } from './entities/webhook-endpoint.entity.ts';
import { WebhookProgress } from './entities/webhook-progress.entity.ts';
import { WebhookReplay } from './entities/webhook-replay.entity.ts';
import { WebhookModule } from './webhook.module.ts';

export const webhooks = defineFeature({
  name: 'webhooks',
  modules: [WebhookModule],
  entities: [
    Reminder,
    WebhookAttempt,
    WebhookBacklog,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookProgress,
    WebhookReplay,
  ],
});
