import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { ApiTokenGuard } from './api-token/api-token.guard';
import { ApiTokenModule } from './api-token/api-token.module';
import { AuditModule } from './audit/audit.module';
import { AccessRefusalFilter } from './audit/access-refusal.filter';
import { ScopeGuard } from './common/scope.guard';
import type { Config } from './config/config';
import { ConfigModule } from './config/config.module';
import { DatabaseModule } from './database/database.module';
import { EmbedTokenModule } from './embed-token/embed-token.module';
import { EventModule } from './event/event.module';
import { HealthModule } from './health/health.module';
import { MetricsModule } from './metrics/metrics.module';
import { IntrospectionModule } from './introspection/introspection.module';
import { RateLimitGuard } from './rate-limit/rate-limit.guard';
import { RateLimitModule } from './rate-limit/rate-limit.module';
import { RegistryModule } from './registry/registry.module';
import { UserGroupModule } from './user-group/user-group.module';
import { WebhookModule } from './webhook/webhook.module';
import { WorkspaceModule } from './workspace/workspace.module';

@Module({
  imports: [
    DatabaseModule,
    MetricsModule,
    HealthModule,
    AuditModule,
    WorkspaceModule,
    ApiTokenModule,
    RateLimitModule,
    RegistryModule,
    UserGroupModule,
    EmbedTokenModule,
    IntrospectionModule,
    EventModule,
    WebhookModule,
  ],
  providers: [
    { provide: APP_FILTER, useClass: AccessRefusalFilter },
    // In this order: authentication, rate limit, scope.
    { provide: APP_GUARD, useExisting: ApiTokenGuard },
    { provide: APP_GUARD, useExisting: RateLimitGuard },
    { provide: APP_GUARD, useClass: ScopeGuard },
  ],
})
export class AppModule {
  static with(config: Config): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.forRoot(config)] };
  }
}
