import { handOverSignals } from '../../platform/common/early-signals.ts';
import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { logStartup } from './log-startup.ts';
import { ApiTokenBootstrap } from '../../core/api-token/provisioning/api-token.bootstrap.ts';
import { exitWith } from '../../platform/common/problem/exit-with.ts';
import { createLog } from '../../platform/common/log.ts';
import { OperatorError } from '../../platform/common/problem/operator-error.ts';
import { findExposed, loadConfig, loadDotEnv } from '../../platform/config/load-config.ts';
import { loadPlugins } from '../../platform/config/load-plugins.ts';
import { createApp } from './create-app.ts';
import { requireComposable } from './app.module.ts';
import { claimDataDir } from '../../platform/database/sqlite/claim-data-dir.ts';
import { prepareDatabase } from '../../platform/database/schema/migrate.ts';
import { Readiness } from '../../platform/health/readiness.ts';
import { Metrics } from '../../platform/metrics/metrics.ts';
import { createMetricsServer } from '../../platform/metrics/metrics-server.ts';

/** Runs the service until a signal ends it; a start that fails ends the process with code 1. */
export async function serve(): Promise<void> {
  try {
    await start();
  } catch (error) {
    exitWith(error);
  }
}

async function start(): Promise<void> {
  loadDotEnv();
  const given = loadConfig(process.env, { plugins: await loadPlugins(process.env) });
  requireComposable(given);
  const log = await createLog(given);
  // Node and libraries warn in several lines of text, which a reader of JSON cannot parse.
  process
    .removeAllListeners('warning')
    .on('warning', ({ name, message }) =>
      log.warn({ msg: 'runtime warning', name, warning: message }),
    );
  const { config } = await prepareDatabase(given, (level, msg, details) =>
    log[level]({ msg, ...details }),
  );
  for (const name of findExposed(process.env, config)) {
    const msg =
      name === 'DATA_DIR'
        ? 'DATA_DIR can be read by everybody'
        : 'secret file can be read by everybody';
    log.warn({ msg: `${msg}; run chmod o-rwx`, name });
  }
  if (config.databaseUrl === undefined && !claimDataDir(config.dataDir)) {
    log.warn({ msg: 'another process already serves this DATA_DIR', data_dir: config.dataDir });
  }
  const app = await createApp(config, log);
  handOverSignals((signal) => log.info({ msg: 'shutting down', signal }));
  await app.init();
  const isReady = app.get(Readiness).holdBack();
  const { port } = await listen(app.getHttpServer(), 'PORT', config.port, config.host);
  if (config.metricsPort !== 0) {
    const server = createMetricsServer(app.get(Metrics).registry).unref();
    await listen(server, 'METRICS_PORT', config.metricsPort, config.host);
  }
  // Created after the ports are open: a start that fails must not create a token that is shown once.
  const bootstrap = await app.get(ApiTokenBootstrap).run();
  isReady();
  logStartup({ ...config, port }, log, bootstrap);
}

async function listen(
  server: Server,
  variable: string,
  port: number,
  host: string,
): Promise<AddressInfo> {
  try {
    await once(server.listen(port, host), 'listening');
    return server.address() as AddressInfo;
  } catch (error) {
    const { code = 'unknown reason' } = error as NodeJS.ErrnoException;
    const reason = code === 'EADDRINUSE' ? 'another process uses it' : code;
    throw new OperatorError(`${variable} ${port} of HOST ${host} is not available: ${reason}.`);
  }
}
