import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { run, start, temporaryDirectory } from '../lab/processes.mjs';
import { settingsOf } from './settings.mjs';

const SERVICE = 'https://user-groups.example.com';
const APPLICATION = 'http://127.0.0.1:9000';
const APACHE_MODULES = '/usr/lib/apache2/modules';
const NGINX_SCRIPTS = '/usr/lib/nginx/modules/ngx_http_js_module.so';

/** With the service's own `Retry-After`, for a limit of one a minute. */
const UNAVAILABLE = { status: 503, tellsWhen: true };

/**
 * Each starts a gateway or renderer on a port, by the settings of examples/gateways, as one process:
 * a parent process would start the child again after the end. `keepsSeconds` is how long it keeps a response, and
 * `whenLimited` is the response to a viewer while introspections are refused for a minute.
 */
export const gateways = {
  'Apache, HTTP Basic': {
    keepsSeconds: 5,
    whenLimited: { status: 401 },
    start: (lab) => startApache(lab),
  },
  'Apache, client_secret': {
    keepsSeconds: 5,
    whenLimited: { status: 401 },
    start: (lab) => startApache(lab, { client_secret_basic: 'client_secret_post' }),
  },
  'nginx, Bearer': { keepsSeconds: 0, whenLimited: UNAVAILABLE, start: startNginx },
  'Python, client_secret': {
    keepsSeconds: 0,
    whenLimited: UNAVAILABLE,
    start: (lab) => startPython(lab),
  },
  'Python, HTTP Basic': {
    keepsSeconds: 0,
    whenLimited: UNAVAILABLE,
    start: (lab) => startPython(lab, { '"client_secret_post"': '"client_secret_basic"' }),
  },
};

function startApache({ port, service, application, apiToken }, own = {}) {
  const settings = settingsOf('introspect.apache', {
    [SERVICE]: service,
    [APPLICATION]: application,
    ...own,
  });
  const modules = 'mpm_event authn_core authz_core authz_user proxy proxy_http auth_openidc';
  return startApacheWith(port, modules, settings, { API_TOKEN: apiToken });
}

/** Starts an Apache on a port of this machine with these modules and settings. */
export function startApacheWith(port, modules, settings, env = {}) {
  const lines = [
    `ServerRoot ${openDirectory()}`,
    'ServerName localhost',
    `Listen 127.0.0.1:${port}`,
    'PidFile apache.pid',
    'ErrorLog error.log',
    ...modules
      .split(' ')
      .map((name) => `LoadModule ${name}_module ${APACHE_MODULES}/mod_${name}.so`),
    ...(process.getuid() === 0 ? ['User www-data', 'Group www-data'] : []),
    settings,
  ];
  const file = write('apache.conf', lines.join('\n'));
  return start('apache2', ['-X', '-f', file], { env: { ...process.env, ...env } });
}

/** Starts a Caddy on a port of this machine with these settings of its site. */
export function startCaddyWith(port, settings) {
  return runCaddy(port, settings, 'off').child;
}

/** Does the same with an address for its commands. @returns the process, and the command that loads the settings again */
export function startReloadableCaddy(port, settings) {
  const admin = `unix/${join(openDirectory(), 'admin.sock')}`;
  const { child, env, file } = runCaddy(port, settings, admin);
  const reload = () =>
    run('caddy', ['reload', '--force', '--config', file, '--address', admin], { env });
  return { child, reload };
}

function runCaddy(port, settings, admin) {
  const site = `{\n\tadmin ${admin}\n\tauto_https off\n}\nhttp://:${port} {\n\tbind 127.0.0.1\n${settings}\n}\n`;
  const env = { ...process.env, XDG_DATA_HOME: openDirectory(), XDG_CONFIG_HOME: openDirectory() };
  const file = write('Caddyfile', site);
  return { child: start('caddy', ['run', '--config', file], { env }), env, file };
}

function startNginx({ port, service, application, apiToken }) {
  const script = write('user-groups.js', settingsOf('user-groups.js', {}));
  const settings = settingsOf('introspect.nginx', {
    'listen 8080': `listen 127.0.0.1:${port}`,
    'from user-groups.js': `from ${script}`,
    [SERVICE]: service,
    [APPLICATION]: application,
    '${API_TOKEN}': apiToken,
  });
  return startNginxWith(settings, [NGINX_SCRIPTS]);
}

/** Starts an nginx with these settings of its HTTP part, and these modules. @param main settings outside of it */
export function startNginxWith(settings, modules = [], main = 'master_process off;') {
  const directory = openDirectory();
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const file = write(
    'nginx.conf',
    `${modules.map((module) => `load_module ${module};`).join('\n')}
daemon off;
${main}
pid ${directory}/nginx.pid;
error_log stderr;
events {}
http {
  access_log off;
  ${paths.map((name) => `${name}_temp_path ${directory}/${name};`).join('\n  ')}
  ${settings}
}
`,
  );
  return start('nginx', ['-c', file]);
}

/** Starts an HAProxy with these settings, and these variables of its environment. */
export function startHaProxyWith(settings, env) {
  const file = write('haproxy.cfg', `${settings}\n`);
  return start('haproxy', ['-db', '-f', file], { env: { ...process.env, ...env } });
}

function startPython({ port, service, apiToken }, own = {}) {
  const script = write('dashboard.py', settingsOf('introspect.py', { [SERVICE]: service, ...own }));
  // Debian's own, which has the packages.
  return start('/usr/bin/python3', [script], {
    env: { ...process.env, API_TOKEN: apiToken, PORT: String(port) },
  });
}

/** Writes a file that programs can read. @returns its path */
export function write(name, text) {
  const file = join(openDirectory(), name);
  writeFileSync(file, text);
  return file;
}

/** Creates a directory that programs can read after they give up root. */
export function openDirectory() {
  const directory = temporaryDirectory();
  chmodSync(directory, 0o755);
  return directory;
}
