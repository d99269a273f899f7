import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { must } from './report.mjs';

/** Runs the service of compose.yaml that makes the secrets, twice, on a volume of its own. */
export async function checkFirstStart(report, engine, tag, { volume, secrets }) {
  const { services } = parse(readFileSync('compose.yaml', 'utf8'));
  // Compose reads two dollars as one.
  const command = services.secrets.command.map((part) => part.replaceAll('$$', '$'));
  const run = (more, ...what) =>
    engine.output(
      ['run', '--rm', '--network', 'none', ...engine.confinement].concat(
        ['--volume', `${volume}:/data`, ...more, tag],
        what,
      ),
    );
  await report.check('secrets of compose.yaml', async () => {
    await run([], ...command);
    const list = 'cd /data && stat -c "%n %a %u" * && cat *';
    const made = await run([], 'sh', '-c', list);
    secrets.push(...made.match(/(?<=k1:|user_groups:)[^\s@]{40,}/g));
    must(!/ (?!600 1000$)\d+ \d+$/m.test(made), 'others than their owner can read them');
    await run([], ...command);
    must((await run([], 'sh', '-c', list)) === made, 'a second start replaces them');
    const environment = Object.entries(services.api.environment);
    const variables = environment.flatMap(([name, value]) => ['--env', `${name}=${value}`]);
    const verdict = await run(variables, 'cli', 'config', 'check');
    must(/valid.*PostgreSQL/.test(verdict), verdict);
    return 'made once, readable by their owner alone, and the service takes them';
  });
}
