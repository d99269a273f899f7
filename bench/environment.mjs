import { fork } from 'node:child_process';
import console from 'node:console';
import { once } from 'node:events';
import { connect } from 'node:net';
import { join, resolve } from 'node:path';
import { performance } from 'node:perf_hooks';
import { clearTimeout, setTimeout } from 'node:timers';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createPostgres, createSqlite } from '../test/system/lab/databases.mjs';
import { API_TOKEN } from '../test/system/lab/server.mjs';
import { keyList } from '../test/system/lab/keys.mjs';
import { freePort } from '../test/system/lab/ports.mjs';

const ROOT = join(import.meta.dirname, '..');
/** The system's temporary directory may be memory, where a flush to disk costs nothing. */
const DISK = join(ROOT, 'dist');
const START_MS = 30_000;
const START_STEP_MS = 2;
const STOP_MS = 10_000;

/** Databases, directories and processes of one run; after `close` nothing of them is left. */
export class Environment {
  #undo = [];
  #closing;
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

  /** Another one, which is closed with this one if it is not closed before. */
  part() {
    const part = new Environment(this.adminUrl);
    this.#undo.push(() => part.close());
    return part;
  }

  close() {
    return (this.#closing ??= this.#undoAll());
  }

  async #undoAll() {
    for (let undo; (undo = this.#undo.pop()) !== undefined;) {
      await undo().catch((error) => console.error(`bench: cleaning up: ${error.message}`));
    }
  }

  /**
   * A new, empty database, and the variables by which a server uses it.
   * @param kind `postgres` or `sqlite`
   */
  async createDatabase(kind) {
    const creating = kind === 'sqlite' ? createSqlite(DISK) : createPostgres(this.adminUrl);
    // Before it is there, so that an interruption finds it.
    this.#undo.push(async () => (await creating).drop());
    const database = await creating;
    database.env.TOKEN_ENCRYPTION_KEYS = keyList('k1');
    return database;
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

  /**
   * A process that serves on a port of its own, once it accepts connections.
   *
   * The access log is off: the bare server has none, and what a line costs depends on where the log
   * goes. With it the service would also not announce its port, so it is given a free one.
   * @param command options for Node, and a script
   */
  async startServer(command, env) {
    const port = await freePort();
    const begun = performance.now();
    const { pid, stop } = this.#start(command, {
      NODE_ENV: 'production',
      HOST: '127.0.0.1',
      PORT: String(port),
      METRICS_PORT: '0',
      RATE_LIMIT_PER_MINUTE: '0',
      LOG_LEVEL: 'warn',
      LOG_FORMAT: 'json',
      BOOTSTRAP_API_TOKEN: API_TOKEN,
      ...env,
    });
    await Promise.race([accepting(port, command), this.failure]);
    return { port, pid, begun, stop, apiToken: API_TOKEN };
  }

  /** Gives a function that runs one turn of load, see load.mjs; its turns do not overlap. */
  startLoad() {
    const { child } = this.#start(['bench/load.mjs'], {});
    return async (turn) => {
      const answered = once(child, 'message');
      child.send(turn);
      const [measured] = await Promise.race([answered, this.failure]);
      if (measured.error !== undefined) throw new Error(measured.error);
      return measured;
    };
  }

  /** With nothing of this process's environment, and of no .env file, that could change the figures. */
  #start(command, env) {
    const script = command.at(-1);
    const child = fork(resolve(ROOT, script), {
      execArgv: command.slice(0, -1),
      cwd: import.meta.dirname,
      env,
      // What a server has to say at this log level is a warning: it must not mix with the result.
      stdio: ['ignore', 2, 2, 'ipc'],
    });
    const exited = once(child, 'exit');
    const unexpected = () => this.abort(`${script} has ended.`);
    child.on('exit', unexpected);
    child.on('error', unexpected);
    const stop = async () => {
      child.off('exit', unexpected);
      child.kill();
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
      if (child.exitCode === null && child.signalCode === null) await exited;
      clearTimeout(timer);
    };
    this.#undo.push(stop);
    return { child, pid: child.pid, stop };
  }
}

async function accepting(port, command) {
  const deadline = Date.now() + START_MS;
  while (Date.now() < deadline) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return;
    } catch {
      await sleep(START_STEP_MS);
    } finally {
      socket.destroy();
    }
  }
  throw new Error(`${command.at(-1)} does not listen after ${START_MS / 1000} seconds.`);
}
