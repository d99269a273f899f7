import { execFileSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BOOTSTRAP_TOKEN, type RunningServer, startServer } from '../support/process/processes.ts';
import { runIn } from '../support/process/run-in.ts';

// Two generators of others run on the document; the typed client of ours is made by openapi-typescript, and tested as packed.

const root = join(import.meta.dirname, '..', '..');

const PROGRAM = `
import { createClient } from './out/client/index.js';
import { deleteUserGroup, getUserGroup, listUserGroups, upsertUserGroup, type Problem, type UserGroupWithToken } from './out/index.js';

const token = process.env['TOKEN']!;
// The client asks for each scheme of an operation, and adds the word Bearer itself.
const auth = ({ type }: { type: string }) => (type === 'apiKey' ? \`Token \${token}\` : token);
const client = createClient({ baseUrl: process.env['BASE']!, auth });
const written = await upsertUserGroup({ client, body: { user_group_id: 'generated', name: 'Generated' } });
const group: UserGroupWithToken = written.data!.user_group;
const list = await listUserGroups({ client, query: { status: 'active', name_prefix: 'Gen' } });
if (!list.data) throw new Error(JSON.stringify(list.error));
const refused = await upsertUserGroup({ client, body: { user_group_id: 'generated', name: '' } });
const problem = refused.error as Problem;
const id = 'x/../generated';
const read = await getUserGroup({ client, path: { id } });
const deleted = await deleteUserGroup({ client, path: { id } });
// A code that a later version adds is no error of types.
const code: Problem['code'] = 'added_later';
// @ts-expect-error a misspelt field is an error of the compiler
await upsertUserGroup({ client, body: { user_group: 'x' } });

console.log(
  JSON.stringify({
    status: written.response!.status,
    token: group.token.slice(0, 4),
    listed: list.data.user_groups.map(({ provided_id }) => provided_id),
    refused: [problem.code, problem.errors?.[0]?.pointer],
    ids: [read.error?.code, deleted.error?.code],
    code,
  }),
);
`;

interface PostmanItem {
  name: string;
  item?: PostmanItem[];
  request?: PostmanRequest;
}

interface PostmanRequest {
  method: string;
  url: { host: string[]; path: string[] };
  header: { key: string; value: string }[];
  body?: { raw: string };
  auth?: { type: string; apikey?: { key: string; value: string }[] };
}

let directory: string;
let server: RunningServer;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-generated-'));
  cpSync(join(import.meta.dirname, 'generators'), directory, { recursive: true });
  cpSync(join(root, 'openapi.json'), join(directory, 'openapi.json'));
  const options = ['--ignore-scripts', '--prefer-offline', '--no-audit', '--no-fund', '--silent'];
  execFileSync('npm', ['ci', ...options], { cwd: directory, stdio: 'pipe' });
  server = await startServer({ DATA_DIR: join(directory, 'data') });
});

afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
});

test('the client of @hey-api/openapi-ts compiles, and calls the service', () => {
  const compilerOptions = {
    module: 'nodenext',
    target: 'es2023',
    lib: ['es2023', 'dom', 'dom.iterable'],
    strict: true,
    outDir: 'built',
    skipLibCheck: true,
    types: ['node'],
    typeRoots: [join(root, 'node_modules', '@types')],
  };
  // The generator reads it, too: its imports have the endings that these modules need.
  writeFileSync(
    join(directory, 'tsconfig.json'),
    JSON.stringify({ compilerOptions, files: ['program.ts'] }),
  );
  writeFileSync(join(directory, 'program.ts'), PROGRAM);
  tool(
    '@hey-api/openapi-ts/bin/run.js',
    '-i',
    'openapi.json',
    '-o',
    'out',
    '-c',
    '@hey-api/client-fetch',
  );
  tool('typescript/bin/tsc', '--project', '.');
  expect(JSON.parse(run('built/program.js'))).toEqual({
    status: 200,
    token: 'ugt_',
    listed: ['generated'],
    refused: ['validation_failed', '/name'],
    ids: ['user_group_not_found', 'user_group_not_found'],
    code: 'added_later',
  });
  const page = readFileSync(join(root, 'docs', 'guides', 'call-the-service.md'), 'utf8');
  const { dependencies } = readJson('package.json') as { dependencies: Record<string, string> };
  const version = dependencies['@hey-api/openapi-ts']!.split('.').slice(0, 2).join('.');
  expect(page).toContain(`| \`@hey-api/openapi-ts\` ${version} | encoded |`);
});

test('the collection of Postman has every operation, and its request with the example is accepted', async () => {
  const args = ['-s', 'openapi.json', '-o', 'postman.json', '-O', 'parametersResolution=Example'];
  tool('openapi-to-postmanv2/bin/openapi2postmanv2.js', ...args);
  const collection = readJson('postman.json') as { item: PostmanItem[] };
  const requests = collection.item.flatMap(requestsOf);
  const { paths } = readJson('openapi.json') as { paths: Record<string, object> };
  expect(requests).toHaveLength(
    Object.values(paths).flatMap((methods) => Object.keys(methods)).length,
  );

  const { method, url, header, body } = requests.find(
    (one) => one.method === 'PUT' && one.url.path.join('/') === 'api/user',
  )!;
  expect(url.host).toEqual(['{{baseUrl}}']);
  const response = await fetch(`${server.baseUrl}/${url.path.join('/')}`, {
    method,
    headers: {
      ...Object.fromEntries(header.map(({ key, value }) => [key, value])),
      Authorization: `Token ${BOOTSTRAP_TOKEN}`,
    },
    body: body!.raw,
  });
  expect([response.status, await response.json()]).toEqual([
    200,
    {
      success: 1,
      user_group: expect.objectContaining({ provided_id: 'acme-emea', name: 'Acme EMEA' }),
    },
  ]);
});

test('Postman sends no null that nobody has written, whatever its options: null would empty a field', () => {
  tool(
    'openapi-to-postmanv2/bin/openapi2postmanv2.js',
    '-s',
    'openapi.json',
    '-o',
    'invented.json',
  );
  const requests = (readJson('invented.json') as { item: PostmanItem[] }).item.flatMap(requestsOf);
  const written = requests.filter(({ body }) => body?.raw !== undefined);
  expect(written.length).toBeGreaterThan(20);
  const withNull = written.filter(({ body }) => /:\s*null\b/.test(body!.raw));
  expect(withNull.map(({ method, url }) => `${method} ${url.path.join('/')}`)).toEqual([]);
});

function requestsOf({ item, request }: PostmanItem): PostmanRequest[] {
  return item ? item.flatMap(requestsOf) : request ? [request] : [];
}

function readJson(name: string): unknown {
  return JSON.parse(readFileSync(join(directory, name), 'utf8'));
}

function tool(path: string, ...args: string[]): void {
  run(join(directory, 'node_modules', path), ...args);
}

function run(...args: string[]): string {
  const env = { BASE: server.baseUrl, TOKEN: BOOTSTRAP_TOKEN };
  return runIn(directory, env, process.execPath, ...args);
}
