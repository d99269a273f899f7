import { spawnSync } from 'node:child_process';
import console from 'node:console';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';

// Imports nothing but Node, so that it works before the packages of npm are installed.

/**
 * Installs the Debian packages of programs that are missing. Writes to stderr what it installs.
 * @param {Record<string, string>} programs the package by the name or the path of a program
 * @throws Error if that cannot be done
 */
export function requirePrograms(programs) {
  const missing = Object.entries(programs).filter(([path]) => !isThere(path));
  if (missing.length === 0) return;
  const packages = [...new Set(missing.map(([, name]) => name))];
  if (process.getuid() !== 0) throw new Error(`install these packages: ${packages.join(' ')}`);
  console.error(`installing ${packages.join(' ')}`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive', RUNLEVEL: '1' };
  const apt = (...args) =>
    spawnSync('apt-get', ['-qq', '-o', 'DPkg::Lock::Timeout=120', ...args], { env });
  apt('update');
  apt('install', '-y', '--no-install-recommends', ...packages);
  const absent = missing.filter(([path]) => !isThere(path)).map(([, name]) => name);
  if (absent.length > 0) throw new Error(`could not be installed: ${absent.join(' ')}`);
}

/** Lets a Python make virtual environments: Debian has their module in a package of its own. @throws Error as above */
export function requireVenv(python = 'python3') {
  if (spawnSync(python, ['-c', 'import ensurepip']).status === 0) return;
  const name = `${python}-venv`;
  requirePrograms({ [`/var/lib/dpkg/info/${name}.list`]: name });
}

/** A path need not name a program: it may name a module of one. */
function isThere(program) {
  if (program.startsWith('/')) return existsSync(program);
  return spawnSync(program, ['--version']).error === undefined;
}

/** The numeric ids under which a user's programs run. */
export function idsOf(user) {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((entry) => entry.startsWith(`${user}:`));
  if (!line) throw new Error(`there is no user ${user}`);
  const [, , uid, gid] = line.split(':');
  return { uid: Number(uid), gid: Number(gid) };
}

/** The directory in which Debian has the programs of its newest PostgreSQL. */
export function postgresPrograms() {
  const root = '/usr/lib/postgresql';
  const versions = existsSync(root) ? readdirSync(root).map(Number) : [];
  return join(root, String(Math.max(15, ...versions)), 'bin');
}

/** PostgreSQL does not run as root. @returns the ids under which it runs, as options of `spawn` */
export function postgresUser() {
  return process.getuid() === 0 ? idsOf('postgres') : {};
}
