import { Module } from '@nestjs/common';
import { EventCoreModule } from './event-core.module.ts';
import { EventController } from './event.controller.ts';

@Module({ imports: [EventCoreModule], controllers: [EventController] })
export class EventModule {}
