import { readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import { run, temporaryDirectory } from './processes.mjs';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));

/**
 * Builds another revision of the service from the history. It shares the packages of this one if both lock the same, and
 * installs its own otherwise. Returns its directory, which is temporary; the server is in dist/src/main.js.
 */
export async function buildRevision(revision) {
  const directory = temporaryDirectory();
  const archive = join(directory, 'revision.tar');
  await run('git', ['-C', ROOT, 'archive', '--output', archive, revision]);
  await run('tar', ['-xf', archive, '-C', directory]);
  if (lockOf(directory) === lockOf(ROOT)) {
    symlinkSync(join(ROOT, 'node_modules'), join(directory, 'node_modules'));
  } else await run('npm', ['ci', '--no-audit', '--no-fund'], { cwd: directory });
  // A revision in the middle of a merge may have types that do not fit yet.
  await run('npx', ['tsc', '--project', 'tsconfig.build.json', '--noCheck'], { cwd: directory });
  return directory;
}

function lockOf(directory) {
  return readFileSync(join(directory, 'package-lock.json'), 'utf8');
}
