import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import process from 'node:process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath, URL } from 'node:url';

const HOST = fileURLToPath(new URL('./warm-process.mjs', import.meta.url));
const DIST = new URL('../../dist/src/', import.meta.url);
const IDLE_LIMIT_MS = 2000;

/** What a run writes stands between these, which no script writes. */
export const BEGIN = '\ue000';
export const END = '\ue001';

/** Those that wait for their next run. */
const idle = [];

/**
 * Runs a built script to its end in a process that has run others before.
 * @param {string} script such as `cli.js`
 * @param {Record<string, string>} env
 * @param {string[]} args
 * @returns {Promise<{ code: number | null, stdout: string, stderr: string }>}
 */
export async function runWarm(script, env, args) {
  const host = idle.pop() ?? new Host();
  const run = { script: fileURLToPath(new URL(script, DIST)), args, env };
  const finished = await host.run(run);
  if (await host.becomesIdle()) idle.push(host);
  else host.child.kill('SIGKILL');
  return finished;
}

class Host {
  constructor() {
    this.child = spawn(process.execPath, [HOST], {
      cwd: tmpdir(),
      env: { PATH: process.env.PATH },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    this.ended = once(this.child, 'close').then(([code]) => ({ code }));
    const { channel, stdout, stderr } = this.child;
    // It must not keep the test runner.
    for (const handle of [this.child, channel, stdout, stderr]) handle.unref();
  }

  async run(run) {
    this.finished = this.#message('code');
    this.idle = this.#message('idle');
    const output = Promise.all([this.child.stdout, this.child.stderr].map(readRun));
    this.child.send(run);
    const { code } = await Promise.race([this.finished, this.ended]);
    const [stdout, stderr] = await output;
    return { code, stdout, stderr };
  }

  /** Whether nothing of the last run goes on. */
  async becomesIdle() {
    const { idle } = await Promise.race([
      this.idle,
      this.ended,
      sleep(IDLE_LIMIT_MS, {}, { ref: false }),
    ]);
    return idle === true;
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

/** What a run writes on this stream, to its end or that of the process. */
function readRun(stream) {
  return new Promise((resolve) => {
    let text = '';
    const finish = () => {
      stream.off('data', read).off('end', finish);
      resolve(text.split(BEGIN)[1]?.split(END)[0] ?? '');
    };
    const read = (chunk) => {
      text += chunk;
      if (text.includes(END)) finish();
    };
    stream.setEncoding('utf8').on('data', read).on('end', finish);
  });
}
