import { fork } from 'node:child_process';
import console from 'node:console';
import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import { URL } from 'node:url';
import pg from 'pg';

const ROOT = join(import.meta.dirname, '..');
const START_MS = 30_000;
const STOP_MS = 10_000;
const API_TOKEN = 'an-api-token-for-the-benchmark-only';

/** Databases, directories and processes of one run; after `close` nothing of them is left. */
export class Environment {
  /** Each is pushed before what it undoes exists, so that an interruption finds it. */
  #undo = [];
  #fail;

  /** Rejects when a process ends that should not, or `abort` is called; never resolves. */
  failure = new Promise((_resolve, reject) => {
    this.#fail = reject;
  });

  /** @param adminUrl a PostgreSQL database whose user may create others */
  constructor(adminUrl) {
    this.adminUrl = adminUrl;
    // Whoever waits for it hears of it; when nobody does, it must not end the process.
    this.failure.catch(() => undefined);
  }

  abort(reason) {
    this.#fail(new Error(reason));
  }

  async close() {
    for (let undo; (undo = this.#undo.pop()) !== undefined;) {
      await undo().catch((error) => console.error(`bench: cleaning up: ${error.message}`));
    }
  }

  /** The URL of a new, empty database. */
  async createDatabase(purpose) {
    const name = `user_groups_bench_${purpose}_${randomUUID().replaceAll('-', '')}`;
    const creating = this.query(`CREATE DATABASE ${name}`);
    this.#undo.push(async () => {
      await creating.catch(() => undefined);
      await this.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    });
    await creating;
    const url = new URL(this.adminUrl);
    url.pathname = `/${name}`;
    return url.href;
  }

  /** Not in the system's temporary directory: that may be memory, where a flush to disk costs nothing. */
  createDirectory() {
    const directory = mkdtempSync(join(ROOT, 'dist', 'bench-'));
    this.#undo.push(async () => rmSync(directory, { recursive: true, force: true }));
    return directory;
  }

  async query(sql) {
    const client = new pg.Client({ connectionString: this.adminUrl });
    await client.connect();
    try {
      return (await client.query(sql)).rows;
    } finally {
      await client.end();
    }
  }

  startService(env) {
    return this.#startServer('dist/src/main.js', env);
  }

  startLimitServer(env) {
    return this.#startServer('bench/limit-server.mjs', env);
  }

  startTextbookServer(env) {
    return this.#startServer('dist/bench/textbook/main.js', env);
  }

  /**
   * The access log is off: the limit server has none, and what a line costs depends on where the log
   * goes. With it the service would also not announce its port, so it is given a free one.
   */
  async #startServer(script, env) {
    const port = await freePort();
    const begun = performance.now();
    const child = this.#start(script, {
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_PORT: '0',
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
      BOOTSTRAP_API_TOKEN: API_TOKEN,
      TOKEN_ENCRYPTION_KEYS: `k1:${randomBytes(32).toString('base64')}`,
      ...env,
    });
    await Promise.race([accepting(port, script), this.failure]);
    const startMilliseconds = performance.now() - begun;
    return { port, pid: child.pid, apiToken: API_TOKEN, startMilliseconds };
  }

  /** Runs one turn of load, see load.mjs; turns do not overlap. */
  startLoad() {
    const child = this.#start('bench/load.mjs', {});
    return async (turn) => {
      const answered = once(child, 'message');
      child.send(turn);
      const [measured] = await Promise.race([answered, this.failure]);
      if (measured.error !== undefined) throw new Error(measured.error);
      return measured;
    };
  }

  /** With nothing of this process's environment, and of no .env file, that could change the figures. */
  #start(script, env) {
    const child = fork(join(ROOT, script), {
      cwd: import.meta.dirname,
      env,
      // What a server has to say at this log level is a warning: it must not mix with the result.
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    const exited = once(child, 'exit');
    const unexpected = () => this.abort(`${script} has ended.`);
    child.on('exit', unexpected);
    child.on('error', unexpected);
    this.#undo.push(async () => {
      child.off('exit', unexpected);
      child.kill();
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      if (child.exitCode === null && child.signalCode === null) await exited;
      clearTimeout(timer);
    });
    return child;
  }
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

async function accepting(port, script) {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await sleep(5);
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`${script} does not listen after ${START_MS / 1000} seconds.`);
}
