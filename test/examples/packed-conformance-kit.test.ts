import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CHECKS } from '../../clients/conformance/run.ts';
import { installInto } from '../support/code/pack.ts';
import {
  BOOTSTRAP_TOKEN,
  type Finished,
  type RunningServer,
  startServer,
} from '../support/process/processes.ts';
import { until } from '../support/time/until.ts';
import { HIDDEN_PRODUCT, makeSales } from '../system/conformance/sales.mjs';
import { accepts, freePort } from '../system/lab/ports.mjs';
import { packClient } from '../system/lab/pack.mjs';

const root = join(import.meta.dirname, '..', '..');
const NAME = '@user-group-service/conformance';
/** Checks that need little time, one of each kind. */
const SOME =
  'baseline,tenant-order,tenant-interleavings,token-rotated,mapping-missing,variable-missing';

let directory: string;
let app: string;
let server: RunningServer;
let renderer: ChildProcess;
let config: ReturnType<typeof configOf>;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-kit-'));
  app = join(directory, 'app');
  installInto(app, packClient('conformance', directory));
  server = await startServer({ DATA_DIR: join(directory, 'data') });
  const [port, proxyPort] = [await freePort(), await freePort()];
  config = configOf(`http://127.0.0.1:${port}`, `127.0.0.1:${proxyPort}`);
  const sales = makeSales(join(directory, 'sales'));
  renderer = spawn(process.execPath, [join(root, 'examples', 'renderer', 'server.mjs')], {
    env: {
      PATH: process.env['PATH'],
      PORT: String(port),
      DATA_SOURCES_DIR: sales,
      SERVICE_URL: `http://${config.proxy}`,
      API_TOKEN: BOOTSTRAP_TOKEN,
    },
    stdio: 'ignore',
  });
  await until(() => accepts(port));
});

afterAll(async () => {
  renderer.kill('SIGKILL');
  await server.stop();
  rmSync(directory, { recursive: true });
});

test('the command that is installed lists its checks', async () => {
  const { code, stdout } = await conformance('--list');
  const listed = stdout.trimEnd().split('\n');
  expect(code).toBe(0);
  expect(listed.map((line) => line.split(' ', 1)[0])).toEqual(CHECKS.map(({ id }) => id));
});

test('it finds no fault in the example renderer, and leaves no group', async () => {
  const { code, stdout, stderr } = await run(config);
  expect([code, code === 0 ? '' : stderr + stdout]).toEqual([0, '']);
  expect(stdout.match(/^ok \d+ - [\w-]+/gm)).toHaveLength(SOME.split(',').length);
  expect(stdout).not.toContain('# SKIP');
  const { body } = await server.api.call('GET', '/api/v1/user-groups?name_prefix=Conformance');
  expect(body.user_groups).toEqual([]);
});

test('it fails for a renderer that shows other rows than the configuration says', async () => {
  const [first, second] = config.tenants;
  const { code, stdout } = await run({
    ...config,
    tenants: [{ ...first!, shows: ['Batteries'] }, second!],
  });
  expect(code).toBe(1);
  expect(stdout).toMatch(/^not ok \d+ - baseline/m);
});

test('a call or a configuration that is wrong ends with 2, and a service that is away with 3', async () => {
  const nobody = `http://127.0.0.1:${await freePort()}`;
  const ends = [
    await conformance(),
    await conformance('--config', 'missing.json'),
    await run({ ...config, schema: undefined }),
    await run({ ...config, service: { ...config.service, url: nobody } }),
  ];
  expect(ends.map(({ code }) => code)).toEqual([2, 2, 2, 3]);
  for (const { stdout, stderr } of ends) {
    expect([stdout, stderr]).toEqual(['', expect.stringMatching(/\S/)]);
  }
});

test('the package is of the version of the service, needs no other, and has no sources', () => {
  const read = (path: string) =>
    JSON.parse(readFileSync(path, 'utf8')) as { version: string; dependencies?: object };
  const folder = join(app, 'node_modules', NAME);
  const installed = read(join(folder, 'package.json'));
  expect(installed).toMatchObject({
    name: NAME,
    version: read(join(root, 'package.json')).version,
  });
  expect(installed.dependencies).toBeUndefined();
  expect(readdirSync(folder).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json']);
  const files = readdirSync(join(folder, 'dist'), { recursive: true, encoding: 'utf8' });
  expect(files.filter((name) => !/\.js$|^checks$/.test(name))).toEqual([]);
});

function configOf(url: string, proxy: string) {
  const properties = (region: string) => ({ region, max_rows: 50 });
  return {
    service: { url: server.baseUrl, api_token_env: 'CONFORMANCE_API_TOKEN' },
    proxy,
    renderer: {
      url: `${url}/query`,
      body: { userGroupToken: '{token}' },
      recovers_seconds: 60,
    },
    schema: 'sales',
    tenants: [
      { data_source: 'warehouse-acme', properties: properties('EMEA'), shows: ['Tents', 'Stoves'] },
      {
        data_source: 'warehouse-globex',
        properties: properties('APAC'),
        shows: ['Sensors', 'Cables'],
      },
    ],
    variables: { region: 'string', max_rows: 'integer' },
    never_shows: [HIDDEN_PRODUCT],
  };
}

/** Writes the configuration next to the package, and runs some of the checks. */
function run(own: object): Promise<Finished> {
  writeFileSync(join(app, 'renderer.json'), JSON.stringify(own));
  return conformance('--config', 'renderer.json', '--output', 'tap', '--only', SOME);
}

async function conformance(...args: string[]): Promise<Finished> {
  const env = { PATH: process.env['PATH'], CONFORMANCE_API_TOKEN: BOOTSTRAP_TOKEN };
  const program = join(app, 'node_modules', '.bin', 'conformance');
  const child = spawn(program, args, { cwd: app, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let [stdout, stderr] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, stdout, stderr };
}
