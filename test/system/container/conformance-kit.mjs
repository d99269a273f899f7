import { randomUUID } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { startRenderer, startService } from '../conformance/kit.mjs';
import { configOf, rendererWith } from '../conformance/sabotage.mjs';
import { freePort } from '../lab/ports.mjs';
import { cleanUp, temporaryDirectory } from '../lab/processes.mjs';
import { API_TOKEN } from '../lab/server.mjs';
import { must } from './report.mjs';

const MAX_BYTES = 260e6;
const TOOLS = 'npm npx corepack yarn gcc g++ cc make python3 git curl wget tsc'.split(' ');
const UNWANTED =
  '/kit/node_modules /kit/dist /kit/.npmrc /kit/.env /kit/Dockerfile /kit/tsconfig.build.json /root/.npm';
const FEW = ['--only', 'baseline,tenant-*,token-rotated,trace-logs', '--strict'];
const CHECKS_BEFORE_THE_END = 2;
const STEP_MS = 50;
const STEPS = 400;
const STOP_LIMIT_SECONDS = '20';
const READABLE = 0o755;

/** Shows that the image of the conformance kit is built as the service's is, and that it tells a renderer's faults by its exit code. */
export async function checkConformanceKit(report, engine, tag) {
  await checkItsContent(report, engine, tag);
  await checkItsCalls(report, engine, tag);
  try {
    const service = await startService();
    await checkItsRuns(report, engine, tag, service);
  } finally {
    await cleanUp();
  }
}

async function checkItsContent(report, engine, tag) {
  const { Size, Config } = await engine.inspect('image', tag);
  const sh = (script) =>
    engine.output([
      'run',
      '--rm',
      '--network',
      'none',
      '--entrypoint',
      'sh',
      ...engine.confinement,
      tag,
      '-c',
      script,
    ]);
  await report.check('kit: configuration of the image', () => {
    must(Size < MAX_BYTES, `it has ${Size} bytes`);
    must(/^[1-9]\d*:[1-9]\d*$/.test(Config.User), `the user is "${Config.User}"`);
    must(
      Config.Labels['org.opencontainers.image.title'] === 'user-group-service-conformance',
      'it has no labels',
    );
    must(
      Config.Labels['org.opencontainers.image.revision'] === 'unknown',
      'its revision is no argument',
    );
    must(Config.Entrypoint.join(' ').startsWith('node '), 'Node is not what is started');
    return `${(Size / 1e6).toFixed(0)} MB, user ${Config.User}, ${Config.Entrypoint.join(' ')}, labels`;
  });
  await report.check('kit: no tool, package or file of a developer', async () => {
    const found = await sh(
      `for tool in ${TOOLS.join(' ')}; do command -v $tool; done; ls -d ${UNWANTED} 2>/dev/null; true`,
    );
    must(found === '', `it has ${found}`);
    return `none of ${TOOLS.join(', ')}, ${UNWANTED.replaceAll(' ', ', ')}`;
  });
  await report.check('kit: user and read-only root file system', async () => {
    const [user, ...writable] = (
      await sh(
        'id -u; for place in / /kit /work /tmp /etc; do touch $place/x 2>/dev/null && echo $place; done; true',
      )
    ).split('\n');
    must(
      user === '1000' && writable.length === 0,
      `user ${user}, ${writable.join(' ')} can be written to`,
    );
    return `user ${user}, nothing can be written to`;
  });
}

/** Calls without a renderer. */
async function checkItsCalls(report, engine, tag) {
  const call = (...args) =>
    engine.run(['run', '--rm', '--network', 'none', ...engine.confinement, tag, ...args]);
  await report.check('kit: --list', async () => {
    const { code, stdout } = await call('--list');
    must(code === 0 && /^baseline +\S/m.test(stdout), `it ends with ${code}: ${stdout}`);
    return `${stdout.trim().split('\n').length} checks, ends with 0`;
  });
  await report.check('kit: a wrong call', async () => {
    const calls = [[], ['--config', 'missing.json'], ['--no-such-option']];
    for (const args of calls) {
      const { code, stderr } = await call(...args);
      must(code === 2 && stderr !== '', `${args.join(' ')} ends with ${code}`);
    }
    return `${calls.length} calls end with 2`;
  });
}

