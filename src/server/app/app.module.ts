import { type DynamicModule, Module } from '@nestjs/common';
import { APP_FILTER } from '@nestjs/core';
import type { MountedRoute } from '../../platform/common/extension/feature.ts';
import { ProblemFilter } from '../../platform/common/problem/problem.filter.ts';
import { compose } from './composition.ts';
import { pagesOf, servedChoice } from './features.ts';
import type { Config } from '../../platform/config/config.ts';
import { ConfigModule } from '../../platform/config/config.module.ts';
import { HealthModule } from '../../platform/health/health.module.ts';
import { Metrics } from '../../platform/metrics/metrics.ts';

/** The running service. */
@Module({
  // Handlers bring their own guards and filter; this one responds to requests that reach no handler.
  providers: [{ provide: APP_FILTER, useClass: ProblemFilter }, Metrics],
})
export class AppModule {
  /** @throws OperatorError for features that cannot be served, and plugins that do not fit */
  static with(config: Config): DynamicModule {
    const structure = { http: servedChoice(config), plugins: config.plugins };
    const process = { modules: [HealthModule], mounted: mountedFor(config) };
    return {
      module: AppModule,
      imports: [
        HealthModule,
        ...compose(ConfigModule.with({ useValue: config }), structure, process),
      ],
    };
  }
}

function mountedFor(config: Config): MountedRoute[] {
  const docs: MountedRoute[] = ['GET /docs', 'GET /docs/*file', 'GET /docs-json'];
  return [
    ...(config.docs || pagesOf(config).length > 0 ? (['GET /'] as const) : []),
    ...(config.docs ? docs : []),
  ];
}

/**
 * Requires that the features and plugins of a configuration fit together, before anything changes the database.
 * @throws OperatorError naming what does not, and what to change
 */
export function requireComposable(config: Config): void {
  AppModule.with(config);
}
