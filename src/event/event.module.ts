import { Module } from '@nestjs/common';
import { EncryptionKeyModule } from '../encryption-key/encryption-key.module';
import { ChangeTail } from './change-tail';
import { EventController } from './event.controller';
import { EventCursors } from './event-cursors';
import { EventService } from './event.service';
import { EventSlots } from './event-slots';
import { EventStreams } from './event-streams';

@Module({
  imports: [EncryptionKeyModule],
  controllers: [EventController],
  providers: [ChangeTail, EventCursors, EventService, EventSlots, EventStreams],
  exports: [EventStreams],
})
export class EventModule {}
