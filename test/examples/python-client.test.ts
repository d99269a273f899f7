import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeOpenApi } from '../../src/app/openapi/openapi.ts';
import { createTestDatabase, onEachDatabase, type TestDatabase } from '../support/databases.ts';
import { BOOTSTRAP_TOKEN, type RunningServer, startServer } from '../support/processes.ts';
import { missedBy } from '../support/resumed-consumer.ts';

// Debian's packages are those of /usr/bin/python3, which need not be the first of the path.
const python = process.env['PYTHON'] ?? 'python3';
const hasMypy = spawnSync(python, ['-m', 'mypy', '--version']).status === 0;

let directory: string;
let sources: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-python-'));
  sources = join(directory, 'sources');
  cpSync(join(import.meta.dirname, '..', '..', 'clients', 'python'), sources, { recursive: true });
  const packages = join(directory, 'packages');
  // What a machine knows of passwords must not take the place of the API token.
  const netrc = join(directory, 'netrc');
  writeFileSync(netrc, 'default login somebody password else\n');
  env = { PATH: process.env['PATH'], PYTHONPATH: packages, NETRC: netrc, LANG: 'C.UTF-8' };
  const install = ['-m', 'pip', 'install', '--no-index', '--no-deps', '--no-build-isolation'];
  await run(...install, '--quiet', '--target', packages, sources);
  // From here on the one that is installed is the only one.
  rmSync(join(sources, 'user_group_service'), { recursive: true });
});

afterAll(() => {
  rmSync(directory, { recursive: true });
});

onEachDatabase((kind) => {
  let database: TestDatabase;
  let server: RunningServer;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    server = await startServer({ ...database.env, PUBLIC_URL: 'https://user-groups.example' });
    Object.assign(env, { BASE: server.baseUrl, TOKEN: BOOTSTRAP_TOKEN });
  });

  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  test('every operation of the document can be called from Python', async () => {
    const called = JSON.parse(await run('tests/every_operation.py')) as string[];
    const { paths } = await describeOpenApi();
    const described = Object.values(paths).flatMap((item) =>
      Object.values(item as Record<string, { operationId: string }>).map(({ operationId }) => snakeCase(operationId)),
    );
    expect(called).toEqual(described.sort());
  });

  test('a consumer that stores what it is told, and is killed amid events, misses none', async () => {
    const missed = await missedBy(server.api, async (count, position) => {
      const args = [String(count), ...(position ? [position] : [])];
      return JSON.parse(await run('tests/resumed_consumer.py', ...args)) as { handled: string[]; stored: string };
    });
    expect(missed).toEqual([]);
  });

  test('the example of its README does what it says', async () => {
    const [, code] = /```python\n([\s\S]*?)```/.exec(readme())!;
    expect(await run('-c', code!)).toMatch(/^ugt_\w+\nprecondition_failed 412\n$/);
  });
});

test('answers that are slow, cut or of somebody else are told apart', async () => {
  await run('-W', 'ignore::ResourceWarning', '-m', 'unittest', 'tests/test_transport.py');
});

(hasMypy || process.env['CI'] ? test : test.skip)('its types hold, in strict mode', async () => {
  // As installed: a package without its py.typed has no types for anybody.
  const options = ['--config-file', 'pyproject.toml', '--cache-dir', join(directory, 'mypy')];
  await run('-m', 'mypy', ...options, '--package', 'user_group_service');
  const tests = ['every_operation', 'resumed_consumer', 'test_transport'];
  await run('-m', 'mypy', ...options, ...tests.map((name) => `tests/${name}.py`));
});

/** `createOrLookUpUserGroup` is `create_or_look_up_user_group`. */
function snakeCase(operationId: string): string {
  return operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function readme(): string {
  return readFileSync(join(sources, 'README.md'), 'utf8');
}

/** Runs Python beside the tests of the client, with the client as it is installed; gives what it prints. */
async function run(...args: string[]): Promise<string> {
  const child = spawn(python, args, { cwd: sources, env, stdio: ['ignore', 'pipe', 'pipe'] });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${python} ${args[0]} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}
