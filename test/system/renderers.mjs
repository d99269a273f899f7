import process from 'node:process';
import { requirePrograms } from './lab/packages.mjs';
import { runSteps } from './lab/report.mjs';
import { forwarders, forwards } from './renderers/forwards.mjs';
import { gateways } from './renderers/gateways.mjs';
import { passesPaths } from './renderers/passes-paths.mjs';
import { protects } from './renderers/protects.mjs';
import { proxies } from './renderers/proxies.mjs';
import { offlineVerifiers, verifiesOffline } from './renderers/verifies-offline.mjs';

// Shows that renderers that are not of this project understand introspection: each file of
// examples/gateways that introspects is run as it stands there, before a small dashboard page.
// A valid token opens the page, which is told whose it is; an unknown, a rotated and a suspended one
// do not, within the time for which the gateway keeps an answer. Verifiers of embed tokens take those of their workspace.
// The gateways of docs/guides/gateways.md let in whom the service says, and nothing that a viewer forges.
// Then the proxies of docs/operate/behind-a-proxy.md: each call reaches the user group that its path names, and no other.
//
//   node test/system/renderers.mjs
//
// It needs Debian's HAProxy, Caddy, Apache with mod_auth_openidc, nginx with njs, openssl, and Python with Authlib and PyJWT,
// which it installs as root.

const PROGRAMS = {
  apache2: 'apache2',
  caddy: 'caddy',
  '/usr/lib/apache2/modules/mod_auth_openidc.so': 'libapache2-mod-auth-openidc',
  haproxy: 'haproxy',
  nginx: 'nginx',
  '/usr/lib/nginx/modules/ngx_http_js_module.so': 'libnginx-mod-http-js',
  '/usr/bin/python3': 'python3',
  openssl: 'openssl',
  '/usr/lib/python3/dist-packages/authlib': 'python3-authlib',
  '/usr/lib/python3/dist-packages/jwt': 'python3-jwt',
  '/usr/lib/python3/dist-packages/requests': 'python3-requests',
};

async function main() {
  requirePrograms(PROGRAMS);
  const steps = [
    ...Object.entries(gateways).map(([name, gateway]) => [name, () => protects(gateway)]),
    ...Object.entries(offlineVerifiers).map(([name, verdictsOf]) => [
      name,
      () => verifiesOffline(verdictsOf),
    ]),
    ...Object.entries(forwarders).map(([name, gateway]) => [name, () => forwards(gateway)]),
    ...Object.entries(proxies).map(([name, proxy]) => [name, () => passesPaths(proxy)]),
  ];
  await runSteps(Object.fromEntries(steps));
}

main().catch((error) => {
  process.stderr.write(`renderers: ${error.message}\n`);
  process.exitCode = 1;
});
