import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import console from 'node:console';
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
import { packClient } from '../lab/pack.mjs';
import { temporaryDirectory } from '../lab/processes.mjs';

const HERE = import.meta.dirname;
/** Cube refuses an older Node. */
const LEAST_NODE = 22;
const NODE = `node-linux-${process.arch}@24`;
const NATIVE_LIMIT_MS = 120_000;
const STAND_IN = 'native-stand-in.mjs';
const OWN = ['client', 'cube'];

/**
 * Installs Cube by the lockfile, unless the cache has it. Its native module is fetched as npm would; if that fails, a
 * stand-in takes its place.
 * @returns `modules`, `bin` with the Node to run it, and `env` with what the stand-in needs
 * @throws Error if npm cannot install it
 */
export function installCube() {
  const cache =
    process.env.CUBE_TOOLS ??
    join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'user-group-service', 'cube');
  const lock = readFileSync(join(HERE, 'package-lock.json'));
  const directory = join(cache, createHash('sha256').update(lock).digest('hex').slice(0, 16));
  try {
    if (!existsSync(directory)) makeWhole(directory, installByLock);
    const modules = join(directory, 'node_modules');
    return { modules, bin: binOfNode(cache), ...nativeModule(directory) };
  } catch (error) {
    const reason = String(error.stderr || error.message).trim();
    throw new Error(`Cube WAS NOT TESTED, because npm cannot install it: ${reason}`, {
      cause: error,
    });
  }
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

function installByLock(directory) {
  for (const name of ['package.json', 'package-lock.json']) {
    cpSync(join(HERE, name), join(directory, name));
  }
  npm(directory, 'ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error');
}

function nativeModule(directory) {
  const module = join(directory, 'node_modules', '@cubejs-backend', 'native');
  const standIn = join(module, 'index.node');
  const hasBinary = () => existsSync(join(module, 'native', 'index.node'));
  if (!hasBinary() && !existsSync(standIn)) {
    try {
      npm(directory, 'rebuild', '--silent', '@cubejs-backend/native');
    } catch (error) {
      console.error(`the native module of Cube cannot be fetched: ${error.message}`);
    }
  }
  if (hasBinary()) return { hasBinary: true, env: {} };
  // `require` takes a directory of this name as well.
  mkdirSync(standIn, { recursive: true });
  cpSync(join(HERE, STAND_IN), join(standIn, STAND_IN));
  writeFileSync(join(standIn, 'package.json'), JSON.stringify({ main: STAND_IN }));
  // The newer planner is in the binary.
  return { hasBinary: false, env: { CUBEJS_TESSERACT_SQL_PLANNER: 'false' } };
}

function binOfNode(cache) {
  if (Number.parseInt(process.versions.node) >= LEAST_NODE) return dirname(process.execPath);
  const directory = join(cache, NODE);
  if (!existsSync(directory)) {
    makeWhole(directory, (part) => {
      const packed = npm(part, 'pack', '--silent', NODE).trim().split('\n').at(-1);
      execFileSync('tar', ['-xzf', packed, '--strip-components=1'], { cwd: part });
    });
  }
  return join(directory, 'bin');
}

function npm(cwd, ...args) {
  const options = { cwd, encoding: 'utf8', stdio: 'pipe', timeout: NATIVE_LIMIT_MS * 5 };
  return execFileSync('npm', args, options);
}

let packed;

/** The tarballs of the client and of the package for Cube. */
export function tarballs() {
  return (packed ??= OWN.map((name) =>
    packClient(name === 'client' ? 'typescript' : name, temporaryDirectory()),
  ));
}

/** Puts all that the commands of the page install into the directory of a project. */
export function installInto(project, { modules }) {
  const own = join(project, 'node_modules');
  mkdirSync(own);
  for (const name of readdirSync(modules)) symlinkSync(join(modules, name), join(own, name));
  installOwn(project);
}

/** Puts the packages of the service into the directory of a project. */
export function installOwn(project) {
  const own = join(project, 'node_modules');
  mkdirSync(join(own, '@user-group-service'), { recursive: true });
  for (const [index, tarball] of tarballs().entries()) {
    const target = join(own, '@user-group-service', OWN[index]);
    mkdirSync(target);
    execFileSync('tar', ['-xzf', tarball, '-C', target, '--strip-components=1']);
  }
  writeFileSync(join(project, 'package.json'), '{"name":"sales","private":true}');
}
