import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { BOOTSTRAP_TOKEN, type RunningServer, startServer } from '../support/processes.ts';

const root = join(import.meta.dirname, '..', '..');
const NAME = '@user-group-service/client';

const PROGRAM = `
import { CachedIntrospector, createClient, type Schemas } from '${NAME}';
import { readMessages } from '${NAME}/event-stream';
import { CachedIntrospector as Alone } from '${NAME}/cached-introspector';

const options = { baseUrl: process.env['BASE']!, apiToken: process.env['TOKEN']! };
const client = createClient(options);
const told: Record<string, unknown> = {
  oneClass: CachedIntrospector === Alone,
  reads: typeof readMessages,
};

const body: Schemas['UserGroupInput'] = { user_group_id: 'acme', name: 'Acme', properties: { seats: 3 } };
const created = await client.GET('/api/user', { body });
const current_token: string = created.data!.user_group.token;
told['created'] = created.data!.new_user_group;
const rotated = await client.POST('/api/user', { body: { current_token } });
const { token } = rotated.data!.user_group;
told['rotated'] = token !== current_token;

const asked = await client.POST('/api/v1/introspect', { body: { token } });
told['active'] = asked.data!.active;

const introspector = new CachedIntrospector(options);
for (let attempt = 0; attempt < 200 && !introspector.isCurrent; attempt++) {
  await new Promise((resolve) => setTimeout(resolve, 25));
}
await introspector.introspect(token);
const { sub, properties } = await introspector.introspect(token);
told['cached'] = { sub, properties, fromMemory: introspector.counts.remembered > 0 };
introspector.close();

const { error } = await client.PUT('/api/user', { body: { user_group_id: 'acme', name: '' } });
told['error'] = [error!.code, error!.errors?.[0]?.pointer];
// @ts-expect-error a misspelt field is an error of the compiler
const misspelt: Schemas['UserGroupInput'] = { user_group: 'acme' };
told['misspelt'] = Object.keys(misspelt).length;

console.log(JSON.stringify(told));
`;

let directory: string;
let app: string;
let server: RunningServer;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-client-'));
  const tarball = pack();
  app = join(directory, 'app');
  write('package.json', { name: 'app', private: true, type: 'module' });
  const options = ['--prefer-offline', '--no-audit', '--no-fund', '--silent'];
  execFileSync('npm', ['install', ...options, tarball], { cwd: app, stdio: 'pipe' });
  server = await startServer({ DATA_DIR: join(directory, 'data') });
}, 120_000);

afterAll(async () => {
  await server.stop();
  rmSync(directory, { recursive: true });
});

test('an application that has installed the tarball compiles and runs', () => {
  write('program.ts', PROGRAM);
  write('tsconfig.json', {
    compilerOptions: {
      ...{ module: 'nodenext', target: 'es2023', strict: true, noUncheckedIndexedAccess: true },
      // Whoever checks the types of libraries must be able to check these.
      skipLibCheck: false,
      types: ['node'],
      typeRoots: [join(root, 'node_modules', '@types')],
    },
  });
  const compiler = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  run(compiler, '--project', app);
  expect(JSON.parse(run(join(app, 'program.js')))).toEqual({
    oneClass: true,
    reads: 'function',
    created: true,
    rotated: true,
    active: true,
    cached: { sub: 'acme', properties: { seats: 3 }, fromMemory: true },
    error: ['validation_failed', '/name'],
    misspelt: 1,
  });
});

test('the package is of the version of the service, and needs what the service is tested with', () => {
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Package;
  const service = read(join(root, 'package.json'));
  const installed = read(join(app, 'node_modules', NAME, 'package.json'));
  expect(installed).toMatchObject({ name: NAME, version: service.version });
  const { 'openapi-fetch': version } = service.devDependencies!;
  expect(installed.dependencies).toEqual({ 'openapi-fetch': version });
});

interface Package {
  version: string;
  dependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
}

/** Packs a copy, so that nothing is left in the sources. */
function pack(): string {
  const project = join(directory, 'project');
  const folder = join(project, 'clients', 'typescript');
  const isSource = (path: string) => !path.endsWith('dist');
  cpSync(join(root, 'clients', 'typescript'), folder, { recursive: true, filter: isSource });
  cpSync(join(root, 'tsconfig.json'), join(project, 'tsconfig.json'));
  symlinkSync(join(root, 'node_modules'), join(project, 'node_modules'));
  const args = ['pack', '--json', '--silent', '--pack-destination', directory];
  const answer = execFileSync('npm', args, { cwd: folder, encoding: 'utf8', stdio: 'pipe' });
  // What the build says comes first.
  const [{ filename }] = JSON.parse(answer.slice(answer.search(/^\[/m))) as [{ filename: string }];
  return join(directory, filename);
}

function write(name: string, content: string | object): void {
  mkdirSync(app, { recursive: true });
  writeFileSync(join(app, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2));
}

/** @throws with what it has written, if it fails */
function run(...args: string[]): string {
  const env = { ...process.env, BASE: server.baseUrl, TOKEN: BOOTSTRAP_TOKEN };
  try {
    return execFileSync(process.execPath, args, { cwd: app, env, encoding: 'utf8', stdio: 'pipe' });
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    throw new Error(stdout + stderr, { cause: error });
  }
}
