import { defineFeature } from '../../platform/common/extension/feature.ts';
import { ActivityRecord } from './activity.entity.ts';

export const activity = defineFeature({ name: 'activity', entities: [ActivityRecord] });
