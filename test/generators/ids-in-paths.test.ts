import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BOOTSTRAP_TOKEN, type RunningServer, startServer } from '../support/process/processes.ts';
import { runIn } from '../support/process/run-in.ts';

const root = join(import.meta.dirname, '..', '..');
const PYTHON_GENERATOR = 'openapi-python-client';
const PYTHON_VERSION = '0.29.1';
const python = process.env['PYTHON'] ?? 'python3';
const NEIGHBOUR = 'globex';
/** A client that does not encode it reads the neighbour: the HTTP client resolves the dots. */
const ID = `x/../${NEIGHBOUR}`;

interface Generator {
  name: string;
  /** The words of the page about ids in paths. */
  ids: string;
  encodes: boolean;
  /** Writes `client.ts`. */
  generate: () => void;
  /** Makes `read(id)` of the client, which returns status and body. */
  program: string;
}

const orval = (options: object) => (): void => {
  const api = {
    input: 'openapi.json',
    output: { target: 'client.ts', client: 'fetch', ...options },
  };
  writeFileSync(join(directory, 'orval.config.mjs'), `export default ${JSON.stringify({ api })};`);
  tool('orval/dist/bin/orval.mjs', '--config', 'orval.config.mjs');
};
// Its client leaves the server to the page that it runs in.
const ORVAL_PROGRAM = `
  import { getUserGroup } from './client.js';
  const own = fetch;
  globalThis.fetch = (path, init) => own(process.env.BASE + path, init);
  const read = (id) => getUserGroup(id, undefined, { headers });`;

const GENERATORS: Generator[] = [
  {
    name: 'orval',
    ids: '**not encoded**, unless `output` has `urlEncodeParameters: true`',
    encodes: false,
    generate: orval({}),
    program: ORVAL_PROGRAM,
  },
  {
    name: 'orval',
    ids: '**not encoded**, unless `output` has `urlEncodeParameters: true`',
    encodes: true,
    generate: orval({ urlEncodeParameters: true }),
    program: ORVAL_PROGRAM,
  },
  {
    name: 'swagger-typescript-api',
    ids: '**not encoded**',
    encodes: false,
    generate: () =>
      tool(
        'swagger-typescript-api/dist/cli.mjs',
        'generate',
        '-p',
        'openapi.json',
        '-o',
        '.',
        '-n',
        'client.ts',
      ),
    program: `
      import { Api } from './client.js';
      const { api } = new Api({ baseUrl: process.env.BASE, baseApiParams: { headers } });
      const read = async (id) => {
        const { status, data, error } = await api.getUserGroup(id).catch((response) => response);
        return { status, data: data ?? error };
      };`,
  },
  {
    name: 'oazapfts',
    ids: 'encoded',
    encodes: true,
    generate: () => tool('oazapfts/dist/cli.js', 'openapi.json', 'client.ts'),
    program: `
      import { getUserGroup } from './client.js';
      const read = (id) => getUserGroup(id, {}, { baseUrl: process.env.BASE, headers });`,
  },
];

let directory: string;
let server: RunningServer | undefined;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-generators-'));
  cpSync(join(import.meta.dirname, 'tools'), directory, { recursive: true });
  cpSync(join(root, 'openapi.json'), join(directory, 'openapi.json'));
  run('npm', 'ci', '--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--silent');
  const started = await startServer({ DATA_DIR: join(directory, 'data') });
  server = started;
  const { status } = await fetch(`${started.baseUrl}/api/v1/user-groups/${NEIGHBOUR}`, {
    method: 'PUT',
    headers: { Authorization: `Token ${BOOTSTRAP_TOKEN}`, 'Content-Type': 'application/json' },
    body: '{"name": "Globex"}',
  });
  expect(status).toBe(201);
});

afterAll(async () => {
  await server?.stop();
  rmSync(directory, { recursive: true });
});

test.each(GENERATORS)('a client of $name encodes the id of a path: $encodes', (generator) => {
  const { name, ids, encodes, generate, program } = generator;
  const { dependencies } = JSON.parse(readFileSync(join(directory, 'package.json'), 'utf8')) as {
    dependencies: Record<string, string>;
  };
  generate();
  writeFileSync(
    join(directory, 'program.ts'),
    `const headers = { Authorization: 'Token ' + process.env.TOKEN };
     ${program}
     const { status, data } = await read(process.env.ID);
     console.log(JSON.stringify([status, data.code ?? data.user_group.provided_id]));`,
  );
  // The requests are judged here; the types of some clients do not compile.
  const options = ['--noCheck', '--module', 'nodenext', '--target', 'es2023', '--outDir', 'built'];
  tool('typescript/bin/tsc', ...options, 'program.ts');
  expect(JSON.parse(run(process.execPath, 'built/program.js'))).toEqual(readOf(encodes));
  expectRow(name, dependencies[name]!.split('.')[0]!, ids);
});

test(`a client of ${PYTHON_GENERATOR} encodes the id of a path`, () => {
  const options = ['--quiet', '--target', '.', '--root-user-action', 'ignore'];
  run(python, '-m', 'pip', 'install', ...options, `${PYTHON_GENERATOR}==${PYTHON_VERSION}`);
  const generate = ['generate', '--path', 'openapi.json', '--meta', 'none', '--output-path'];
  run(python, '-m', 'openapi_python_client', ...generate, 'client');
  const program = `
import json, os
from client import AuthenticatedClient
from client.api.user_groups_v_1 import get_user_group
client = AuthenticatedClient(base_url=os.environ["BASE"], token=os.environ["TOKEN"], prefix="Token")
response = get_user_group.sync_detailed(os.environ["ID"], client=client)
body = json.loads(response.content)
print(json.dumps([response.status_code, body.get("code") or body["user_group"]["provided_id"]]))
`;
  expect(JSON.parse(run(python, '-c', program))).toEqual(readOf(true));
  expectRow(PYTHON_GENERATOR, PYTHON_VERSION.split('.').slice(0, 2).join('.'), 'encoded');
});

function readOf(encodes: boolean): unknown[] {
  return encodes ? [404, 'user_group_not_found'] : [200, NEIGHBOUR];
}

function expectRow(name: string, version: string, ids: string): void {
  const page = readFileSync(join(root, 'docs', 'guides', 'call-the-service.md'), 'utf8');
  expect(page).toContain(`| ${name} ${version} | ${ids} |`);
}

function tool(path: string, ...args: string[]): void {
  run(process.execPath, join('node_modules', path), ...args);
}

function run(file: string, ...args: string[]): string {
  return runIn(
    directory,
    { BASE: server?.baseUrl ?? '', TOKEN: BOOTSTRAP_TOKEN, ID },
    file,
    ...args,
  );
}
