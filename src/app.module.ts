import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ApiTokenModule } from './api-token/api-token.module';
import { ProblemFilter } from './common/problem.filter';
import type { Config } from './config/config';
import { ConfigModule } from './config/config.module';
import { DatabaseModule } from './database/database.module';
import { MetricsModule } from './metrics/metrics.module';
import { RateLimitModule } from './rate-limit/rate-limit.module';
import { UserGroupModule } from './user-group/user-group.module';
import { WorkspaceModule } from './workspace/workspace.module';

@Module({
  imports: [
    DatabaseModule,
    MetricsModule,
    WorkspaceModule,
    ApiTokenModule,
    RateLimitModule,
    UserGroupModule,
  ],
  providers: [{ provide: APP_FILTER, useClass: ProblemFilter }],
})
export class AppModule {
  static with(config: Config): DynamicModule {
    return { module: AppModule, imports: [ConfigModule.forRoot(config)] };
  }
}
