import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import process from 'node:process';
import { packClient } from './pack.mjs';
import { temporaryDirectory } from './processes.mjs';

/** The tools refuse an older Node. */
const LEAST_NODE = 22;
const NODE = `node-linux-${process.arch}@24`;
const LIMIT_MS = 600_000;

/**
 * Installs a tool of npm by its lockfile, unless the cache has it.
 * @param name of the directory in the user's cache
 * @param lockedIn the directory of its `package.json` and `package-lock.json`
 * @param cache another directory for it
 * @returns `directory`, `modules`, and `bin` with the Node to run it
 * @throws Error if npm cannot install it
 */
export function installTool(name, lockedIn, cache = cacheOf(name)) {
  const lock = readFileSync(join(lockedIn, 'package-lock.json'));
  const directory = join(cache, createHash('sha256').update(lock).digest('hex').slice(0, 16));
  try {
    if (!existsSync(directory)) makeWhole(directory, (part) => installByLock(lockedIn, part));
    return { directory, modules: join(directory, 'node_modules'), bin: binOfNode() };
  } catch (error) {
    const reason = String(error.stderr || error.message).trim();
    throw new Error(`${name} WAS NOT TESTED, because npm cannot install it: ${reason}`, {
      cause: error,
    });
  }
}

function cacheOf(name) {
  const root = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  return join(root, 'user-group-service', name);
}

/** Another run may do the same, or be ended. */
function makeWhole(directory, make) {
  mkdirSync(dirname(directory), { recursive: true });
  const part = mkdtempSync(`${directory}-`);
  try {
    make(part);
    if (!existsSync(directory)) renameSync(part, directory);
  } finally {
    rmSync(part, { recursive: true, force: true });
  }
}

function installByLock(lockedIn, directory) {
  for (const name of ['package.json', 'package-lock.json']) {
    cpSync(join(lockedIn, name), join(directory, name));
  }
  npm(directory, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error');
}

function binOfNode() {
  if (Number.parseInt(process.versions.node) >= LEAST_NODE) return dirname(process.execPath);
  const directory = cacheOf(NODE);
  if (!existsSync(directory)) {
    makeWhole(directory, (part) => {
      const packed = npm(part, 'pack', '--silent', NODE).trim().split('\n').at(-1);
      execFileSync('tar', ['-xzf', packed, '--strip-components=1'], { cwd: part });
    });
  }
  return join(directory, 'bin');
}

export function npm(cwd, ...args) {
  const options = { cwd, encoding: 'utf8', stdio: 'pipe', timeout: LIMIT_MS };
  return execFileSync('npm', args, options);
}

const packed = new Map();

/**
 * Packs packages of `clients`, each once.
 * @param own the folders by the names of the packages
 * @returns the paths of the tarballs
 */
export function tarballsOf(own) {
  return Object.values(own).map((folder) => {
    if (!packed.has(folder)) packed.set(folder, packClient(folder, temporaryDirectory()));
    return packed.get(folder);
  });
}

/** Puts an installed tool and packages of `clients` into the directory of a project. */
export function installInto(project, { modules }, own) {
  const target = join(project, 'node_modules');
  mkdirSync(target);
  for (const name of readdirSync(modules)) symlinkSync(join(modules, name), join(target, name));
  installOwn(project, own);
}

/** Puts packages of `clients` into the directory of a project. @param own the folders by the names of the packages */
export function installOwn(project, own) {
  const names = Object.keys(own);
  for (const [index, tarball] of tarballsOf(own).entries()) {
    const target = join(project, 'node_modules', '@user-group-service', names[index]);
    mkdirSync(target, { recursive: true });
    execFileSync('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
  }
  writeFileSync(join(project, 'package.json'), '{"name":"sales","private":true}');
}
