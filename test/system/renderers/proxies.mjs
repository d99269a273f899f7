import { freePort } from '../lab/ports.mjs';
import { HaProxy } from '../lab/haproxy.mjs';
import { startApacheWith, startCaddyWith, startNginxWith } from './gateways.mjs';
import { settingsOf } from './settings.mjs';

const SERVICE = '127.0.0.1:3000';

/**
 * Each starts a proxy by the settings of docs/operate/behind-a-proxy.md, and gives its port, and the path below which it
 * serves, `/groups` unless it says otherwise.
 */
export const proxies = {
  'nginx below a path': (servicePort) =>
    onFreePort((port) =>
      startNginxWith(
        settingsOf('proxy.nginx', {
          'listen 8080': `listen 127.0.0.1:${port}`,
          [SERVICE]: `127.0.0.1:${servicePort}`,
        }),
      ),
    ),
  'nginx on a host of its own': async (servicePort) => ({
    ...(await onFreePort((port) =>
      startNginxWith(
        settingsOf('proxy.nginx.host', {
          'listen 443 ssl': `listen 127.0.0.1:${port}`,
          // Certificates are not what is tried.
          'ssl_certificate /etc/ssl/user-groups.pem;': '',
          'ssl_certificate_key /etc/ssl/user-groups.key;': '',
          [SERVICE]: `127.0.0.1:${servicePort}`,
        }),
      ),
    )),
    prefix: '',
  }),
  'Caddy on a host of its own': async (servicePort) => {
    const settings = settingsOf('proxy.caddy.host', { [SERVICE]: `127.0.0.1:${servicePort}` });
    const inside = settings.split('\n').slice(1, -1).join('\n');
    return { ...(await onFreePort((port) => startCaddyWith(port, inside))), prefix: '' };
  },
  'Apache below a path': (servicePort) =>
    onFreePort((port) =>
      startApacheWith(
        port,
        'mpm_event authz_core proxy proxy_http',
        settingsOf('proxy.apache', { [SERVICE]: `127.0.0.1:${servicePort}` }),
      ),
    ),
  'Caddy below a path': (servicePort) =>
    onFreePort((port) =>
      startCaddyWith(port, settingsOf('proxy.caddy', { [SERVICE]: `127.0.0.1:${servicePort}` })),
    ),
  'HAProxy below a path': async (servicePort) => {
    const lines = settingsOf('proxy.haproxy', {}).split('\n').slice(1);
    const { port } = await HaProxy.start({
      mode: 'http',
      servers: { one: { port: servicePort } },
      backend: lines.filter((line) => !line.includes(SERVICE)),
    });
    return { port };
  },
};

async function onFreePort(startOn) {
  const port = await freePort();
  return { port, child: startOn(port) };
}
