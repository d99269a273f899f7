import { Module } from '@nestjs/common';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { EventConsumerRecord } from './consumer/event-consumer.entity.ts';
import { EventCoreModule } from './event-core.module.ts';
import { EventController } from './event.controller.ts';
import { EventStreams } from './stream/event-streams.ts';
import { eventScopes } from './event.catalogue.ts';
import * as problems from './feed/event.errors.ts';
import { EventSettings } from './event.settings.ts';

@Module({ imports: [EventCoreModule], controllers: [EventController] })
class EventModule {}

export const events = defineFeature({
  name: 'events',
  about: 'Changes as a list, as streams and for durable consumers.',
  scopes: eventScopes,
  problems,
  modules: [EventModule],
  openapi: async () => (await import('./event.openapi.ts')).eventOpenApi,
  services: [EventCoreModule],
  entities: [EventConsumerRecord],
  rights: {
    event_consumer: 'SELECT, INSERT, UPDATE',
  },
  settings: EventSettings,
  metrics: (app) => [
    {
      type: 'gauge',
      name: 'event_streams',
      help: 'Event streams that are open.',
      read: () => app.get(EventStreams).count,
    },
    {
      type: 'counter',
      name: 'event_stream_ends_total',
      help: 'Event streams that have ended, by reason.',
      label: 'reason',
      read: () => app.get(EventStreams).ends,
    },
  ],
  commands: [
    {
      name: 'events',
      about: 'list or follow the changes of a workspace, oldest first',
      define: async (...given) => (await import('./event.command.ts')).defineEvents(...given),
    },
  ],
});
