import { once } from 'node:events';
import { announce } from './announce';
import { ApiTokenBootstrap } from './api-token/api-token.bootstrap';
import { exitWith } from './common/exit-with';
import { createLog } from './common/log';
import { OperatorError } from './common/operator-error';
import type { Config } from './config/config';
import { loadConfig, loadDotEnv } from './config/load-config';
import { createApp } from './create-app';
import { prepareDatabase } from './database/migrate';
import { Metrics } from './metrics/metrics';
import { createMetricsServer } from './metrics/metrics-server';

async function main(): Promise<void> {
  loadDotEnv();
  const config = loadConfig(process.env);
  const log = createLog(config);
  await prepareDatabase(config, (reason) => {
    log.warn({ msg: 'waiting for PostgreSQL', reason });
  });
  const app = await createApp(config, log);
  await app.init();
  await serveMetrics(app.get(Metrics), config);
  await app.listen(config.port, config.host).catch((error: unknown) => {
    throw cannotListen('PORT', config.port, error);
  });
  // After the ports: a token that is shown once must not be made by a start that fails.
  const bootstrap = await app.get(ApiTokenBootstrap).run();
  announce(config, log, bootstrap, await app.getUrl());
}

async function serveMetrics(metrics: Metrics, { host, metricsPort }: Config): Promise<void> {
  if (metricsPort === 0) return;
  const server = createMetricsServer(metrics.registry).unref();
  try {
    await once(server.listen(metricsPort, host), 'listening');
  } catch (error) {
    throw cannotListen('METRICS_PORT', metricsPort, error);
  }
}

function cannotListen(variable: string, port: number, error: unknown): OperatorError {
  const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
  const reason = code === 'EADDRINUSE' ? 'another process uses it' : code;
  return new OperatorError(`${variable} ${port} cannot be listened on: ${reason}.`);
}

main().catch(exitWith);
