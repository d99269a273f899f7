import { Module } from '@nestjs/common';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { EncryptionKeyModule } from '../../core/encryption-key/encryption-key.module.ts';
import { EventCoreModule } from '../event/event-core.module.ts';
import { KeyAdministrationModule } from '../key-administration/key-administration.module.ts';
import { SystemController } from './system.controller.ts';
import { SystemService } from './system.service.ts';

@Module({
  imports: [EncryptionKeyModule, EventCoreModule, KeyAdministrationModule],
  controllers: [SystemController],
  providers: [SystemService],
})
class SystemModule {}

export const system = defineFeature({
  name: 'system',
  about: 'The state of the installation.',
  uses: ['events', 'key-administration'],
  modules: [SystemModule],
  openapi: async () => (await import('./system.openapi.ts')).systemOpenApi,
});
