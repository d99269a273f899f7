import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..', '..', '..');
const INSTALL = ['install', '--prefer-offline', '--no-audit', '--no-fund', '--silent'];

/**
 * Packs a folder of `clients` from a copy, so that nothing is left in the sources.
 * @returns the path of the tarball, which is in the directory
 */
export function packClient(name: string, directory: string): string {
  const project = join(directory, 'project');
  const folder = join(project, 'clients', name);
  const isSource = (path: string) => !path.endsWith('dist');
  cpSync(join(root, 'clients', name), folder, { recursive: true, filter: isSource });
  cpSync(join(root, 'tsconfig.json'), join(project, 'tsconfig.json'));
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  const args = ['pack', '--json', '--silent', '--pack-destination', directory];
  const told = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  // The output of the build comes first.
  const [{ filename }] = JSON.parse(told.slice(told.search(/^\[/m))) as [{ filename: string }];
  return join(directory, filename);
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
