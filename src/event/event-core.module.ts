import { Module } from '@nestjs/common';
import { EncryptionKeyModule } from '../encryption-key/encryption-key.module.ts';
import { ChangeTail } from './change-tail.ts';
import { EventCursors } from './event-cursors.ts';
import { EventService } from './event.service.ts';
import { EventSlots } from './event-slots.ts';
import { EventStreams } from './event-streams.ts';
import { UserGroupEvents } from './user-group-events.ts';

/** Follows what changes. */
@Module({
  imports: [EncryptionKeyModule],
  providers: [ChangeTail, EventCursors, EventService, EventSlots, EventStreams, UserGroupEvents],
  exports: [EventService, EventStreams, UserGroupEvents],
})
export class EventCoreModule {}
