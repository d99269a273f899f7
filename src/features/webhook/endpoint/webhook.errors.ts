import { failure, problem } from '../../../platform/common/problem/problem.ts';

export class WebhookEndpointNotFound extends problem(404, 'webhook_endpoint_not_found', {
  about: 'No webhook endpoint of the workspace has this number.',
}) {}

export class WebhookEventNotFound extends problem(404, 'webhook_event_not_found', {
  about: 'The endpoint has no event with this id, or no longer keeps it (WEBHOOK_RETENTION_DAYS).',
}) {}

export class WebhookReplayRunning extends problem(409, 'webhook_replay_running', {
  about: 'A replay of the webhooks of the endpoint is running; retry when it has ended.',
}) {}

export class WebhookTestRefused extends problem(409, 'webhook_test_refused', {
  detail: 'This process sends no webhooks: WEBHOOK_DELIVERY is off.',
  about:
    'No test event can be sent now: another one or too many webhooks are on their way, or the process sends none. The detail says which.',
}) {}

export class TooManyWebhookEndpoints extends problem(409, 'too_many_webhook_endpoints', {
  about: 'The workspace has 50 webhook endpoints, as many as it may have. Delete one first.',
}) {}

export class WebhookSecretUnreadable extends failure(409, 'webhook_secret_unreadable', {
  about:
    'The secret and the headers of the webhook endpoint cannot be decrypted with the configured keys, so nothing is sent to it. The operator has to restore TOKEN_ENCRYPTION_KEYS; or roll the secret, and set the headers again.',
}) {}
