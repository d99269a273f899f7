import { defineFeature } from '../../platform/common/extension/feature.ts';
import { WebhookDeliverer } from './delivery/webhook-deliverer.ts';
import { WebhookFanOut } from './delivery/webhook-fan-out.ts';
import { WebhookWorker } from './delivery/webhook-worker.ts';
import { EndpointHealth } from './endpoint/endpoint-health.ts';
import { EndpointOverflow } from './endpoint/endpoint-overflow.ts';
import { Reminder } from './entities/reminder.entity.ts';
import { WebhookAttempt } from './entities/webhook-attempt.entity.ts';
import { WebhookBacklog } from './entities/webhook-backlog.entity.ts';
import { WebhookDelivery } from './entities/webhook-delivery.entity.ts';
import { WebhookEndpoint } from './entities/webhook-endpoint.entity.ts';
import { WebhookProgress } from './entities/webhook-progress.entity.ts';
import { WebhookReplay } from './entities/webhook-replay.entity.ts';
import { WebhookModule } from './webhook.module.ts';
import { WebhookSettings } from './webhook.settings.ts';
import { webhookActions, webhookScopes } from './webhook.catalogue.ts';
import * as problems from './endpoint/webhook.errors.ts';

export const webhooks = defineFeature({
  name: 'webhooks',
  about: 'Sends events to endpoints of a workspace, with reminders of what ends soon.',
  uses: ['events', 'group-checks'],
  scopes: webhookScopes,
  actions: webhookActions,
  problems,
  modules: [WebhookModule],
  openapi: async () => (await import('./webhook.openapi.ts')).webhookOpenApi,
  entities: [
    Reminder,
    WebhookAttempt,
    WebhookBacklog,
    WebhookDelivery,
    WebhookEndpoint,
    WebhookProgress,
    WebhookReplay,
  ],
  rights: {
    reminder: 'SELECT, INSERT, DELETE',
    // The owner's rights delete the attempts of a deleted delivery.
    webhook_attempt: 'SELECT, INSERT',
    webhook_backlog: 'SELECT, INSERT, UPDATE, DELETE',
    webhook_delivery: 'SELECT, INSERT, UPDATE, DELETE',
    webhook_endpoint: 'SELECT, INSERT, UPDATE, DELETE',
    webhook_progress: 'SELECT, INSERT, UPDATE',
    webhook_replay: 'SELECT, INSERT, UPDATE, DELETE',
  },
  settings: WebhookSettings,
  settingsOfCommands: { webhookDelivery: false },
  metrics: (app) => [
    {
      type: 'gauge',
      name: 'webhook_lag_seconds',
      help: 'Age of the oldest change that has no deliveries yet, as far as this process knows.',
      read: () => app.get(WebhookFanOut).lagSeconds,
    },
    {
      type: 'gauge',
      name: 'webhook_endpoints_due',
      help: 'Endpoints with deliveries that were due at the last check of this process, once a second.',
      read: () => app.get(WebhookWorker).dueEndpoints,
    },
    {
      type: 'gauge',
      name: 'webhook_overdue_seconds',
      help: 'Time since the oldest pending delivery became due, at the last check of this process.',
      read: () => app.get(WebhookWorker).overdueSeconds,
    },
    {
      type: 'counter',
      name: 'webhook_attempts_total',
      help: 'Attempts to send webhooks by result: delivered, refused (another status), no_response.',
      label: 'result',
      read: () => app.get(WebhookDeliverer).counts,
    },
    {
      type: 'histogram',
      name: 'webhook_attempt_duration_seconds',
      help: 'Duration of attempts to send webhooks by result: delivered, refused, no_response.',
      label: 'result',
      values: ['delivered', 'refused', 'no_response'],
      // The last is the deadline of an attempt.
      buckets: [0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      start: (observe) => (app.get(WebhookDeliverer).observe = observe),
    },
    {
      type: 'counter',
      name: 'webhook_endpoints_skipping_total',
      help: 'Endpoints of which this process has begun to drop events, because too many deliveries are pending.',
      read: () => app.get(EndpointOverflow).begun,
    },
    {
      type: 'counter',
      name: 'webhook_endpoints_disabled_total',
      help: 'Endpoints that this process has disabled, by reason: gone (they returned 410), failing.',
      label: 'reason',
      read: () => app.get(EndpointHealth).disabled,
    },
  ],
  commands: [
    {
      name: 'webhook',
      about: 'administer the endpoints that receive the events of a workspace',
      define: async (...given) => (await import('./webhook.command.ts')).defineWebhook(...given),
    },
  ],
});
