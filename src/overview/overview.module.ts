import { Module } from '@nestjs/common';
import { ActivityModule } from '../activity/activity.module.ts';
import { ApiTokenModule } from '../api-token/api-token.module.ts';
import { UserGroupCoreModule } from '../user-group/user-group-core.module.ts';
import { ActivityService } from './activity.service.ts';
import { OverviewController } from './overview.controller.ts';
import { OverviewService } from './overview.service.ts';

@Module({
  imports: [ActivityModule, ApiTokenModule, UserGroupCoreModule],
  controllers: [OverviewController],
  providers: [ActivityService, OverviewService],
})
export class OverviewModule {}
