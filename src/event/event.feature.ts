import { Module } from '@nestjs/common';
import { defineFeature } from '../common/extension/feature.ts';
import { EventCoreModule } from './event-core.module.ts';
import { EventController } from './event.controller.ts';
import { EventConsumerRecord } from './consumer/event-consumer.entity.ts';

@Module({ imports: [EventCoreModule], controllers: [EventController] })
class EventModule {}

export const events = defineFeature({
  name: 'events',
  modules: [EventModule],
  services: [EventCoreModule],
  entities: [EventConsumerRecord],
});
