import { Module } from '@nestjs/common';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { ActivityModule } from '../../core/activity/activity.module.ts';
import { ApiTokenModule } from '../../core/api-token/api-token.module.ts';
import { ActivityService } from './activity.service.ts';
import { OverviewController } from './overview.controller.ts';
import { OverviewService } from './overview.service.ts';
import { UserGroupCounter } from './user-group-counts.ts';

@Module({
  imports: [ActivityModule, ApiTokenModule],
  controllers: [OverviewController],
  providers: [ActivityService, OverviewService, UserGroupCounter],
})
class OverviewModule {}

export const overview = defineFeature({
  name: 'overview',
  about: 'Counts of a workspace, and its activity by hour.',
  modules: [OverviewModule],
  openapi: async () => (await import('./overview.openapi.ts')).overviewOpenApi,
});
