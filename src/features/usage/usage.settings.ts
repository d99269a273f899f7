import { duration } from '../../platform/config/readers.ts';
import { FromEnv } from '../../platform/config/variable.ts';

/** The settings of usage. */
export class UsageSettings {
  @FromEnv('USAGE_RETENTION_DAYS', {
    group: 'Usage',
    about:
      'Days (35–3650) for which usage is kept, from the end of the hour, day or month that it belongs to.',
    retention: ['usage_days', 'Days for which usage is kept.'],
    read: duration('days', 35, 3650),
  })
  usageRetentionDays = 400;
}
