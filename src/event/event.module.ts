import { Module } from '@nestjs/common';
import { EventCoreModule } from './event-core.module.ts';
import { EventController } from './event.controller.ts';

/** `/api/v1/events`, and its stream. */
@Module({ imports: [EventCoreModule], controllers: [EventController] })
export class EventModule {}
