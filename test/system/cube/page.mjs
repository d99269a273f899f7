import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { API_TOKEN } from '../lab/server.mjs';
import { accepts, freePort } from '../lab/ports.mjs';
import { adopt, release, signal, temporaryDirectory } from '../lab/processes.mjs';
import { Violated } from '../lab/report.mjs';
import { settingsOf } from '../renderers/settings.mjs';
import { installInto, tarballs } from './installed.mjs';
import { environmentOf } from './scene.mjs';

const START_STEPS = 1500;
const STEP_MS = 40;
const HERE = import.meta.dirname;
const PATTERN = 'user-group-service-c*.tgz';

/** Runs the commands of the page in one shell after the other, as a reader does in one. @returns figures @throws Violated */
export async function leadsToTwoTenants(lab) {
  const port = await freePort();
  const checkout = temporaryDirectory();
  const project = join(checkout, 'sales');
  const exported = join(checkout, 'exported');
  const env = {
    ...environmentOf(lab),
    USER_GROUPS_URL: lab.service.url,
    USER_GROUPS_TOKEN: API_TOKEN,
  };
  const shell = (name, cwd, own = {}) => {
    const kept = existsSync(exported) ? `. ${exported}\n` : '';
    const text = `set -eu\n${kept}${settingsOf(name, own)}\nexport -p > ${exported}`;
    return execFileSync('sh', ['-c', text], { cwd, env, encoding: 'utf8', stdio: 'pipe' });
  };

  shell('cube.databases', checkout);
  shell('cube.groups', checkout);
  requireInstallation();
  mkdirSync(join(project, 'model'), { recursive: true });
  installInto(project, lab.cube);
  writeFileSync(join(project, 'model', 'sale.js'), settingsOf('cube.model', {}));
  writeFileSync(join(project, 'cube.js'), settingsOf('cube.configuration', {}));
  const start = { 'PORT=4000': `PORT=${port}`, 'cube.log 2>&1 &': 'cube.log 2>&1 & echo $! > pid' };
  shell('cube.start', project, start);
  const pid = Number(readFileSync(join(project, 'pid'), 'utf8'));
  adopt(pid);
  for (let step = 0; !(await accepts(port)); step++) {
    const said = readFileSync(join(project, 'cube.log'), 'utf8');
    if (step === START_STEPS) throw new Error(`Cube does not start: ${said}`);
    await sleep(STEP_MS);
  }
  const seen = shell('cube.look', project, { ':4000': `:${port}` }).trim();
  const expected = settingsOf('cube.seen', {});
  signal(pid, 'SIGKILL');
  release(pid);
  if (seen !== expected) throw new Violated([`the page shows ${expected}`, `and it is ${seen}`]);
  return '2 tenants, each with its own rows';
}

/** The commands of the page install what the lockfile has, and what `installInto` puts in its place. */
function requireInstallation() {
  const commands = settingsOf('cube.install', {});
  const { dependencies } = JSON.parse(readFileSync(join(HERE, 'package.json'), 'utf8'));
  const wanted = [
    ...Object.entries(dependencies).map(([name, version]) => `${name}@${version}`),
    ...['./clients/typescript ./clients/cube', `npm install ../${PATTERN}`],
  ];
  const missing = wanted.filter((text) => !commands.includes(text));
  for (const tarball of tarballs().map((path) => basename(path))) {
    const [begin, end] = PATTERN.split('*');
    if (!tarball.startsWith(begin) || !tarball.endsWith(end)) missing.push(tarball);
  }
  if (missing.length > 0) throw new Violated([`the page does not install ${missing.join(' ')}`]);
}
