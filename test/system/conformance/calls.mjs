import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import process from 'node:process';
import { freePort } from '../lab/ports.mjs';
import { temporaryDirectory } from '../lab/processes.mjs';
import { Violated } from '../lab/report.mjs';
import { idsOf, runKit, startRenderer } from './kit.mjs';
import { configOf, rendererWith } from './sabotage.mjs';

const DECLARED = [
  { name: 'region', type: 'string', required: true },
  { name: 'max_rows', type: 'integer', required: true },
];
/** Fails if it is refused, as commands do. */
const COMMAND = `
const body = JSON.stringify({ token: process.env.TOKEN });
const response = await fetch(process.argv[2], { method: 'POST', body });
process.stdout.write(await response.text());
if (!response.ok) process.exitCode = 1;
`;

/** A renderer that is a command passes what a command can. @returns figures @throws Violated */
export function passesAsCommand(service) {
  return withRenderer(service, async (config, renderer) => {
    const script = join(temporaryDirectory(), 'render.mjs');
    writeFileSync(script, COMMAND);
    const command = [process.execPath, script, `${renderer.url}/query`];
    const only =
      'tenant-order,tenant-conditional,mapping-*,token-rotated,variable-missing,introspection-error,trace-caching';
    const own = { ...config, renderer: { command, env: { TOKEN: '{token}' } }, sql: undefined };
    const { code, outcomes, stdout } = await runKit(
      own,
      ['--only', only, '--jobs', '2'],
      other(service),
    );
    const skipped = idsOf(outcomes, 'skipped').join(' ');
    if (code !== 0 || skipped !== 'tenant-conditional trace-caching') {
      throw new Violated([`${code} ${skipped}`, stdout]);
    }
    return `${idsOf(outcomes, 'passed').length} passed, skipped: ${skipped}`;
  });
}

/** Without variables of its own the kit takes those of the workspace. @returns figures @throws Violated */
export function takesDeclaredVariables(service) {
  return withRenderer(service, async (config) => {
    const declare = await service.api.send('PATCH', { variables: DECLARED }, '/api/v1/workspace');
    const own = { ...config, variables: undefined };
    const { code, outcomes, stdout } = await runKit(
      own,
      ['--only', 'variable-*,error-text'],
      other(service),
    );
    const [passed, skipped] = [idsOf(outcomes, 'passed'), idsOf(outcomes, 'skipped')];
    // The service refuses a group that lacks what it requires, so the renderer never sees one.
    const isRight =
      skipped.join(' ') === 'variable-missing variable-type' && passed.includes('variable-hostile');
    if (declare.status !== 200 || code !== 0 || !isRight) {
      throw new Violated([`${declare.status} ${code}`, stdout]);
    }
    return `${passed.length} passed, skipped: ${skipped.join(' ')}`;
  });
}

/** Checks the exit codes of the kit. @returns figures @throws Violated */
export function endsWithItsCodes(service) {
  return withRenderer(service, async (config) => {
    const nobody = `http://127.0.0.1:${await freePort()}`;
    const only = ['--only', 'baseline'];
    const cases = [
      [0, config, only],
      [
        1,
        { ...config, tenants: [{ ...config.tenants[0], shows: ['nothing'] }, config.tenants[1]] },
        only,
      ],
      [1, { ...config, sql: undefined }, ['--only', 'sql-text', '--strict']],
      [2, { ...config, schema: undefined }, only],
      [2, config, ['--only', 'no-such-check']],
      [3, { ...config, service: { ...config.service, url: nobody } }, only],
      [3, { ...config, renderer: { ...config.renderer, url: `${nobody}/query` } }, only],
      [3, { ...config, service: { ...config.service, api_token_env: 'OTHER_API_TOKEN' } }, only],
    ];
    const env = { OTHER_API_TOKEN: 'uga_refused' };
    const wrong = [];
    for (const [expected, own, args] of cases) {
      const { code, stderr } = await runKit(own, args, env);
      if (code !== expected) wrong.push(`${code} in place of ${expected}: ${stderr}`);
    }
    if (wrong.length > 0) throw new Violated(wrong);
    return `${cases.length} calls end with 0, 1, 2 and 3`;
  });
}

async function withRenderer(service, use) {
  const renderer = await startRenderer(service, rendererWith({}));
  try {
    return await use(configOf(service, renderer, false), renderer);
  } finally {
    await renderer.stop();
  }
}

function other({ otherToken }) {
  return { OTHER_API_TOKEN: otherToken };
}
