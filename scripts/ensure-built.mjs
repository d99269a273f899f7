import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Compiles, unless what this script has compiled last is newer than all that it was made from. What
// comes out is what `npm run build` gives, in half the time: types are judged there.

const STAMP = 'dist/built';
const FOLDERS = ['src', 'clients/typescript', 'console'];
const SOURCES = ['package.json', 'package-lock.json', 'nest-cli.json', 'ormconfig.ts']
  .concat(['tsconfig.json', 'tsconfig.build.json', ...FOLDERS])
  .concat(FOLDERS.flatMap(filesOf));

const changedAt = Math.max(...SOURCES.map((path) => statSync(path).mtimeMs));
if (!existsSync(STAMP) || statSync(STAMP).mtimeMs < changedAt) {
  // What is changed meanwhile may not be in it.
  const begunAt = new Date();
  rmSync('dist', { recursive: true, force: true });
  execFileSync('npx', ['tsc', '--project', 'tsconfig.build.json', '--noCheck'], {
    stdio: ['ignore', 2, 2],
  });
  execFileSync('npx', ['vite', 'build', '--logLevel', 'warn', 'console'], {
    stdio: ['ignore', 2, 2],
  });
  writeFileSync(STAMP, '');
  utimesSync(STAMP, begunAt, begunAt);
}

function filesOf(folder) {
  return readdirSync(folder, { recursive: true }).map((path) => join(folder, path));
}
