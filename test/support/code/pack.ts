import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');
const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--silent'];

/** Folders that no package is made from. */
const NO_SOURCES = new Set(['.git', 'coverage', 'data', 'dist', 'lib', 'node_modules']);

/**
 * Packs the service from a copy: while npm packs, the manifest of the package is in the place of `package.json`, which
 * tests that run beside read.
 * @returns the path of the tarball, which is in the directory
 */
export function packService(directory: string): string {
  const project = join(directory, 'service');
  const isSource = (path: string) => !NO_SOURCES.has(relative(root, path));
  cpSync(root, project, { recursive: true, filter: isSource });
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  const args = ['pack', '--silent', '--pack-destination', directory];
  const told = execFileSync('npm', args, { cwd: project, encoding: 'utf8', stdio: 'pipe' });
  return join(directory, told.trim().split('\n').at(-1)!);
}

/** Installs a tarball in a directory that is new. */
export function installInto(app: string, tarball: string): void {
  mkdirSync(app);
  writeFileSync(
    join(app, 'package.json'),
    JSON.stringify({ name: 'app', private: true, type: 'module' }),
  );
  execFileSync('npm', [...INSTALL, tarball], { cwd: app, stdio: 'pipe' });
}
