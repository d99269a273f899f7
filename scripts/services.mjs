// Starts the PostgreSQL and the Redis of the tests, and installs what else the tests use from Debian where it is missing.
//
//   eval "$(npm run --silent services)"     tells the tests of this shell about them
//   npm run services -- stop
//
// Each checkout has servers of its own on ports of 127.0.0.1, which share no limit with anything else on the machine.
// They hold nothing that outlives them: a cluster that does not run is created again.
import { spawnSync } from 'node:child_process';
import console from 'node:console';
import { createHash } from 'node:crypto';
import {
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { postgresPrograms, postgresUser, requirePrograms } from '../test/system/lab/packages.mjs';
import { accepts, freePort } from '../test/system/lab/ports.mjs';

/** The Debian package of each program, or of each file of a package, that some test uses. */
const PROGRAMS = {
  '/usr/lib/postgresql': 'postgresql',
  'redis-server': 'redis-server',
  '/usr/sbin/pgbouncer': 'pgbouncer',
  '/usr/sbin/haproxy': 'haproxy',
  '/usr/sbin/mariadbd': 'mariadb-server',
  '/usr/sbin/nginx': 'nginx',
  '/usr/lib/nginx/modules/ngx_http_js_module.so': 'libnginx-mod-http-js',
  '/usr/sbin/apache2': 'apache2',
  '/usr/lib/apache2/modules/mod_auth_openidc.so': 'libapache2-mod-auth-openidc',
  caddy: 'caddy',
  '/usr/bin/chromium-headless-shell': 'chromium-headless-shell',
  curl: 'curl',
  'g++': 'g++',
  make: 'make',
  ps: 'procps',
  '/usr/bin/python3': 'python3',
  '/usr/lib/python3/dist-packages/authlib': 'python3-authlib',
  '/usr/lib/python3/dist-packages/requests': 'python3-requests',
  '/usr/lib/python3/dist-packages/pip': 'python3-pip',
  '/usr/lib/python3/dist-packages/setuptools': 'python3-setuptools',
  '/usr/lib/python3/dist-packages/wheel': 'python3-wheel',
  '/usr/lib/python3/dist-packages/jinja2': 'python3-jinja2',
  '/usr/lib/python3/dist-packages/sqlalchemy': 'python3-sqlalchemy',
  '/usr/lib/python3/dist-packages/psycopg': 'python3-psycopg',
  '/usr/lib/python3/dist-packages/mypy': 'mypy',
  '/usr/lib/python3/dist-packages/mypy/typeshed/stdlib': 'python3-typeshed',
};

/** Enough for several runs of the tests at once. Tests end processes, never this server: nothing waits for a disk. */
const POSTGRES_SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 400,
  fsync: 'off',
  full_page_writes: 'off',
};

const checkout = createHash('sha256')
  .update(join(import.meta.dirname, '..'))
  .digest('hex')
  .slice(0, 12);
const MEMORY = '/dev/shm';
const DISK = '/var/tmp';
const ROOM_BYTES = 8 * 1024 ** 3;

const name = `user-group-service-${checkout}`;
const directory = join(parentOf(name), name);
const data = join(directory, 'postgres');
const ports = join(directory, 'ports.json');

/** Memory with plenty of room: a disk is slow to create the files of a database after those of others were removed. */
function parentOf(name) {
  if (!existsSync(MEMORY)) return DISK;
  const { bsize, bavail } = statfsSync(MEMORY);
  return existsSync(join(MEMORY, name)) || bsize * bavail >= ROOM_BYTES ? MEMORY : DISK;
}

async function start() {
  requirePrograms(PROGRAMS);
  const { postgres, redis } = (await readRunning()) ?? (await startServers());
  console.log(`export TEST_DATABASE_URL=postgres://postgres@127.0.0.1:${postgres}/postgres`);
  console.log(`export TEST_REDIS_URL=redis://127.0.0.1:${redis}`);
  console.log('export PYTHON=/usr/bin/python3');
}

/** The ports of the servers, if both run. */
async function readRunning() {
  if (!existsSync(ports)) return undefined;
  const found = JSON.parse(readFileSync(ports, 'utf8'));
  const status = spawnSync(
    join(postgresPrograms(), 'pg_ctl'),
    ['status', '-D', data],
    inDirectory(),
  );
  return status.status === 0 && (await accepts(found.redis)) ? found : undefined;
}

async function startServers() {
  stop();
  mkdirSync(directory, { recursive: true });
  const { uid, gid } = postgresUser();
  if (uid !== undefined) chownSync(directory, uid, gid);
  const program = (name, ...args) => run(join(postgresPrograms(), name), args, inDirectory());
  program(
    'initdb',
    '--auth=trust',
    '--username=postgres',
    '--encoding=UTF8',
    '--locale=C',
    '--no-sync',
    '-D',
    data,
  );
  const started = { postgres: await freePort(), redis: await freePort() };
  const settings = Object.entries({ port: started.postgres, ...POSTGRES_SETTINGS });
  const options = settings.map(([name, value]) => `-c ${name}='${value}'`).join(' ');
  program(
    'pg_ctl',
    'start',
    '--wait',
    '-D',
    data,
    '-l',
    join(directory, 'postgres.log'),
    '-o',
    options,
  );
  run('redis-server', [
    '--daemonize',
    'yes',
    '--bind',
    '127.0.0.1',
    '--port',
    String(started.redis),
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    directory,
    '--pidfile',
    join(directory, 'redis.pid'),
  ]);
  writeFileSync(ports, JSON.stringify(started));
  return started;
}

function stop() {
  if (!existsSync(directory)) return;
  const redis = join(directory, 'redis.pid');
  if (existsSync(redis)) spawnSync('kill', [readFileSync(redis, 'utf8').trim()]);
  spawnSync(
    join(postgresPrograms(), 'pg_ctl'),
    ['stop', '-m', 'immediate', '-D', data],
    inDirectory(),
  );
  rmSync(directory, { recursive: true, force: true });
}

function inDirectory() {
  return { ...postgresUser(), cwd: directory };
}

function run(program, args, options) {
  // A server keeps the streams that it is given: it gets none of this process.
  const { status, error } = spawnSync(program, args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    ...options,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${program} ended with ${status}`);
}

try {
  if (process.argv[2] === 'stop') stop();
  else await start();
} catch (error) {
  console.error(`services: ${error.message}`);
  process.exitCode = 1;
}
