import { duration } from '../../src/platform/config/readers.ts';
import { addOwnSettings } from '../../src/platform/config/settings.ts';
import { FromEnv } from '../../src/platform/config/variable.ts';

class LanternSettings {
  @FromEnv('LANTERN_RETENTION_DAYS', {
    group: 'Lanterns',
    about: 'Days for which a lantern is kept.',
    retention: ['lantern_days', 'Days for which it keeps lanterns.'],
    read: duration('days', 0, 365),
  })
  lanternRetentionDays = 12;
}

// Features declare their settings before any of them is loaded.
addOwnSettings([LanternSettings]);
