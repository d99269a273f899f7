import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ProblemFilter } from './common/problem.filter.ts';
import { compose, type UserGroupStructure } from './composition.ts';
import type { Config } from './config/config.ts';
import { ConfigModule } from './config/config.module.ts';
import { ConsoleModule } from './console/console.module.ts';
import { HealthModule } from './health/health.module.ts';
import { MetricsModule } from './metrics/metrics.module.ts';

/** The running service. */
@Module({
  // Handlers bring along what guards them and answers their errors; this answers what reaches no handler.
  providers: [{ provide: APP_FILTER, useClass: ProblemFilter }],
})
export class AppModule {
  static with(config: Config, structure: UserGroupStructure = {}): DynamicModule {
    const { plugins } = config;
    const service = compose(ConfigModule.forRoot(config), { plugins, ...structure });
    const operating = config.console === 'on' ? [ConsoleModule] : [];
    return {
      module: AppModule,
      imports: [MetricsModule, HealthModule, ...operating, ...service],
    };
  }
}
