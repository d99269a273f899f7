import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { must } from './report.mjs';

/**
 * Runs the service of compose.yaml that makes the secrets, twice, on volumes of its own, and lets
 * those of the image read theirs. Adds what it made to `secrets`.
 * @param volumes a name for each volume of secrets in compose.yaml
 */
export async function checkFirstStart(report, engine, tag, { volumes, secrets }) {
  const { services } = parse(readFileSync('compose.yaml', 'utf8'));
  // Compose reads two dollars as one.
  const command = services.secrets.command.map((part) => part.replaceAll('$$', '$'));
  const mounts = (service) =>
    service.volumes.flatMap((volume) => {
      const [name, ...rest] = volume.split(':');
      return ['--volume', [volumes[name], ...rest].join(':')];
    });
  const run = (service, more, ...what) =>
    engine.output(
      ['run', '--rm', '--network', 'none', ...engine.confinement].concat(
        mounts(service),
        more,
        tag,
        what,
      ),
    );
  const { user, cap_add } = services.secrets;
  const asRoot = ['--user', user, ...cap_add.flatMap((name) => ['--cap-add', name])];
  await report.check('secrets of compose.yaml', async () => {
    await run(services.secrets, asRoot, ...command);
    const list = 'cd /secrets && stat -c "%n %a %u:%g" */* && cat */*';
    const made = await run(services.secrets, asRoot, 'sh', '-c', list);
    secrets.push(...made.match(/(?<=k1:|user_groups_\w+:)[^\s@]{40,}/g));
    must(made.match(/ 440 0:(999|1000)$/gm)?.length === 6, `files and their modes are ${made}`);
    await run(services.secrets, asRoot, ...command);
    const again = await run(services.secrets, asRoot, 'sh', '-c', list);
    must(again === made, 'a second start replaces them');
    const environment = Object.entries(services.api.environment);
    const variables = environment.flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const verdict = await run(services.api, variables, 'user-group-service', 'config', 'check');
    must(/valid.*PostgreSQL/.test(verdict), verdict);
    for (const [name, role] of Object.entries({ api: 'service', migrate: 'owner' })) {
      const { DATABASE_URL_FILE: file } = services[name].environment;
      const url = await run(services[name], [], 'cat', file);
      must(url.startsWith(`postgres://user_groups_${role}:`), `${name} is not ${role}`);
    }
    return 'made once, each readable by those alone who need it, and the service takes them';
  });
}
