import { Module } from '@nestjs/common';
import { ConnectionSlots } from '../../platform/common/concurrency/slots.ts';
import { Pace } from '../../platform/common/concurrency/pace.ts';
import { EncryptionKeyModule } from '../../core/encryption-key/encryption-key.module.ts';
import { ChangeTail } from './feed/change-tail.ts';
import { EventConsumerRepository } from './consumer/event-consumer.repository.ts';
import { EventConsumers } from './consumer/event-consumers.ts';
import { EventCursors } from './feed/event-cursors.ts';
import { EventLog } from './feed/event-log.ts';
import { EventService } from './feed/event.service.ts';
import { EventStreams } from './stream/event-streams.ts';
import { UserGroupEvents } from './user-group-events.ts';

@Module({
  imports: [EncryptionKeyModule],
  providers: [
    ChangeTail,
    EventConsumerRepository,
    EventConsumers,
    EventCursors,
    EventLog,
    EventService,
    EventStreams,
    Pace,
    {
      provide: ConnectionSlots,
      useFactory: () => new ConnectionSlots('streams and waiting calls'),
    },
    UserGroupEvents,
  ],
  exports: [EventConsumerRepository, EventService, EventStreams, UserGroupEvents],
})
export class EventCoreModule {}
