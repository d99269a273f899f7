import { Module } from '@nestjs/common';
import { ActivityRetention, ActivityTally } from './activity-tally.ts';

/** Counts what happens in each workspace, hour by hour. */
@Module({ providers: [ActivityRetention, ActivityTally], exports: [ActivityTally] })
export class ActivityModule {}
