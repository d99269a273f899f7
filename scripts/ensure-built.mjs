import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

// Builds, unless the last build that this script has made is newer than all that it was made from.

const STAMP = 'dist/built';
const SOURCES = ['package.json', 'package-lock.json', 'nest-cli.json', 'ormconfig.ts']
  .concat(['tsconfig.json', 'tsconfig.build.json', 'src'])
  .concat(readdirSync('src', { recursive: true }).map((path) => join('src', path)));

const changedAt = Math.max(...SOURCES.map((path) => statSync(path).mtimeMs));
if (!existsSync(STAMP) || statSync(STAMP).mtimeMs < changedAt) {
  // What is changed during the build may not be in it.
  const begunAt = new Date();
  execFileSync('npm', ['run', '--silent', 'build'], { stdio: ['ignore', 2, 2] });
  writeFileSync(STAMP, '');
  utimesSync(STAMP, begunAt, begunAt);
}
