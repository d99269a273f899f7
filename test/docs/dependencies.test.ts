import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { subset } from 'semver';
import packageJson from '../../package.json' with { type: 'json' };
import tools from '../../tools/package.json' with { type: 'json' };

const { allowScripts, dependencies, devDependencies, engines } = packageJson;

interface LockedPackage {
  dev?: boolean;
  link?: boolean;
  integrity?: string;
  resolved?: string;
  license?: string;
  hasInstallScript?: boolean;
  engines?: { node?: string };
  os?: string[];
  cpu?: string[];
  libc?: string[];
  dependencies?: object;
  optionalDependencies?: object;
  peerDependencies?: object;
}

const root = join(import.meta.dirname, '..', '..');
const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
  packages: Record<string, LockedPackage>;
};
const page = readFileSync(join(root, 'docs', 'dependencies.md'), 'utf8');
const installed = Object.entries(packages).filter(
  ([path, { link }]) => path.startsWith('node_modules/') && !link,
);

/** Licences that ask for no more than their own text, and that the code around stays as it is. */
const PERMISSIVE =
  /^(MIT|ISC|0BSD|Apache-2\.0|BSD-[23]-Clause|BlueOak-1\.0\.0|Python-2\.0|Unlicense|CC0-1\.0)$/;

test('every direct dependency that runs has a reason, and there are at most 26', () => {
  const rows = [...page.matchAll(/^\| `([^`]+)` \| ([^|]+) \|$/gm)];
  expect(rows.map(([, name]) => name)).toEqual(Object.keys(dependencies));
  expect(rows.length).toBeLessThanOrEqual(26);
});

test('every direct dependency is of one exact version', () => {
  for (const version of Object.values({
    ...dependencies,
    ...devDependencies,
    ...tools.devDependencies,
  })) {
    expect(version).toMatch(/^\d+\.\d+\.\d+(-r\.\d+)?$/);
  }
});

test('npm ci installs at most 600 packages on Linux; the tools are apart', () => {
  const found = new Set<string>();
  const add = (from: string, names: object = {}) => {
    for (const name of Object.keys(names)) {
      const path = pathOf(name, from);
      if (path === undefined || found.has(path) || !isForLinux(packages[path]!)) continue;
      found.add(path);
      for (const kind of ['dependencies', 'optionalDependencies', 'peerDependencies'] as const) {
        add(path, packages[path]![kind]);
      }
    }
  };
  add('', { ...dependencies, ...devDependencies });
  expect(found.size).toBeGreaterThan(400);
  expect(found.size).toBeLessThanOrEqual(600);
  expect([...found]).not.toContain('node_modules/eslint');
});

/** Folders of tests that `npm test` leaves to steps with the tools, and what those alone use. */
const WITH_TOOLS = /^(browser|examples|generators|package|support\/console|system|tools)\//;

test('npm test uses none of the tools', () => {
  const names = Object.keys(tools.devDependencies).join('|');
  const used = new RegExp(`['"\`](${names})(/[^'"\`]*)?['"\`]`, 'g');
  const files = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' });
  const uses = files
    .filter((path) => /\.m?ts$/.test(path) && !WITH_TOOLS.test(path))
    .flatMap((path) =>
      [...readFileSync(join(root, 'test', path), 'utf8').matchAll(used)].map(
        ([name]) => `${path}: ${name}`,
      ),
    );
  expect(uses).toEqual([]);
});

/** The place of a package as Node finds it from another one; undefined if it is not locked. */
function pathOf(name: string, from: string): string | undefined {
  const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`;
  if (path in packages) return path;
  return from === ''
    ? undefined
    : pathOf(name, from.replace(/(^|\/)node_modules\/(@[^/]+\/)?[^/]+$/, ''));
}

function isForLinux({ os = ['linux'], cpu = ['x64'], libc = ['glibc'] }: LockedPackage): boolean {
  return os.includes('linux') && cpu.includes('x64') && libc.includes('glibc');
}

test('every locked package has its hash, and comes from the registry', () => {
  expect(installed.length).toBeGreaterThan(100);
  for (const [path, { integrity, resolved }] of installed) {
    expect([path, integrity]).toEqual([path, expect.stringMatching(/^sha512-/)]);
    // If the lockfile names no place, npm asks its default registry.
    expect([path, resolved ?? 'https://registry.npmjs.org/']).toEqual([
      path,
      expect.stringMatching(/^https:\/\/registry\.npmjs\.org\//),
    ]);
  }
});

test('no package runs a script at its installation but those that are named', () => {
  const withScript = installed
    .filter(([, { hasInstallScript }]) => hasInstallScript)
    .map(([path]) => path.replace(/^.*node_modules\//, ''));
  expect(withScript.sort()).toEqual(Object.keys(allowScripts).sort());
  const named = [...page.matchAll(/^\| `([^`]+)` \| (yes|no) \| .+ \|$/gm)];
  expect(Object.fromEntries(named.map(([, name, may]) => [name, may === 'yes']))).toEqual(
    allowScripts,
  );
});

test('every package runs on every version of Node that the project names', () => {
  const tooNew = installed.filter(([, { engines: { node = '*' } = {} }]) => {
    return !subset(engines.node, node);
  });
  expect(tooNew.map(([path]) => path)).toEqual([]);
});

test('everything that runs has a permissive licence', () => {
  const running = installed.filter(([, { dev }]) => dev !== true);
  for (const [path, { license }] of running) {
    const named = license ?? oldLicensesOf(path);
    const choices = named.replace(/^\((.*)\)$/, '$1').split(' OR ');
    expect([path, named, choices.some((one) => PERMISSIVE.test(one))]).toEqual([path, named, true]);
  }
});

/** Old packages name their licences in a list, which the lockfile leaves out. */
function oldLicensesOf(path: string): string {
  const manifest = JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8')) as {
    licenses?: { type: string }[];
  };
  return (manifest.licenses ?? []).map(({ type }) => type).join(' OR ');
}

test('of what runs, the SQLite driver alone has native code', () => {
  const native = installed.filter(([path, { dev }]) => dev !== true && hasNativeCode(path));
  expect(native.map(([path]) => path)).toEqual(['node_modules/better-sqlite3']);
});

function hasNativeCode(path: string): boolean {
  const directory = join(root, path);
  if (!existsSync(directory)) return false;
  const files = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return files.some(
    (file) => !file.includes('node_modules') && /\.node$|(^|\/)binding\.gyp$/.test(file),
  );
}
