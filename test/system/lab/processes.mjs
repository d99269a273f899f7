import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { endServers, killServersNow } from './server.mjs';

// The processes and directories of a script, so that none of them is left, however the script ends.

const running = new Set();
const pids = new Set();
const directories = new Set();
let refused = false;

/** Runs a program in the background; what it says last is in `child.said`. */
export function start(command, args, options = {}) {
  if (refused) throw new Error('interrupted');
  // A group of its own: Ctrl-C is for the script, which ends its programs in order.
  const child = spawn(command, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
    ...options,
  });
  child.said = '';
  const keep = (chunk) => (child.said = (child.said + chunk).slice(-2000));
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.on('error', keep);
  running.add(child);
  child.ended = once(child, 'close').then(() => running.delete(child));
  return child;
}

/** Runs a program to its end. @throws Error with what it said if it fails */
export async function run(command, args, options) {
  const child = start(command, args, options);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${command} ended with ${code}: ${child.said.trim()}`);
}

/** From now on this process, which is not a child of the script, is killed with it. */
export function adopt(pid) {
  pids.add(pid);
}

export function release(pid) {
  pids.delete(pid);
}

/** A directory that is removed at the end. */
export function temporaryDirectory() {
  const directory = mkdtempSync(join(tmpdir(), 'user-groups-lab-'));
  directories.add(directory);
  return directory;
}

/** The processes whose parent this is. */
export function childrenOf(parent) {
  const { stdout } = spawnSync('ps', ['-o', 'pid=', '--ppid', String(parent)], {
    encoding: 'utf8',
  });
  return stdout.split('\n').filter(Boolean).map(Number);
}

/** Ends and removes everything; resolves when nothing of it runs. */
export async function cleanUp() {
  await endServers();
  endNow();
  await Promise.all([...running].map((child) => child.ended));
  for (const directory of directories) removeDirectory(directory);
}

/** Does the same as `cleanUp`, without waiting; nothing starts any more. */
export function cleanUpNow() {
  refused = true;
  killServersNow();
  endNow();
  for (const directory of directories) removeDirectory(directory);
}

function endNow() {
  for (const pid of pids) signal(pid, 'SIGKILL');
  for (const child of running) {
    const others = childrenOf(child.pid);
    // All of the group at once: a parent starts a child again that ends before it.
    if (child.pid !== undefined) signal(-child.pid, 'SIGKILL');
    for (const pid of others) signal(pid, 'SIGKILL');
    child.kill('SIGKILL');
  }
}

/** A process that is gone already needs no signal. */
export function signal(pid, name) {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (error.code !== 'ESRCH') throw error;
  }
}

/** A process that is just ending may still write into it. */
function removeDirectory(directory) {
  rmSync(directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
}
