import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  generateSigningSecret,
  signatureOf,
} from '../../src/features/webhook/sending/signature.ts';
import { MisbehavingProxy } from '../support/servers/misbehaving-proxy.ts';
import { installInto } from '../support/code/pack.ts';
import { BOOTSTRAP_TOKEN, type RunningServer, startServer } from '../support/process/processes.ts';
import { until } from '../support/time/until.ts';
import { packClient } from '../system/lab/pack.mjs';
import { accepts, freePort } from '../system/lab/ports.mjs';

const root = join(import.meta.dirname, '..', '..');
const NAME = '@user-group-service/client';

const PROGRAM = `
import { ApiError, CachedIntrospector, type Schemas, UserGroupClient } from '${NAME}';

const options = { baseUrl: process.env['BASE']!, apiToken: process.env['TOKEN']! };
const client = new UserGroupClient(options);
const told: Record<string, unknown> = {};

const body: Schemas['UserGroupInput'] = { user_group_id: 'acme', name: 'Acme', properties: { seats: 3 } };
const created = await client.createOrLookUpUserGroup(body);
const current_token: string = created.user_group.token;
told['created'] = created.new_user_group;
const { token } = (await client.rotateUserGroupToken({ current_token })).user_group;
told['rotated'] = token !== current_token;
told['active'] = (await client.introspectToken({ token })).active;

const introspector = new CachedIntrospector(options);
while (introspector.counts.remembered === 0) await introspector.introspect(token);
const { sub, properties } = await introspector.introspect(token);
told['cached'] = { sub, properties, fromMemory: introspector.counts.remembered > 0 };
introspector.close();

try {
  await client.upsertUserGroup({ user_group_id: 'acme', name: '' });
} catch (error) {
  if (error instanceof ApiError) told['error'] = [error.code, error.errors[0]?.pointer];
}
// @ts-expect-error a misspelt field is an error of the compiler
const misspelt: Schemas['UserGroupInput'] = { user_group: 'acme' };
told['misspelt'] = Object.keys(misspelt).length;

console.log(JSON.stringify(told));
`;

/** Calls the service through the proxy, with each of its faults, and tells what came of it and how often it was sent. */
const FAULTS = `
import { ApiError, UserGroupClient } from '${NAME}';

const PROXY = process.env['PROXY']!;
const told: Record<string, unknown> = {};

async function tell(name: string, fault: string, call: (client: UserGroupClient) => PromiseLike<unknown>) {
  const timeoutMs = fault === 'hang' ? 700 : 60_000;
  const client = new UserGroupClient({ baseUrl: PROXY + fault, apiToken: process.env['TOKEN']!, timeoutMs });
  let outcome: unknown = 'done';
  try {
    await call(client);
  } catch (error) {
    outcome = error instanceof ApiError ? [error.status, error.code, error.message] : String(error);
  }
  const attempts = (await (await fetch(PROXY + 'none/attempts')).json()) as { key?: string }[];
  told[name] = [outcome, attempts.length, new Set(attempts.map(({ key }) => key)).size];
}

async function lines(client: UserGroupClient) {
  for await (const _line of client.exportUserGroups()) continue;
}

await tell('empty', 'empty', (client) => client.getWorkspace());
await tell('html', 'html', (client) => client.getWorkspace());
await tell('hang', 'hang', (client) => client.getWorkspace());
await tell('cut', 'cut', (client) => client.getWorkspace());
await tell('cut export', 'cut', lines);
await tell('cut once', 'cut-once', (client) => client.getWorkspace());
await tell('cut once, with a key', 'cut-once', (client) => client.createSchema({ provided_id: 'x', name: 'X' }));
await tell('cut once, unsafe', 'cut-once', (client) => client.suspendUserGroup('acme'));
await tell('busy once', 'busy-once', (client) => client.getWorkspace());
await tell('busy once, unsafe', 'busy-once', (client) => client.resumeUserGroup('acme'));
console.log(JSON.stringify(told));
`;

const blocks = [
  ...readFileSync(join(root, 'clients', 'typescript', 'README.md'), 'utf8').matchAll(
    /```ts\n([^]*?)```/g,
  ),
].map(([, code]) => code!);
/** The examples of the README that follow each other, and the receiver of webhooks, which is a program by itself. */
const README = blocks.filter((code) => !code.includes('createServer')).join('\n');
const RECEIVER = blocks.find((code) => code.includes('createServer'))!;

let directory: string;
let app: string;
let server: RunningServer;
let proxy: MisbehavingProxy;
const children: ChildProcess[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-client-'));
  app = join(directory, 'app');
  installInto(app, packClient('typescript', directory));
  server = await startServer({ DATA_DIR: join(directory, 'data') });
  proxy = await MisbehavingProxy.start(server.baseUrl);
  write('tsconfig.json', {
    compilerOptions: {
      module: 'nodenext',
      target: 'es2023',
      strict: true,
      noUncheckedIndexedAccess: true,
      // A user who checks the types of libraries must be able to check these.
      skipLibCheck: false,
      types: ['node'],
      typeRoots: [join(root, 'node_modules', '@types')],
    },
  });
  for (const [name, code] of Object.entries({
    program: PROGRAM,
    faults: FAULTS,
    readme: README,
    receiver: RECEIVER,
  })) {
    write(`${name}.ts`, code);
  }
  await run(join(root, 'node_modules', 'typescript', 'bin', 'tsc'), '--project', app);
});

afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await proxy.close();
  await server.stop();
  rmSync(directory, { recursive: true });
});

