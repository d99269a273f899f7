// Runs commands and servers of dist in processes that have run others before, because to load their modules takes
// about a second. `warm-process.mjs` is the other side.
//
// 1. `spawnWarmProcess` takes an idle host, or starts one, and sends it the script, its arguments and its variables.
// 2. The host imports the script under a new query, so that it runs again, while its imports stay loaded.
// 3. The output of a run stands between BEGIN and END on both streams. The test gets that part alone, so that
//    nothing of one run shows in another.
// 4. A run is over when nothing keeps the event loop, or at `process.exit`, which throws in place of ending the process.
//    The host sends `code`, closes databases, servers, sockets, timers and handlers of signals, and sends `idle`.
// 5. A host that is not idle in time, holds a database or was ended by a signal gets no other run.
//
// `warm-process.mjs` lists the differences to a process of one's own, which `runBuilt` and `startOwnServer` start.
import { Buffer } from 'node:buffer';
import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { tmpdir } from 'node:os';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, URL } from 'node:url';

const HOST = fileURLToPath(new URL('./warm-process.mjs', import.meta.url));
const DIST = new URL('../../../dist/src/', import.meta.url);
const IDLE_LIMIT_MS = 2000;

/** The marks before and after the output of a run, which no script writes. */
export const BEGIN = '\ue000';
export const END = '\ue001';

/** The hosts that wait for their next run. */
const idle = [];

/**
 * Runs a built script in a process that may have run others before.
 * @param {string} script such as `cli.js`
 * @param {Record<string, string>} env
 * @param {string[]} args
 */
export function spawnWarmProcess(script, env, args) {
  const host = idle.pop() ?? new Host();
  const run = new WarmProcess(host.child);
  // In the release check, where one step runs at a time, a server has its own limits.
  const isPatient = script === 'main.js' && process.env.LONG_TESTS === undefined;
  void host.run({ script: fileURLToPath(new URL(script, DIST)), args, env, isPatient }, run);
  return run;
}

/** One run, with the part of a `ChildProcess` that the tests use. A signal that ends it ends its host. */
class WarmProcess extends EventEmitter {
  stdout = new EventEmitter();
  stderr = new EventEmitter();
  exitCode = null;
  signalCode = null;
  #child;

  constructor(child) {
    super();
    this.#child = child;
    this.pid = child.pid;
  }

  kill(signal) {
    // Its host may be another's by now.
    return this.exitCode === null && this.signalCode === null && this.#child.kill(signal);
  }

  /** Once nothing of it goes on. */
  end(code, signal) {
    this.exitCode = code;
    this.signalCode = signal;
    this.emit('exit', code, signal);
    this.emit('close', code, signal);
  }
}

class Host {
  constructor() {
    this.child = spawn(process.execPath, [HOST], {
      cwd: tmpdir(),
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.ended = once(this.child, 'close').then(([code, signal]) => ({ code, signal }));
    const { channel, stdout, stderr } = this.child;
    // It must not keep the test runner.
    for (const handle of [this.child, channel, stdout, stderr]) handle.unref();
  }

  async run(message, run) {
    const finished = this.#message('code');
    const becameIdle = this.#message('idle');
    const output = Promise.all([
      passRun(this.child.stdout, run.stdout),
      passRun(this.child.stderr, run.stderr),
    ]);
    this.child.send(message);
    const { code, signal = null } = await Promise.race([finished, this.ended]);
    await output;
    const limit = sleep(IDLE_LIMIT_MS, {}, { ref: false });
    if ((await Promise.race([becameIdle, this.ended, limit])).idle) idle.push(this);
    else {
      this.child.kill('SIGKILL');
      await this.ended;
    }
    run.end(code, signal);
  }

  /** The next message with this member. */
  #message(member) {
    return new Promise((resolve) => {
      const receive = (message) => {
        if (!(member in message)) return;
        this.child.off('message', receive);
        resolve(message);
      };
      this.child.on('message', receive);
    });
  }
}

/** Hands on what a run writes on this stream, until its end or that of the process. */
function passRun(from, to) {
  return new Promise((resolve) => {
    let hasBegun = false;
    const finish = () => {
      from.off('data', pass).off('end', finish);
      resolve();
    };
    const pass = (chunk) => {
      let text = chunk;
      if (!hasBegun) {
        if (!text.includes(BEGIN)) return;
        hasBegun = true;
        text = text.split(BEGIN)[1];
      }
      const [written, ...rest] = text.split(END);
      if (written !== '') to.emit('data', Buffer.from(written));
      if (rest.length > 0) finish();
    };
    from.setEncoding('utf8').on('data', pass).on('end', finish);
  });
}
