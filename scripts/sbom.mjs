import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { fileURLToPath, URL } from 'node:url';

// Prints the bill of materials of every npm package that runs: CycloneDX 1.5, in JSON.
//
//   npm run --silent sbom
//
// npm leaves out development packages with everything that they need, also where the product needs it,
// and names the product after its directory. A directory of that name without development packages
// mends both. Every package that runs according to the lockfile has to be there.

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'user-groups-sbom-'));
try {
  const { name } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const place = join(directory, name);
  mkdirSync(place);
  for (const file of ['package.json', 'package-lock.json']) {
    copyFileSync(join(ROOT, file), join(place, file));
  }
  npm(place, 'ci', '--omit=dev', '--ignore-scripts', '--no-audit', '--no-fund');
  npm(place, 'pkg', 'delete', 'devDependencies');
  const text = npm(place, 'sbom', '--sbom-format=cyclonedx', '--sbom-type=application');
  const found = new Set(JSON.parse(text).components.map((one) => `${nameOf(one)}@${one.version}`));
  const missing = running().filter((one) => !found.has(one));
  if (missing.length > 0) throw new Error(`npm has left out ${missing.join(', ')}`);
  process.stdout.write(text);
} catch (error) {
  process.stderr.write(`sbom: ${error.message}\n`);
  process.exitCode = 1;
} finally {
  rmSync(directory, { recursive: true, force: true });
}

function npm(cwd, ...args) {
  const { status, stdout, stderr, error } = spawnSync('npm', args, {
    cwd,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 ** 2,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`npm ${args[0]} ended with ${status}: ${stderr.trim()}`);
  return stdout;
}

function nameOf({ group, name }) {
  return group ? `${group}/${name}` : name;
}

/** `name@version` of what the lockfile has for more than development, on every platform. */
function running() {
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  return Object.entries(packages)
    .filter(([path, { dev, devOptional, optional, link }]) => {
      const isPackage = path.includes('node_modules/');
      return isPackage && !dev && !devOptional && !optional && !link;
    })
    .map(([path, { version }]) => `${path.replace(/^.*node_modules\//, '')}@${version}`);
}
