import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..', '..', '..', 'clients', 'embed');
const PRINT = `import { minifiedEmbed } from './build.mjs'; process.stdout.write(await minifiedEmbed());`;

/** The helper of pages as its package has it. The build is an ES module, and runs in a process of its own. */
export function minifiedHelper(): string {
  const args = ['--input-type=module', '--eval', PRINT];
  return execFileSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
}
