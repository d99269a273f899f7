import { chownSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { keyList } from './keys.mjs';
import { freePort } from './ports.mjs';
import { postgresPrograms, postgresUser } from './packages.mjs';
import { adopt, childrenOf } from './processes.mjs';
import { release, run, signal, start, temporaryDirectory } from './processes.mjs';

const ENCRYPTION_KEYS = keyList('k1');
const START_LIMIT_MS = 60_000;
const START_STEP_MS = 20;
/** The name of the service's own database, and of its role, which is no superuser. */
const NAME = 'user_groups';

/** A PostgreSQL of the script's own, on 127.0.0.1, with nobody else on it. */
export class Cluster {
  #child;
  #paused = [];

  constructor(directory, port) {
    this.directory = directory;
    this.port = port;
  }

  /** An empty one, running, with a database for the service. */
  static async create(settings = {}) {
    const cluster = await Cluster.#prepare();
    await cluster.#program('initdb', [
      '--auth=trust',
      '--username=postgres',
      '--encoding=UTF8',
      '--locale=C',
      '--no-sync',
      '-D',
      cluster.directory,
    ]);
    await cluster.start(settings);
    await cluster.administer(`CREATE ROLE ${NAME} LOGIN`);
    await cluster.administer(`CREATE DATABASE ${NAME} OWNER ${NAME}`);
    return cluster;
  }

  /** Creates a running standby that follows this primary; nothing waits for it yet. */
  async createStandby() {
    const standby = await Cluster.#prepare();
    await standby.#program('pg_basebackup', [
      '-h',
      '127.0.0.1',
      '-p',
      String(this.port),
      '-U',
      'postgres',
      '-D',
      standby.directory,
      '-R',
      '-X',
      'stream',
      '--checkpoint=fast',
      '--no-sync',
    ]);
    await standby.start();
    return standby;
  }

  static async #prepare() {
    const directory = join(temporaryDirectory(), 'data');
    const { uid, gid } = postgresUser();
    if (uid !== undefined) chownSync(join(directory, '..'), uid, gid);
    return new Cluster(directory, await freePort());
  }

  async #program(name, args) {
    await run(join(postgresPrograms(), name), args, { ...postgresUser(), cwd: '/' });
  }

  /** Resolves when it takes connections. @param settings as in postgresql.conf */
  async start(settings = {}) {
    const options = {
      listen_addresses: '127.0.0.1',
      port: this.port,
      unix_socket_directories: '',
      ...settings,
    };
    const args = Object.entries(options).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const deadline = performance.now() + START_LIMIT_MS;
    do {
      this.#child = start(join(postgresPrograms(), 'postgres'), ['-D', this.directory, ...args], {
        ...postgresUser(),
        cwd: '/',
      });
      while (this.#child.exitCode === null && this.#child.signalCode === null) {
        if (await this.#answers()) return;
        await sleep(START_STEP_MS);
      }
      // The last processes and the memory of a killed one are gone in a moment.
    } while (performance.now() < deadline);
    throw new Error(`PostgreSQL does not start: ${this.#child.said}`);
  }

  async #answers() {
    try {
      await this.administer('SELECT 1');
      return true;
    } catch {
      return false;
    }
  }

  /** Stops like `pg_ctl stop -m fast`: transactions are rolled back and connections closed. */
  async stop() {
    this.#child.kill('SIGINT');
    await this.#child.ended;
  }

  /** Ends like a crash of the machine, but the operating system still writes its data to the disk. */
  async kill() {
    const all = [this.#child.pid, ...childrenOf(this.#child.pid)];
    for (const pid of all) signal(pid, 'SIGKILL');
    await this.#child.ended;
  }

  /** Only the first process; the others notice, and end by themselves. */
  async killPostmaster() {
    this.#child.kill('SIGKILL');
    await this.#child.ended;
  }

  /** Every process stands still; connections stay open and silent. */
  pause() {
    signal(this.#child.pid, 'SIGSTOP');
    this.#paused = [...childrenOf(this.#child.pid), this.#child.pid];
    for (const pid of this.#paused) {
      adopt(pid);
      signal(pid, 'SIGSTOP');
    }
  }

  resume() {
    for (const pid of this.#paused) {
      signal(pid, 'SIGCONT');
      release(pid);
    }
  }

  /** The variables that a service needs to use it, through another port if there is one in between. */
  serviceEnv(port = this.port) {
    const DATABASE_URL = `postgres://${NAME}@127.0.0.1:${port}/${NAME}`;
    return { DATABASE_URL, TOKEN_ENCRYPTION_KEYS: ENCRYPTION_KEYS };
  }

  /** One statement as superuser, past the service, in a database of the cluster. */
  async administer(sql, { values, database = 'postgres' } = {}) {
    const client = await this.connect(database);
    try {
      return (await client.query(sql, values)).rows;
    } finally {
      await client.end().catch(() => undefined);
    }
  }

  /** A connection of a superuser, for a statement after the other. */
  async connect(database = NAME) {
    const connectionString = `postgres://postgres@127.0.0.1:${this.port}/${database}`;
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 5000 });
    // Without a listener a connection that breaks later would end the script.
    client.on('error', () => undefined);
    await client.connect();
    return client;
  }

  /** The database of the service, as `verify` of scripts/durability reads it. */
  get ledger() {
    return {
      query: (sql, values) => this.administer(sql, { values, database: NAME }),
      damage: async () => [],
    };
  }
}
