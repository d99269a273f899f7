import { defineFeature } from '../../platform/common/extension/feature.ts';
import { ActivityRecord } from './activity.entity.ts';

export const activity = defineFeature({
  name: 'activity',
  about: 'How many groups a workspace creates, rotates and introspects in an hour.',
  entities: [ActivityRecord],
  rights: {
    activity: 'SELECT, INSERT, UPDATE, DELETE',
  },
});