async function checkItsRuns(report, engine, tag, service) {
  await report.check('kit: a renderer that is right', async () => {
    const { code, stdout } = await runAgainst(engine, tag, service, '', FEW);
    must(code === 0 && !/^not ok/m.test(stdout), `it ends with ${code}: ${stdout}`);
    return `${stdout.match(/^ok \d/gm).length} checks passed, ends with 0`;
  });
  await report.check('kit: a renderer whose cache forgets the tenant', async () => {
    const { code, stdout } = await runAgainst(engine, tag, service, 'cache-without-tenant', FEW);
    must(
      code === 1 && /^not ok \d+ - tenant-order/m.test(stdout),
      `it ends with ${code}: ${stdout}`,
    );
    return `${stdout.match(/^not ok \d/gm).length} checks failed, ends with 1`;
  });
  await report.check('kit: a service that is away', async () => {
    const nobody = { ...service, url: `http://127.0.0.1:${await freePort()}` };
    const { code } = await runAgainst(engine, tag, nobody, '', FEW, service);
    must(code === 3, `it ends with ${code}`);
    return 'ends with 3';
  });
  await report.check('kit: SIGTERM in the middle of a run', async () => {
    const code = await withRenderer(service, '', (config, mounts) =>
      stopped(engine, tag, { config, mounts }),
    );
    const { body } = await service.api.send(
      'GET',
      {},
      '/api/v1/user-groups?limit=200&name_prefix=Conformance',
    );
    must(
      code === 143 && body.user_groups.length === 0,
      `it ends with ${code}, ${body.user_groups.length} groups left`,
    );
    return 'ends with 143, and leaves no group';
  });
}

/** Runs the kit in a container against a renderer with these faults. @param seen the service as the configuration has it */
function runAgainst(engine, tag, seen, faults, args, service = seen) {
  return withRenderer(service, faults, (config, mounts) => {
    const own = { ...config, service: { ...config.service, url: seen.url } };
    return engine.run([
      'run',
      '--rm',
      ...optionsFor(engine, own, mounts),
      tag,
      ...CONFIG,
      '--output',
      'tap',
      ...args,
    ]);
  });
}

const CONFIG = ['--config', 'renderer.json'];

async function withRenderer(service, faults, use) {
  const renderer = await startRenderer(service, rendererWith({ FAULTS: faults }));
  try {
    const logs = dirname(renderer.log);
    chmodSync(logs, READABLE);
    return await use(configOf(service, renderer, false), [logs]);
  } finally {
    await renderer.stop();
  }
}

/** Mounts the configuration as the README says. */
function optionsFor(engine, config, mounts) {
  const directory = temporaryDirectory();
  chmodSync(directory, READABLE);
  writeFileSync(join(directory, 'renderer.json'), JSON.stringify(config));
  return [
    '--network',
    'host',
    ...engine.confinement,
    ...[`${directory}:/work:ro`, ...mounts.map((path) => `${path}:${path}:ro`)].flatMap((one) => [
      '--volume',
      one,
    ]),
    '--env',
    `KIT_API_TOKEN=${API_TOKEN}`,
    '--env',
    'OTHER_API_TOKEN=none',
  ];
}

/** Stops a container while its checks run. @returns its exit code */
async function stopped(engine, tag, { config, mounts }) {
  const name = `user-groups-test-${randomUUID()}`;
  try {
    await engine.output([
      'run',
      '--detach',
      '--name',
      name,
      ...optionsFor(engine, config, mounts),
      tag,
      ...CONFIG,
    ]);
    for (let step = 0; ; step++) {
      const { stderr } = await engine.run(['logs', name]);
      if (stderr.split('\n').length > CHECKS_BEFORE_THE_END) break;
      must(step < STEPS, `no check is made: ${stderr}`);
      await sleep(STEP_MS);
    }
    await engine.output(['stop', '--time', STOP_LIMIT_SECONDS, name]);
    return (await engine.inspect('container', name)).State.ExitCode;
  } finally {
    await engine.run(['rm', '--force', name]);
  }
}
