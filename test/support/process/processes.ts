import { type ChildProcess, type ChildProcessByStdio, spawn } from 'node:child_process';
import { type EventEmitter, once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { ApiClient } from '../api/api-client.ts';
import { noteLog, noteTokens } from '../jest/leaks.ts';

/** A process, or a run in one that has run others. */
type Spawned = Pick<ChildProcess, 'pid' | 'exitCode' | 'signalCode' | 'kill'> &
  EventEmitter & { stdout: EventEmitter; stderr: EventEmitter };

const children = new Set<Spawned>();

// A test that fails before it stops its server would keep the test runner waiting.
afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

const STOP_LIMIT_MS = 50_000;

const root = join(import.meta.dirname, '..', '..', '..');
export const BOOTSTRAP_TOKEN = 'a-bootstrap-token-for-the-tests-only';

export interface Finished {
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface RunningServer {
  api: ApiClient;
  apiOf: (apiToken: string) => ApiClient;
  baseUrl: string;
  process: Spawned;
  /** The text that it has written so far, to both streams. */
  output: () => string;
  /** Sends the signal and waits for the end. */
  stop: (signal?: NodeJS.Signals) => Promise<number | null>;
}

/**
 * The built server once it says that it is ready, in a process that may have run others. Each signal
 * goes to that process.
 */
export function startServer(env: Record<string, string>): Promise<RunningServer> {
  return start(spawnWarm, env);
}

/** The built server as an operator starts it, in a process of its own: for what such a process loads, costs and leaves, and how it ends. */
export function startOwnServer(env: Record<string, string>): Promise<RunningServer> {
  return start(spawnBuilt, env);
}

async function start(
  spawnServer: (script: Script, env: Record<string, string>) => Spawned,
  env: Record<string, string>,
): Promise<RunningServer> {
  const child = spawnServer('main.js', {
    PORT: '0',
    METRICS_PORT: '0',
    // Examples name hosts of others; a test that sends says so.
    WEBHOOK_DELIVERY: 'off',
    RATE_LIMIT_PER_MINUTE: '0',
    AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE: '0',
    BOOTSTRAP_API_TOKEN: BOOTSTRAP_TOKEN,
    ...env,
  });
  let output = '';
  const collect = (chunk: Buffer) => {
    noteLog(chunk);
    output += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  const baseUrl = await new Promise<string>((resolve, reject) => {
    child.stdout.on('data', () => {
      const ready = /"msg":"ready","api":"([^"]+)\/api\/user"/.exec(output);
      if (ready) resolve(ready[1]!);
    });
    child.on('exit', (code) => {
      reject(new Error(`the server ended with ${code} before it was ready:\n${output}`));
    });
  });
  return {
    api: new ApiClient(baseUrl, env['BOOTSTRAP_API_TOKEN'] ?? BOOTSTRAP_TOKEN),
    apiOf: (apiToken) => new ApiClient(baseUrl, apiToken),
    baseUrl,
    process: child,
    output: () => output,
    stop: async (signal = 'SIGTERM') => {
      if (child.exitCode !== null || child.signalCode !== null) return child.exitCode;
      // Its last lines come after its end.
      const closed = once(child, 'close');
      child.kill(signal);
      // A server that does not end must fail the test, not hold up the runner.
      const limit = setTimeout(() => child.kill('SIGKILL'), STOP_LIMIT_MS);
      const [code] = (await closed) as [number | null];
      clearTimeout(limit);
      return code;
    },
  };
}

type Script = 'main.js' | 'cli.js';

/** Runs the built server or command line, as a process of its own, until it ends by itself. */
export function runBuilt(
  script: Script,
  env: Record<string, string>,
  ...args: string[]
): Promise<Finished> {
  return finish(script, spawnBuilt(script, env, ...args));
}

/** Runs a command in a process that may have run others: for what it does, where a process of its own adds nothing. */
export function runCli(env: Record<string, string>, ...args: string[]): Promise<Finished> {
  return runWarm('cli.js', env, ...args);
}

/** Does the same as `runBuilt`, without the time that a process needs to load its modules. */
export function runWarm(
  script: Script,
  env: Record<string, string>,
  ...args: string[]
): Promise<Finished> {
  return finish(script, spawnWarm(script, env, ...args));
}

async function finish(script: Script, child: Spawned): Promise<Finished> {
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  noteTokens(stdout);
  noteLog(script === 'cli.js' ? stderr : stdout + stderr);
  return { code, stdout, stderr };
}

/** The process at once. Only the variables that are given, so that the tests do not depend on the environment they run in. */
export function spawnBuilt(
  script: Script,
  env: Record<string, string>,
  ...args: string[]
): ChildProcessByStdio<null, Readable, Readable> {
  const child = spawn(process.execPath, [join(root, 'dist', 'src', script), ...args], {
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  return watched(child);
}

/** Variables that the runtime reads when a process starts, and never again. */
const READ_AT_START = /^(?:NODE_|UV_|SSL_CERT_|OPENSSL_|TZ$|LANG$|LC_)/;

/** Does the same as `spawnBuilt`, in a process that may have run others. */
function spawnWarm(script: Script, env: Record<string, string>, ...args: string[]): Spawned {
  const early = Object.keys(env).find((name) => READ_AT_START.test(name));
  if (early !== undefined) throw new Error(`${early} counts only in a process of its own`);
  return watched(spawnWarmProcess(script, { PATH: process.env['PATH']!, ...env }, args));
}

/** The test environment defines it. */
declare function spawnWarmProcess(
  script: Script,
  env: Record<string, string>,
  args: string[],
): Spawned;

function watched<Child extends Spawned>(child: Child): Child {
  children.add(child);
  child.on('exit', () => children.delete(child));
  return child;
}
