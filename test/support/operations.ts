import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..');
const operations = readFileSync(join(root, 'docs', 'operations.md'), 'utf8');
const STEP = /<!-- step: (.+) -->\n *```sh\n([\s\S]*?)\n *```/g;
const steps = new Map([...operations.matchAll(STEP)].map(([, name, code]) => [name!, code!]));

/** Runs a step of docs/operations.md as it stands there; gives what it prints. */
export function follow(step: string, env: Record<string, string>): string {
  const code = steps.get(step);
  if (!code) throw new Error(`docs/operations.md has no step "${step}"`);
  return execFileSync('sh', ['-euc', code], {
    cwd: root,
    encoding: 'utf8',
    stdio: 'pipe',
    // An empty variable counts as unset, and keeps a .env file from setting it.
    env: { PATH: process.env['PATH'], DATABASE_URL: '', TOKEN_ENCRYPTION_KEYS: '', ...env },
  });
}