test('an application that has installed the tarball compiles and runs', async () => {
  expect(JSON.parse(await run('program.js'))).toEqual({
    created: true,
    rotated: true,
    active: true,
    cached: { sub: 'acme', properties: { seats: 3 }, fromMemory: true },
    error: ['validation_failed', '/name'],
    misspelt: 1,
  });
});

test('a proxy that fails is told apart, and only what is safe is sent again', async () => {
  const told = JSON.parse(await run('faults.js')) as Record<string, unknown>;
  const foreign = 'the response is not one of the user group service';
  const { origin } = new URL(proxy.url('none'));
  const lost = [null, null, `${origin}: the connection failed or was lost (UND_ERR_SOCKET)`];
  expect(told).toEqual({
    empty: [[502, null, `502: ${foreign}: no content type, an empty body`], 1, 1],
    html: [
      [
        502,
        null,
        expect.stringContaining(`502: ${foreign}: text/html, a body that begins with "<html>`),
      ],
      1,
      1,
    ],
    hang: [[null, null, 'the service sent nothing for 700 ms'], 1, 1],
    cut: [lost, 3, 1],
    'cut export': [lost, 1, 1],
    'cut once': ['done', 2, 1],
    'cut once, with a key': ['done', 2, 1],
    'cut once, unsafe': [lost, 1, 1],
    'busy once': ['done', 2, 1],
    'busy once, unsafe': [[503, null, expect.stringContaining('503')], 1, 1],
  });
});

test('the examples of the README do what they say, one after the other', async () => {
  const { output, child } = start('readme.js');
  await until(
    () => output.text.includes('\ntrue acme-emea') || child.exitCode !== null,
    () => output.text,
  );
  // The last one follows events until it is ended.
  await until(
    async () => {
      await changeGroup();
      return output.text.includes(' followed\n') || child.exitCode !== null;
    },
    () => output.text,
  );
  child.kill('SIGKILL');
  const lines = output.text.trim().split('\n');
  expect(lines[0]).toMatch(/^ugt_\w+$/);
  expect(lines).toEqual(
    expect.arrayContaining([
      'true',
      'acme-emea Acme EMEA',
      'refused: 2 validation_failed',
      'globex',
    ]),
  );
  expect(output.text).toContain('1 created true');
  expect(output.text).toMatch(/^true acme-emea \{.*\} \{.*region: 'EMEA'.*\}$/m);
  expect(output.text).toContain("acme-emea a connection of yours { region: 'EMEA' }\n");
  expect(output.text).toMatch(/^user_group\.(create|update) followed$/m);
});

test('the receiver of the README accepts what the service signs, and nothing else', async () => {
  const port = await freePort();
  const { secret } = generateSigningSecret('v1');
  write(
    'receiver.js',
    readFileSync(join(app, 'receiver.js'), 'utf8').replace('8080', String(port)),
  );
  const { output, child } = start('receiver.js', { WEBHOOK_SECRET: secret });
  await until(() => accepts(port));
  const body =
    '{"type":"user_group.update","timestamp":"2030-01-01T12:00:00.000Z","data":{"user_group":{"provided_id":"acme"}}}';
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    'webhook-id': 'evt_4711',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureOf({ id: 'evt_4711', timestamp, body }, [secret]),
  };
  const deliver = async (text: string) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: text, headers })).status;
  expect([await deliver(body), await deliver(`${body} `)]).toEqual([204, 400]);
  expect(output.text).toBe('evt_4711 user_group.update acme\n');
  child.kill('SIGKILL');
});

test('the package is of the version of the service, and needs no other', () => {
  const read = (path: string) => JSON.parse(readFileSync(path, 'utf8')) as Package;
  const service = read(join(root, 'package.json'));
  const installed = read(join(app, 'node_modules', NAME, 'package.json'));
  expect(installed).toMatchObject({ name: NAME, version: service.version });
  expect(installed.dependencies).toBeUndefined();
});

interface Package {
  version: string;
  dependencies?: Record<string, string>;
}

function write(name: string, content: string | object): void {
  writeFileSync(
    join(app, name),
    typeof content === 'string' ? content : JSON.stringify(content, null, 2),
  );
}

/** Changes the group `followed`, so that an event happens. */
async function changeGroup(): Promise<void> {
  const headers = { Authorization: `Token ${BOOTSTRAP_TOKEN}`, 'Content-Type': 'application/json' };
  const body = JSON.stringify({ name: String(Math.random()) });
  await fetch(`${server.baseUrl}/api/v1/user-groups/followed`, { method: 'PUT', headers, body });
}

/** Starts a program of the application; `output` grows with what it prints. */
function start(script: string, more: NodeJS.ProcessEnv = {}, args: string[] = []) {
  const [BASE, TOKEN] = [server.baseUrl, BOOTSTRAP_TOKEN];
  const readme = { USER_GROUPS_URL: BASE, USER_GROUPS_TOKEN: TOKEN, RENDERER_API_TOKEN: TOKEN };
  const env = {
    ...process.env,
    BASE,
    TOKEN,
    PROXY: proxy.url('none').replace(/none$/, ''),
    ...readme,
    ...more,
  };
  const child = spawn(process.execPath, [script, ...args], {
    cwd: app,
    env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  children.push(child);
  const output = { text: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => (output.text += chunk.toString()));
  }
  return { child, output };
}

/** @throws with what it has written, if it fails */
async function run(script: string, ...args: string[]): Promise<string> {
  const { child, output } = start(script, {}, args);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(output.text);
  return output.text;
}
