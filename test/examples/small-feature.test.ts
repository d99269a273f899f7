import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { ApiClient } from '../support/api/api-client.ts';
import {
  createTestDatabase,
  databaseKinds,
  type TestDatabase,
} from '../support/database/databases.ts';
import { BOOTSTRAP_TOKEN } from '../support/process/processes.ts';
import { until } from '../support/time/until.ts';
import { freePort } from '../system/lab/ports.mjs';

const root = join(import.meta.dirname, '..', '..');
const page = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8');
const COPIED = ['src', 'clients', 'scripts', 'package.json', '.prettierrc.json'];

/** The files of the example, by their paths. */
const files = new Map(
  [...page.matchAll(/^```ts\n\/\/ (src\/features\/greeting\/\S+)\n(.*?)^```$/gms)].map(
    ([, path, text]) => [path!, text!],
  ),
);

let copy: string;

/** A copy of the repository with the feature in it, compiled. */
beforeAll(async () => {
  copy = mkdtempSync(join(tmpdir(), 'user-groups-feature-'));
  const tracked = execFileSync('git', ['ls-files', ...COPIED, 'tsconfig*.json', 'ormconfig.ts'], {
    cwd: root,
    encoding: 'utf8',
  });
  for (const path of tracked.trimEnd().split('\n')) cpSync(join(root, path), join(copy, path));
  symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));
  for (const [path, text] of files) {
    mkdirSync(dirname(join(copy, path)), { recursive: true });
    writeFileSync(join(copy, path), text);
  }
  await run(join('scripts', 'surface', 'declared.mjs'));
  await run(join('node_modules', 'typescript', 'bin', 'tsc'), '-p', 'tsconfig.build.json');
  await run(join('dist', 'src', 'server', 'cli', 'write-commands.js'));
});

afterAll(() => {
  rmSync(copy, { recursive: true });
});

async function run(script: string, ...args: string[]): Promise<string> {
  return runWith({}, script, ...args);
}

async function runWith(
  env: Record<string, string>,
  script: string,
  ...args: string[]
): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [script, ...args], {
    cwd: copy,
    env: { PATH: process.env['PATH'], ...env },
  });
  return stdout;
}

test('the example has the form of the code, and changes no file outside of its folder', async () => {
  expect(files.size).toBe(10);
  await run(join('node_modules', 'prettier', 'bin', 'prettier.cjs'), '--check', ...files.keys());
});

test('its command, its variable and its operation are listed', async () => {
  expect(await run('dist/src/cli.js', '--help')).toMatch(/^ +greeting +show greetings$/m);
  const { paths, tags } = JSON.parse(await run('dist/src/cli.js', 'openapi')) as {
    paths: Record<string, { post?: { operationId: string; responses: object } }>;
    tags: { name: string }[];
  };
  const greet = paths['/api/v1/greetings']!.post!;
  expect(greet.operationId).toBe('greet');
  expect(JSON.stringify(greet)).toContain('Hello Ada');
  expect(tags.map(({ name }) => name)).toContain('Greetings');
  expect(greet.responses).toHaveProperty('409');
  await expect(runWith({ GREETNG: 'Hi' }, 'dist/src/cli.js', 'config', 'check')).rejects.toThrow(
    'GREETING',
  );
});

describe.each(databaseKinds)('on %s', (kind) => {
  let database: TestDatabase;
  let server: ChildProcess;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
  });

  afterAll(async () => {
    await database.drop();
  });

  afterEach(async () => {
    server.kill();
    await until(() => Promise.resolve(server.exitCode !== null || server.signalCode !== null));
  });

  async function startWith(env: Record<string, string>): Promise<ApiClient> {
    const port = await freePort();
    server = spawn(process.execPath, ['dist/src/main.js'], {
      cwd: copy,
      env: {
        PATH: process.env['PATH'],
        CONSOLE: 'off',
        PORT: `${port}`,
        BOOTSTRAP_API_TOKEN: BOOTSTRAP_TOKEN,
        ...database.env,
        ...env,
      },
      stdio: 'ignore',
    });
    const baseUrl = `http://127.0.0.1:${port}`;
    await until(() =>
      fetch(`${baseUrl}/health/ready`).then(
        ({ ok }) => ok,
        () => false,
      ),
    );
    return new ApiClient(baseUrl, BOOTSTRAP_TOKEN);
  }

  test('the route greets each name once, in the words of the setting', async () => {
    const api = await startWith({ GREETING: 'Welcome' });
    const greet = (body: object) => api.call('POST', '/api/v1/greetings', body);
    const [first, again, nobody] = [
      await greet({ name: 'Ada' }),
      await greet({ name: 'Ada' }),
      await greet({}),
    ];
    expect([first.status, first.body]).toEqual([200, { success: 1, greeting: 'Welcome Ada' }]);
    expect([again.status, again.body]).toEqual([
      409,
      expect.objectContaining({ code: 'greeted_before' }),
    ]);
    expect(nobody.status).toBe(422);
    const listed = await runWith(
      database.env,
      ...(['dist/src/cli.js', 'greeting', 'list', '--output', 'json'] as const),
    );
    expect(JSON.parse(listed)).toMatchObject({ greetings: [{ name: 'Ada' }] });
  });

  test('FEATURES leaves out its route and its command, and keeps its table', async () => {
    const api = await startWith({ FEATURES: 'core' });
    expect((await api.call('POST', '/api/v1/greetings', { name: 'Bob' })).status).toBe(404);
    const env = { ...database.env, FEATURES: 'core' };
    await expect(runWith(env, 'dist/src/cli.js', 'greeting', 'list')).rejects.toThrow(
      'which FEATURES leaves out',
    );
    const shown = await runWith(database.env, 'dist/src/cli.js', 'migration', 'show');
    expect(shown).toMatch(/CreateGreeting\d+/);
  });
});
