import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { createInterface } from 'node:readline';
import { clearTimeout, setTimeout } from 'node:timers';
import { fileURLToPath, URL } from 'node:url';

const ENTRY = fileURLToPath(new URL('../../../dist/src/main.js', import.meta.url));
/** Preloaded into a server whose calls wait as long as a busy machine needs. */
export const PATIENT_SERVER = fileURLToPath(new URL('patient-server.mjs', import.meta.url));
/** Preloaded into a renderer whose introspections wait as long. */
export const PATIENT_RENDERER = fileURLToPath(new URL('patient-renderer.mjs', import.meta.url));
const START_LIMIT_MS = 100_000;
const STOP_LIMIT_MS = 60_000;
const LINES_KEPT = 60;

export const API_TOKEN = 'a-bootstrap-token-for-the-durability-check';

/** Every server that has been started and has not ended. */
const running = new Set();
let refused = false;

/**
 * The built server as a process of its own, ready to serve.
 * @param entry the built server of another version, if it is not this one
 * @param isPatient whether calls wait for PostgreSQL and for each other as long as a busy machine needs. In the release
 *   check, where one step runs at a time, they never do
 */
export async function startServer({ dir, env, entry = ENTRY, isPatient = false }) {
  if (refused) throw new Error('interrupted');
  if (!existsSync(entry)) throw new Error('dist/src/main.js is missing; run "npm run build" first');
  const startedAt = performance.now();
  const server = new Server(entry, dir, env, isPatient);
  running.add(server);
  void server.ended.then(() => running.delete(server));
  await server.becomeReady();
  server.startedInMs = Math.round(performance.now() - startedAt);
  return server;
}

/** Kills every server; resolves when none of them runs. */
export async function endServers() {
  await Promise.all([...running].map((server) => server.kill()));
}

/** Does the same as `endServers`, without waiting, and no server starts any more. */
export function killServersNow() {
  refused = true;
  for (const { child } of running) child.kill('SIGKILL');
}

class Server {
  /** The address of the server; known once it is ready. */
  url;
  startedInMs;
  lastLines = [];
  /** The numbers of warnings and errors in the log, by their message. */
  complaints = {};

  constructor(entry, dir, env, isPatient) {
    // The directory has no .env file and the environment nothing but this, so that the server
    // cannot be led to another database.
    const isBusy = process.env.LONG_TESTS === undefined;
    const options = isPatient && isBusy ? ['--import', PATIENT_SERVER] : [];
    this.child = spawn(process.execPath, [...options, entry], {
      cwd: dir,
      env: { PATH: process.env.PATH, ...SETTINGS, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.ended = new Promise((resolve) => {
      this.child.once('close', resolve);
      this.child.once('error', resolve);
    });
    for (const stream of [this.child.stdout, this.child.stderr]) {
      createInterface({ input: stream }).on('line', (line) => this.read(line));
    }
  }

  async becomeReady() {
    const tooLate = setTimeout(() => this.child.kill('SIGKILL'), START_LIMIT_MS);
    await Promise.race([once(this.child, 'ready'), this.ended]);
    clearTimeout(tooLate);
    if (!this.url) throw new Error(`the server did not start:\n${this.lastLines.join('\n')}`);
  }

  get hasEnded() {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  /** Resolves when the process is gone; false if it was gone before. */
  async kill() {
    const killed = this.child.kill('SIGKILL');
    await this.ended;
    return killed && this.child.signalCode === 'SIGKILL';
  }

  /** Ends it as an operator does; resolves with its exit code, null if it had to be killed. */
  async stop() {
    this.child.kill('SIGTERM');
    const tooLate = setTimeout(() => this.child.kill('SIGKILL'), STOP_LIMIT_MS);
    await this.ended;
    clearTimeout(tooLate);
    return this.child.exitCode;
  }

  read(line) {
    this.lastLines = [...this.lastLines.slice(1 - LINES_KEPT), line];
    const [, msg] = /"level":"(?:warn|error|fatal)".*?"msg":"([^"]*)"/.exec(line) ?? [];
    if (msg !== undefined) this.complaints[msg] = (this.complaints[msg] ?? 0) + 1;
    if (this.url || !line.includes('"ready"')) return;
    this.url = JSON.parse(line).api;
    this.child.emit('ready');
  }
}

const SETTINGS = {
  HOST: '127.0.0.1',
  PORT: '0',
  METRICS_PORT: '0',
  RATE_LIMIT_PER_MINUTE: '0',
  LOG_LEVEL: 'info',
  LOG_FORMAT: 'json',
  BOOTSTRAP_API_TOKEN: API_TOKEN,
};
