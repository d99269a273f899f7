import { execFileSync } from 'node:child_process';
import console from 'node:console';
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Compiles, unless `dist` is newer than all that it is made from, or there is no compiler, as in an installation without
// dev dependencies. The result is that of `npm run build`, in half the time: types are checked there. Both leave a stamp.

const STAMP = 'dist/built';
/** Dev dependencies alone have it; a package that runs brings TypeScript along. */
const BUILDER = 'node_modules/vite';
const CLIENTS = ['clients/typescript', 'clients/conformance', 'clients/cube', 'clients/embed'];
const FOLDERS = ['src', ...CLIENTS, 'console'];
const SOURCES = ['package.json', 'package-lock.json', 'ormconfig.ts']
  .concat(['tsconfig.json', 'tsconfig.build.json', ...FOLDERS])
  .concat(FOLDERS.flatMap(filesOf));

const changedAt = Math.max(...SOURCES.map((path) => statSync(path).mtimeMs));
const isStale = !existsSync(STAMP) || statSync(STAMP).mtimeMs < changedAt;
if (isStale && existsSync(BUILDER)) {
  console.error('Building the service and its console.');
  // Changes during the build may not be in it.
  const begunAt = new Date();
  rmSync('dist', { recursive: true, force: true });
  execFileSync('npx', ['tsc', '--project', 'tsconfig.build.json', '--noCheck'], {
    stdio: ['ignore', 2, 2],
  });
  execFileSync('node', ['dist/src/server/cli/write-commands.js']);
  execFileSync('npx', ['vite', 'build', '--logLevel', 'warn', 'console'], {
    stdio: ['ignore', 2, 2],
  });
  writeFileSync(STAMP, '');
  utimesSync(STAMP, begunAt, begunAt);
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true }).map((path) => join(folder, path));
}
