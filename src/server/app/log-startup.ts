import type { Logger } from 'pino';
import type { BootstrapResult } from '../../core/api-token/provisioning/api-token.bootstrap.ts';
import type { Config } from '../../platform/config/config.ts';
import { pagesOf } from './features.ts';

const EXAMPLE_BODY = '{"user_group_id":"acme","name":"Acme"}';

/**
 * Logs the addresses and, at the first run, how to make the first call. The token itself is shown once, and only to a
 * terminal: a log keeps every line.
 */
export function logStartup(config: Config, log: Logger, bootstrap: BootstrapResult): void {
  const { host, port, metricsPort, databaseUrl, dataDir, docs, features, plugins } = config;
  const origin = `http://${/^(0\.0\.0\.0|::)$/.test(host) ? 'localhost' : host.replace(/.*:.*/, '[$&]')}`;
  const places = {
    api: `${origin}:${port}/api/user`,
    ...Object.fromEntries(
      pagesOf(config).map(({ name, path }) => [name, `${origin}:${port}${path}/`]),
    ),
    ...(docs && { docs: `${origin}:${port}/docs` }),
    database: databaseUrl === undefined ? `SQLite in ${dataDir}` : 'PostgreSQL',
    ...(metricsPort !== 0 && { metrics: `${origin}:${metricsPort}/metrics` }),
    ...(String(features) !== 'all' && { features: features.join(', ') }),
    ...(plugins.length > 0 && {
      plugins: plugins.map(({ definition }) => definition.name).join(', '),
    }),
  };
  const isTerminal = process.stdout.isTTY;
  const first = firstSteps(bootstrap, places.api, isTerminal);
  if (isTerminal || config.logFormat === 'pretty') {
    const lines = Object.entries({ ...places, ...first }).map(
      ([name, text]) => `  ${`${name}:`.padEnd(12)} ${text}\n`,
    );
    process.stdout.write(`\nUser group service is ready.\n${lines.join('')}\n`);
    return;
  }
  // The operator's next step is a warning, so that a quiet log shows it too.
  const level = first['first_token'] === undefined ? 'info' : 'warn';
  log[level]({ msg: 'ready', ...places, ...first });
}

function firstSteps(
  bootstrap: BootstrapResult,
  api: string,
  isTerminal: boolean,
): Record<string, string> {
  switch (bootstrap.kind) {
    case 'present':
      return {};
    case 'ignored':
      return {
        first_token:
          'BOOTSTRAP_API_TOKEN is no active API token, and creates none, because there are others. To replace a token use: npm run cli -- token rotate',
      };
    case 'configured':
      return { first_token: 'created from BOOTSTRAP_API_TOKEN' };
    case 'absent':
      return {
        first_token:
          'There is no API token yet; issue one with: npm run --silent cli -- token create --name admin --scopes all',
      };
    case 'generated':
      return isTerminal
        ? {
            first_token: `${bootstrap.token} (also in ${bootstrap.file})`,
            try: curl(api, bootstrap.token),
          }
        : { first_token: `in ${bootstrap.file}`, try: curl(api, `$(cat '${bootstrap.file}')`) };
  }
}

function curl(api: string, token: string): string {
  return `curl -X GET ${api} -H "Authorization: Token ${token}" -H 'Content-Type: application/json' -d '${EXAMPLE_BODY}'`;
}
