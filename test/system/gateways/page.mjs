import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { startService } from '../conformance/kit.mjs';
import { pageShell, startByPage } from '../lab/page-commands.mjs';
import { freePort } from '../lab/ports.mjs';
import { temporaryDirectory } from '../lab/processes.mjs';
import { Violated } from '../lab/report.mjs';
import { API_TOKEN } from '../lab/server.mjs';
import { settingsOf } from '../renderers/settings.mjs';

const SUSPENDED = 'Acme: 401';

/**
 * Runs the commands of docs/guides/victoria-metrics.md.
 * @returns figures @throws Violated unless each of two groups sees its own rows, until it is suspended
 */
export async function leadsToTwoGroups() {
  const { url } = await startService();
  const ports = { 8428: await freePort(), 8429: await freePort(), 8080: await freePort() };
  const project = temporaryDirectory();
  const shell = pageShell(temporaryDirectory(), {
    PATH: process.env.PATH,
    USER_GROUPS_URL: url,
    USER_GROUPS_TOKEN: API_TOKEN,
  });
  const start = (name, how) => startByPage(shell, name, project, how);
  /** The text of an example has these ports alone. */
  const portsOf = (...theirs) =>
    Object.fromEntries(theirs.map((port) => [`127.0.0.1:${port}`, `127.0.0.1:${ports[port]}`]));
  const ends = [
    await start('victoria-metrics.acme', { log: 'acme.log', own: portsOf(8428) }),
    await start('victoria-metrics.globex', { log: 'globex.log', own: portsOf(8429) }),
  ];
  shell('victoria-metrics.rows', project, portsOf(8428, 8429));
  shell('victoria-metrics.groups', project);
  const settings = settingsOf('victoria-metrics.settings', portsOf(8428, 8429, 8080));
  writeFileSync(join(project, 'settings.conf'), settings);
  shell('victoria-metrics.nginx-file', project);
  const nginx = { log: 'nginx.log', port: ports[8080], own: {} };
  ends.push(await start('victoria-metrics.start', nginx));
  const seen = shell('victoria-metrics.look', project, portsOf(8080)).trim();
  const suspended = shell('victoria-metrics.suspend', project, portsOf(8080)).trim();
  for (const end of ends) end();
  const expected = settingsOf('victoria-metrics.seen', {});
  if (seen !== expected || suspended !== SUSPENDED) {
    throw new Violated([`the page shows ${expected}`, `and it is ${seen}`, suspended]);
  }
  return '2 groups, each with its own rows, until it is suspended';
}
