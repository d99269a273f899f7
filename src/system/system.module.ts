import { Module } from '@nestjs/common';
import { EncryptionKeyModule } from '../encryption-key/encryption-key.module.ts';
import { EventCoreModule } from '../event/event-core.module.ts';
import { UserGroupCoreModule } from '../user-group/user-group-core.module.ts';
import { SystemController } from './system.controller.ts';
import { SystemService } from './system.service.ts';

/** `/api/v1/system`. */
@Module({
  imports: [EncryptionKeyModule, EventCoreModule, UserGroupCoreModule],
  controllers: [SystemController],
  providers: [SystemService],
})
export class SystemModule {}
