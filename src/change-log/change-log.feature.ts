import { defineFeature } from '../common/extension/feature.ts';
import { ChangeEvent, ChangeRemoval } from './change-event.entity.ts';

export const changeLog = defineFeature({ name: 'change-log', entities: [ChangeEvent, ChangeRemoval] });
