import { join } from 'node:path';
import { URL } from 'node:url';
import { API_TOKEN } from '../lab/server.mjs';
import { openDirectory, startHaProxyWith, write } from './gateways.mjs';
import { settingsOf } from './settings.mjs';

const SERVICE = 'https://user-groups.example.com';
const APPLICATION = 'http://127.0.0.1:9000';
const TOKEN = '${API_TOKEN}';

/**
 * The settings of docs/guides/gateways.md for nginx or Caddy.
 * @param lab the `port` of the gateway, its API token, and the addresses of the `service` and of the `application`
 */
export function forwardAuthSettings(name, { port, service, application, apiToken = API_TOKEN }) {
  return settingsOf(name, {
    ...(name.endsWith('nginx') && { 'listen 8080': `listen 127.0.0.1:${port}` }),
    [SERVICE]: service,
    [APPLICATION]: application,
    [TOKEN]: apiToken,
  });
}

/** Starts an HAProxy by the same page. @returns the process, and the path of its socket for commands */
export function startForwardingHaProxy({ port, service, application }) {
  const script = write('forward-auth.lua', settingsOf('forward-auth.lua', { [SERVICE]: service }));
  const admin = join(openDirectory(), 'admin.sock');
  const settings = settingsOf('forward-auth.haproxy', {
    '/etc/haproxy/forward-auth.lua': script,
    '/run/haproxy/admin.sock': admin,
    'bind :8080': `bind 127.0.0.1:${port}`,
    [new URL(APPLICATION).host]: new URL(application).host,
    // Certificates are not what is tried.
    'user-groups.example.com:443 ssl verify required ca-file @system-ca sni str(user-groups.example.com)':
      new URL(service).host,
  });
  return { child: startHaProxyWith(settings, { API_TOKEN }), admin };
}
