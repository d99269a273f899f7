import { defineFeature } from '../../platform/common/extension/feature.ts';
import { ChangeEvent, ChangeRemoval } from './change-event.entity.ts';
import { ChangeFeed } from './change-feed.ts';
import { ChangeRetention } from './change-retention.ts';

export const changeLog = defineFeature({
  name: 'change-log',
  about: 'What has changed, for the caches of all processes and for consumers of events.',
  entities: [ChangeEvent, ChangeRemoval],
  rights: {
    change_event: 'SELECT, INSERT, DELETE',
    change_removal: 'SELECT, INSERT, UPDATE',
  },
  metrics: (app) => [
    {
      type: 'gauge',
      name: 'change_consumer_lag_seconds',
      help: 'Lag of each consumer for which changes are kept, as this process measures it once a minute.',
      label: 'consumer',
      read: () => app.get(ChangeRetention).lagSeconds,
    },
    {
      type: 'gauge',
      name: 'change_channel_up',
      help: '1 while changes of other processes are received at once, 0 while they are received within 750 ms.',
      read: () => toNumber(app.get(ChangeFeed).isConnected()),
    },
    {
      type: 'gauge',
      name: 'change_lease_up',
      help: '1 while responses may come from memory, 0 while each one needs the database.',
      read: () => {
        const changes = app.get(ChangeFeed);
        return toNumber(changes.isConnected() === null ? null : changes.isCurrent());
      },
    },
  ],
});

function toNumber(isSo: boolean | null): number | null {
  return isSo === null ? null : Number(isSo);
}
