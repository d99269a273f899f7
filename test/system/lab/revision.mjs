import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import { run, temporaryDirectory } from './processes.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Builds another revision of the service from the history, with the packages of this one, which
 * include its own. Gives its directory, which is temporary; the server is in dist/src/main.js.
 */
export async function buildRevision(revision) {
  const directory = temporaryDirectory();
  const archive = join(directory, 'revision.tar');
  await run('git', ['-C', ROOT, 'archive', '--output', archive, revision]);
  await run('tar', ['-xf', archive, '-C', directory]);
  symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  await run(join(ROOT, 'node_modules/.bin/nest'), ['build'], { cwd: directory });
  return directory;
}
