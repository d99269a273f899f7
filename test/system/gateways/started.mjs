import { connect } from 'node:net';
import { dirname } from 'node:path';
import { text } from 'node:stream/consumers';
import { URL } from 'node:url';
import { ORIGIN } from '../conformance/kit.mjs';
import { start } from '../lab/processes.mjs';
import { API_TOKEN } from '../lab/server.mjs';
import { forwardAuthSettings, startForwardingHaProxy } from '../renderers/forward-auth.mjs';
import { startNginxWith, startReloadableCaddy, write } from '../renderers/gateways.mjs';
import { settingsOf } from '../renderers/settings.mjs';

/** With it the table of docs/guides/gateways.md says that nginx ends all connections when it is loaded again. */
const ENDS_CONNECTIONS = 'worker_shutdown_timeout 1s;';
const APPLICATION = /^ {2}location \/ \{\n[\s\S]*?\n {2}\}\n/m;

/**
 * Gateways of docs/guides/gateways.md. Each starts before an application, and gives its process and what ends all open
 * connections: the commands of the page.
 */
export const startedGateways = {
  nginx: (lab) => startNginx(forwardAuthSettings('forward-auth.nginx', lab)),
  Caddy: (lab) => {
    const { child, reload } = startReloadableCaddy(
      lab.port,
      forwardAuthSettings('forward-auth.caddy', lab),
    );
    return { child, endConnections: reload };
  },
  HAProxy: (lab) => {
    const { child, admin } = startForwardingHaProxy(lab);
    const endConnections = async () => {
      const socket = connect(admin);
      socket.end('shutdown sessions server application/application\n');
      const said = (await text(socket)).trim();
      if (said !== '') throw new Error(`HAProxy: ${said}`);
    };
    return { child, endConnections };
  },
  'the nginx of its page': startNginxOfShiny,
};

/** Starts an nginx by the settings of docs/guides/shiny.md. @param more settings of its HTTP part */
export function startNginxOfShiny({ port, service, application }, more = '') {
  const settings = settingsOf('shiny.settings', {
    'http {': `http {\n${more}`,
    'listen 127.0.0.1:8080': `listen 127.0.0.1:${port}`,
    'proxy_pass http://127.0.0.1:9000': `proxy_pass ${application}`,
    'origin=http://127.0.0.1:8081': `origin=${ORIGIN}`,
    USER_GROUPS_URL: service,
    GATEWAY_API_TOKEN: API_TOKEN,
  });
  const file = write('nginx.conf', settings);
  const child = start('nginx', ['-p', dirname(file), '-c', file]);
  return { child, endConnections: () => child.kill('SIGHUP') };
}

function startNginx(settings) {
  const child = startNginxWith(settings, [], ENDS_CONNECTIONS);
  // The signal of `nginx -s reload`.
  return { child, endConnections: () => child.kill('SIGHUP') };
}

/** Starts an nginx before a VictoriaMetrics for each data source. @param metrics the address of each data source */
export function startNginxOfMetrics(lab, metrics) {
  const application = settingsOf('victoria-metrics.nginx', {});
  const settings = forwardAuthSettings('forward-auth.nginx', {
    ...lab,
    application: new URL('http://127.0.0.1').href,
  }).replace(APPLICATION, () => `${application}\n`);
  const map = settingsOf('victoria-metrics.map', {
    '127.0.0.1:8428': metrics['warehouse-acme'],
    '127.0.0.1:8429': metrics['warehouse-globex'],
  });
  return startNginx(`${map}\n${settings}`);
}
