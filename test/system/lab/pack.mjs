import { execFileSync } from 'node:child_process';
import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/**
 * Packs a folder of `clients` from a copy, so that nothing is left in the sources.
 * @param {string} name
 * @param {string} directory one for each package
 * @returns {string} the path of the tarball, which is in the directory
 */
export function packClient(name, directory) {
  const project = join(directory, 'project');
  const folder = join(project, 'clients', name);
  const isSource = (path) => !path.endsWith('dist');
  cpSync(join(ROOT, 'clients', name), folder, { recursive: true, filter: isSource });
  cpSync(join(ROOT, 'tsconfig.json'), join(project, 'tsconfig.json'));
  symlinkSync(join(ROOT, 'node_modules'), join(project, 'node_modules'));
  const args = ['pack', '--json', '--silent', '--pack-destination', directory];
  const told = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  // The output of the build comes first.
  const [{ filename }] = JSON.parse(told.slice(told.search(/^\[/m)));
  return join(directory, filename);
}
