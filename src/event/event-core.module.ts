import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { Pace } from '../common/pace.ts';
import { USER_GROUP_DATA_SOURCE } from '../database/data-source-name.ts';
import { EncryptionKeyModule } from '../encryption-key/encryption-key.module.ts';
import { ChangeTail } from './change-tail.ts';
import { EventConsumerRecord } from './event-consumer.entity.ts';
import { EventConsumerRepository } from './event-consumer.repository.ts';
import { EventConsumers } from './event-consumers.ts';
import { EventCursors } from './event-cursors.ts';
import { EventLog } from './event-log.ts';
import { EventService } from './event.service.ts';
import { EventSlots } from './event-slots.ts';
import { EventStreams } from './event-streams.ts';
import { UserGroupEvents } from './user-group-events.ts';

/** Follows what changes. */
@Module({
  imports: [
    TypeOrmModule.forFeature([EventConsumerRecord], USER_GROUP_DATA_SOURCE),
    EncryptionKeyModule,
  ],
  providers: [
    ChangeTail,
    EventConsumerRepository,
    EventConsumers,
    EventCursors,
    EventLog,
    EventService,
    EventSlots,
    EventStreams,
    Pace,
    UserGroupEvents,
  ],
  exports: [EventConsumerRepository, EventService, EventStreams, UserGroupEvents],
})
export class EventCoreModule {}
