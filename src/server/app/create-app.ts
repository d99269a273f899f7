import type { DynamicModule, Type } from '@nestjs/common';
import { ModulesContainer, NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import type { Express } from 'express';
import type { Logger } from 'pino';
import { watchApplication, watchPlugins } from './app.metrics.ts';
import { AppModule } from './app.module.ts';
import { requireAccessOfHandlers } from '../../platform/common/access/handler-access.ts';
import { ApiHttpAdapter } from '../../platform/common/http/server/api-http.adapter.ts';
import { leadTo } from '../../platform/common/http/responses/redirect.ts';
import { contractRules, refuseWhenClosing } from '../../platform/common/http/server/http-rules.ts';
import { BODY_LIMIT_SETTING } from '../../platform/common/http/server/http-settings.ts';
import { observeRequests } from '../../platform/common/http/observing/observe-requests.ts';
import { NestLog } from '../../platform/common/log.ts';
import type { Config } from '../../platform/config/config.ts';
import { chooseFeatures, pagesOf, servedChoice } from './features.ts';
import { serveDocs } from './openapi/serve-docs.ts';
import { Metrics } from '../../platform/metrics/metrics.ts';
import { EncryptionCount } from '../../core/encryption-key/encryption-count.ts';
import { KeyCheck } from '../../features/key-administration/key-check.ts';

/** Paths below which an unknown method of a path gets 405, with the pages of features. */
const KNOWN_BELOW = ['/api/v1', '/.well-known', '/health', '/docs', '/docs-json', '/workspaces'];

/**
 * Creates the application, on a prepared database; not yet listening.
 * @param module the root module: `AppModule`, or one that imports it
 * @throws OperatorError if the encryption keys are not those of the database, or a handler does not declare its access
 */
export async function createApp(
  config: Config,
  log: Logger,
  module: DynamicModule | Type = AppModule.with(config),
): Promise<NestExpressApplication> {
  const chosen = chooseFeatures(servedChoice(config));
  const pages = pagesOf(config);
  const adapter = new ApiHttpAdapter([...KNOWN_BELOW, ...pages.map(({ path }) => path)]);
  const app = await NestFactory.create<NestExpressApplication>(module, adapter, {
    bodyParser: false,
    abortOnError: false,
    logger: new NestLog(log),
  });
  requireAccessOfHandlers(app.get(ModulesContainer));
  await app.get(KeyCheck).requireEveryKey();
  await app.get(EncryptionCount).read();
  app.set(BODY_LIMIT_SETTING, config.bodyLimit);
  app.set('trust proxy', config.trustProxy);
  app.set('query parser', false);

  const metrics = app.get(Metrics);
  watchApplication(app, adapter.http, config);
  watchPlugins(app, config.plugins);
  const express: Express = app.getHttpAdapter().getInstance();
  const mounted = chosen.flatMap(({ mount }) => mount?.(app, express, '') ?? []);
  adapter.before(
    observeRequests(log, (request) => metrics.observeRequest(request), config.bootstrapApiToken),
    refuseWhenClosing(app.getHttpServer()),
    ...mounted.flatMap(({ steps }) => steps),
    contractRules,
  );
  if (config.docs) serveDocs(app, config, pages);
  // Relative, so that it also works below any path of a proxy.
  const page = mounted.find((one) => one.home !== undefined);
  const home = page?.home ?? (config.docs ? 'docs' : undefined);
  if (home !== undefined) express.get('/', leadTo(home));
  app.enableShutdownHooks([], { useProcessExit: true });
  return app;
}
