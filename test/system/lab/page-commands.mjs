import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { settingsOf } from '../renderers/settings.mjs';
import { tarballsOf } from './npm-tools.mjs';
import { accepts } from './ports.mjs';
import { adopt, childrenOf, release, signal } from './processes.mjs';
import { Violated } from './report.mjs';

const START_STEPS = 1500;
const STEP_MS = 40;

/**
 * Returns a function that runs an example of a page in a shell. Each call has the variables that those before it have
 * exported, as a reader has in one shell. Its `PATH` is that of a user of Debian who is not root.
 * @param directory keeps the variables
 */
export function pageShell(directory, env) {
  const exported = join(directory, 'exported');
  const PATH = env.PATH.split(':').filter((folder) => !folder.endsWith('/sbin'));
  return (name, cwd, own = {}) => {
    const kept = existsSync(exported) ? `. ${exported}\n` : '';
    const text = `set -eu\n${kept}${settingsOf(name, own)}\nexport -p > ${exported}`;
    return execFileSync('sh', ['-c', text], {
      cwd,
      env: { ...env, PATH: PATH.join(':') },
      encoding: 'utf8',
      stdio: 'pipe',
    });
  };
}

/**
 * Starts a server as a page does, in the background and with a log.
 * @param port the one that takes the place of the page's; absent if a command of the page waits for the server
 * @returns a function that ends it
 * @throws Error if it does not start
 */
export async function startByPage(shell, name, cwd, { log, port, own }) {
  const background = `${log} 2>&1 &`;
  shell(name, cwd, { ...own, [background]: `${background} echo $! > pid` });
  const pid = Number(readFileSync(join(cwd, 'pid'), 'utf8'));
  adopt(pid);
  for (let step = 0; port !== undefined && !(await accepts(port)); step++) {
    if (step === START_STEPS) {
      throw new Error(`it does not start: ${readFileSync(join(cwd, log), 'utf8')}`);
    }
    await sleep(STEP_MS);
  }
  return () => {
    kill(pid);
    release(pid);
  };
}

/** Kills a process with all that it has started: `npx` starts a shell, and that the server. */
function kill(pid) {
  const children = childrenOf(pid);
  signal(pid, 'SIGKILL');
  children.forEach(kill);
}

/**
 * Requires that the commands of a page install what the lockfile has, and packages of `clients`.
 * @param own the folders by the names of the packages
 * @param pattern of their tarballs in the commands
 * @throws Violated
 */
export function requireInstallation(name, lockedIn, own, pattern) {
  const commands = settingsOf(name, {});
  const { dependencies } = JSON.parse(readFileSync(join(lockedIn, 'package.json'), 'utf8'));
  const folders = Object.values(own).map((folder) => `./clients/${folder}`);
  const wanted = [
    ...Object.entries(dependencies).map(([one, version]) => `${one}@${version}`),
    folders.join(' '),
    `npm install ../${pattern}`,
  ];
  const missing = wanted.filter((text) => !commands.includes(text));
  const [begin, end] = pattern.split('*');
  for (const tarball of tarballsOf(own).map((path) => basename(path))) {
    if (!tarball.startsWith(begin) || !tarball.endsWith(end)) missing.push(tarball);
  }
  if (missing.length > 0) throw new Violated([`the page does not install ${missing.join(' ')}`]);
}
