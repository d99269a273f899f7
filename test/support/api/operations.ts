import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');
const operations = ['backup-and-restore.md', 'postgresql.md']
  .map((name) => readFileSync(join(root, 'docs', 'operate', name), 'utf8'))
  .join('\n');
const STEP = /<!-- step: (.+) -->\n *```sh\n([\s\S]*?)\n *```/g;
const steps = new Map([...operations.matchAll(STEP)].map(([, name, code]) => [name!, code!]));

/** Runs a step of a page of docs/operate as it stands there; gives what it prints. */
export function follow(step: string, env: Record<string, string>): string {
  const code = steps.get(step);
  if (!code) throw new Error(`no page of docs/operate has a step "${step}"`);
  return execFileSync('sh', ['-euc', code], {
    cwd: root,
    encoding: 'utf8',
    stdio: 'pipe',
    // An empty variable counts as unset, and keeps a .env file from setting it.
    env: { PATH: process.env['PATH'], DATABASE_URL: '', TOKEN_ENCRYPTION_KEYS: '', ...env },
  });
}
