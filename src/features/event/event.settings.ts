import { duration } from '../../platform/config/readers.ts';
import { FromEnv } from '../../platform/config/variable.ts';

/** The time for which events wait for webhooks and durable consumers, which must not miss one. */
export class EventSettings {
  @FromEnv('WEBHOOK_RETENTION_DAYS', {
    group: 'Webhooks',
    about:
      'Days (1–365) for which events of webhooks are kept, with the attempts to send them. They can be replayed, and wait for a disabled endpoint, during that time.',
    retention: ['webhook_days', 'Days for which webhooks can be replayed.'],
    read: duration('days', 1, 365),
  })
  webhookRetentionDays = 30;
}
