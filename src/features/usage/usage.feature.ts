import { Global, Module } from '@nestjs/common';
import { TokenUses } from '../../core/embed-token/token-uses.ts';
import { EncryptionKeyModule } from '../../core/encryption-key/encryption-key.module.ts';
import { defineFeature } from '../../platform/common/extension/feature.ts';
import { UsageBatches } from './counting/usage-batches.ts';
import { UsageCounter } from './counting/usage-counter.ts';
import {
  UsageBatchExpiry,
  UsageNoticeExpiry,
  UsageRetention,
  UsageUserExpiry,
} from './counting/usage-retention.ts';
import { UsageTally } from './counting/usage-tally.ts';
import { UsageUsers } from './counting/usage-users.ts';
import { CreateUsageLimit1796021471486 } from './create-usage-limit.migration.ts';
import { CreateUsage1796007576508 } from './create-usage.migration.ts';
import { UsageBatch } from './entities/usage-batch.entity.ts';
import { UsageCount } from './entities/usage-count.entity.ts';
import { UsageLimit } from './entities/usage-limit.entity.ts';
import { UsageNotice } from './entities/usage-notice.entity.ts';
import { UsageUser } from './entities/usage-user.entity.ts';
import { EmbedTokenRefusals } from './limits/embed-token-refusals.ts';
import { QuotaNotices } from './limits/quota-notices.ts';
import { UserGroupLimitsController } from './limits/user-group-limits.controller.ts';
import { UserGroupLimitsService } from './limits/user-group-limits.service.ts';
import { UsageReport } from './reading/usage-report.ts';
import { usageActions, usageScopes } from './usage.catalogue.ts';
import { UsageController } from './usage.controller.ts';
import * as problems from './usage.errors.ts';
import { UsageSettings } from './usage.settings.ts';

/** Provides the port everywhere, so that the core, which knows no feature, finds it where the feature is served. */
@Global()
@Module({
  imports: [EncryptionKeyModule],
  controllers: [UsageController, UserGroupLimitsController],
  providers: [
    EmbedTokenRefusals,
    QuotaNotices,
    UsageBatchExpiry,
    UsageBatches,
    UsageCounter,
    UsageNoticeExpiry,
    UsageReport,
    UsageRetention,
    UsageUserExpiry,
    UsageUsers,
    UserGroupLimitsService,
    { provide: TokenUses, useClass: UsageTally },
  ],
  exports: [TokenUses],
})
class UsageModule {}

export const usage = defineFeature({
  name: 'usage',
  about: 'How much each user group uses: views, embed tokens, introspections and users.',
  scopes: usageScopes,
  actions: usageActions,
  problems,
  modules: [UsageModule],
  openapi: async () => (await import('./usage.openapi.ts')).usageOpenApi,
  entities: [UsageBatch, UsageCount, UsageLimit, UsageNotice, UsageUser],
  migrations: [CreateUsage1796007576508, CreateUsageLimit1796021471486],
  rights: {
    usage_batch: 'SELECT, INSERT, DELETE',
    usage_count: 'SELECT, INSERT, UPDATE, DELETE',
    usage_limit: 'SELECT, INSERT, UPDATE, DELETE',
    usage_notice: 'SELECT, INSERT, DELETE',
    usage_user: 'SELECT, INSERT, DELETE',
  },
  settings: UsageSettings,
  metrics: (app) => [
    {
      type: 'counter',
      name: 'usage_batches_total',
      help: 'Batches of views by result: counted, or repeated, which counts nothing.',
      label: 'result',
      read: () => app.get(UsageBatches).counts,
    },
    {
      type: 'counter',
      name: 'usage_views_total',
      help: 'Views that batches have reported and that were counted.',
      read: () => app.get(UsageBatches).views,
    },
    {
      type: 'counter',
      name: 'usage_quota_events_total',
      help: 'Events that this process has recorded of user groups near their limits, or at them, by level.',
      label: 'level',
      read: () => app.get(QuotaNotices).counts,
    },
    {
      type: 'counter',
      name: 'usage_refused_embed_tokens_total',
      help: 'Embed tokens that were not issued, because a limit of the user group was reached.',
      read: () => app.get(EmbedTokenRefusals).count,
    },
  ],
});
