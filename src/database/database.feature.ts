import { defineFeature } from '../common/extension/feature.ts';
import { SweepTimeRecord } from './upkeep/sweep-time.entity.ts';

export const database = defineFeature({ name: 'database', entities: [SweepTimeRecord] });
