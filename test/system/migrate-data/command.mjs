import { spawn } from 'node:child_process';
import { performance } from 'node:perf_hooks';
import process from 'node:process';
import { clearInterval, setInterval } from 'node:timers';
import { fileURLToPath, URL } from 'node:url';
import { peakMemory } from '../import/bulk.mjs';

const ENTRY = fileURLToPath(new URL('../../../dist/src/cli.js', import.meta.url));
const LOOK_EVERY_MS = 20;

let running;
let interrupted = false;

/**
 * Runs the built command line to its end; rejects if it did not end well.
 * @returns its output, its seconds, and its peak of memory in mebibytes
 */
export async function runMeasured({ dir, env }, ...args) {
  if (interrupted) throw new Error('interrupted');
  const started = performance.now();
  const child = spawn(process.execPath, [ENTRY, ...args], {
    cwd: dir,
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running = child;
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text));
  let peak = 0;
  const looking = setInterval(() => {
    try {
      peak = Math.max(peak, peakMemory(child.pid) / 1024);
    } catch {
      // It has ended, and its figures with it.
    }
  }, LOOK_EVERY_MS);
  try {
    const code = await new Promise((resolve, reject) => {
      child.once('close', resolve);
      child.once('error', reject);
    });
    if (code !== 0) throw new Error(`${args.join(' ')} ended with ${code}:\n${output}`);
  } finally {
    clearInterval(looking);
  }
  return { output, seconds: (performance.now() - started) / 1000, peak };
}

/** Ends the command that runs, and lets no other begin. */
export function interrupt() {
  interrupted = true;
  running?.kill('SIGKILL');
}
