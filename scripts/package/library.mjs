import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PEERS } from './manifest.mjs';

/** The directory of the library, within the repository. */
export const LIB = 'lib';

/**
 * Compiles the library, in the working directory.
 * @returns the path of each of its files
 */
export function compileLibrary() {
  rmSync(LIB, { recursive: true, force: true });
  execFileSync('npx', ['tsc', '--project', 'tsconfig.package.json'], { stdio: ['ignore', 2, 2] });
  // Declarations that are written as such are not compiled.
  copyFileSync('clients/typescript/schema.d.ts', join(LIB, 'clients/typescript/schema.d.ts'));
  const files = readdirSync(LIB, { recursive: true }).map((name) => join(LIB, name));
  // The compiler renames imports in code alone.
  for (const path of files.filter((name) => name.endsWith('.d.ts'))) {
    const text = readFileSync(path, 'utf8');
    writeFileSync(path, text.replace(/(['"])(\.{1,2}\/[^'"]+)\.ts\1/g, '$1$2.js$1'));
  }
  // The code reads there its version, and the versions that it was made with.
  const { type, version, dependencies: all } = JSON.parse(readFileSync('package.json', 'utf8'));
  const dependencies = Object.fromEntries(PEERS.map((name) => [name, all[name]]));
  writeFileSync(join(LIB, 'package.json'), `${JSON.stringify({ type, version, dependencies })}\n`);
  copyFileSync('openapi.json', join(LIB, 'openapi.json'));
  execFileSync('node', [join(LIB, 'src/server/cli/write-commands.js')]);
  const page = ['build', '--logLevel', 'warn', '--outDir', `../${LIB}/console`, 'console'];
  execFileSync('npx', ['vite', ...page], { stdio: ['ignore', 2, 2] });
  return files;
}
