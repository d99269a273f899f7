import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installInto } from '../lab/npm-tools.mjs';
import { pageShell, requireInstallation, startByPage } from '../lab/page-commands.mjs';
import { freePort } from '../lab/ports.mjs';
import { temporaryDirectory } from '../lab/processes.mjs';
import { Violated } from '../lab/report.mjs';
import { API_TOKEN } from '../lab/server.mjs';
import { settingsOf } from '../renderers/settings.mjs';
import { OWN } from './installed.mjs';
import { environmentOf } from './scene.mjs';

/** Runs the commands of the page. @returns figures @throws Violated */
export async function leadsToTwoTenants(lab) {
  const port = await freePort();
  const checkout = temporaryDirectory();
  const project = join(checkout, 'sales');
  const shell = pageShell(checkout, {
    ...environmentOf(lab),
    USER_GROUPS_URL: lab.service.url,
    USER_GROUPS_TOKEN: API_TOKEN,
  });

  shell('cube.databases', checkout);
  shell('cube.groups', checkout);
  requireInstallation('cube.install', import.meta.dirname, OWN, 'user-group-service-c*.tgz');
  mkdirSync(join(project, 'model'), { recursive: true });
  installInto(project, lab.cube, OWN);
  writeFileSync(join(project, 'model', 'sale.js'), settingsOf('cube.model', {}));
  writeFileSync(join(project, 'cube.js'), settingsOf('cube.configuration', {}));
  const own = { 'PORT=4000': `PORT=${port}` };
  const stop = await startByPage(shell, 'cube.start', project, { log: 'cube.log', port, own });
  const seen = shell('cube.look', project, { ':4000': `:${port}` }).trim();
  stop();
  const expected = settingsOf('cube.seen', {});
  if (seen !== expected) throw new Violated([`the page shows ${expected}`, `and it is ${seen}`]);
  return '2 tenants, each with its own rows';
}
