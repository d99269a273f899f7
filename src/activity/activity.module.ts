import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { USER_GROUP_DATA_SOURCE } from '../database/data-source-name.ts';
import { ActivityReader } from './activity-reader.ts';
import { ActivityRetention } from './activity-retention.ts';
import { ActivityTally } from './activity-tally.ts';
import { ActivityRecord } from './activity.entity.ts';

/** Counts what happens in each workspace, hour by hour. */
@Module({
  imports: [TypeOrmModule.forFeature([ActivityRecord], USER_GROUP_DATA_SOURCE)],
  providers: [ActivityReader, ActivityRetention, ActivityTally],
  exports: [ActivityReader, ActivityTally],
})
export class ActivityModule {}
