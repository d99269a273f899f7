import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import { ProblemFilter } from '../../platform/common/problem/problem.filter.ts';
import { compose } from './composition.ts';
import type { Config } from '../../platform/config/config.ts';
import { ConfigModule } from '../../platform/config/config.module.ts';
import { operatorConsole } from '../../features/console/console.feature.ts';
import { HealthModule } from '../../platform/health/health.module.ts';
import { Metrics } from '../../platform/metrics/metrics.ts';

/** The running service. */
@Module({
  // Handlers bring their own guards and filter; this one responds to requests that reach no handler.
  providers: [{ provide: APP_FILTER, useClass: ProblemFilter }, Metrics],
})
export class AppModule {
  static with(config: Config): DynamicModule {
    const service = compose(ConfigModule.with({ useValue: config }), { plugins: config.plugins });
    const operating = config.console ? (operatorConsole.modules ?? []) : [];
    return { module: AppModule, imports: [HealthModule, ...operating, ...service] };
  }
}
