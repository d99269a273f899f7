import { execFile } from 'node:child_process';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';
import { promisify } from 'node:util';

const ENTRY = fileURLToPath(new URL('../../../dist/src/cli.js', import.meta.url));

/** Runs the built command line to its end; gives what it printed, rejects if it did not end well. */
export async function runCli({ dir, env }, ...args) {
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [ENTRY, ...args], {
    cwd: dir,
    env: { PATH: process.env.PATH, ...env },
  });
  return stdout + stderr;
}
