import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  BindError,
  bindVariables,
  type SqlDialect,
  sqlLiteral,
} from '../../clients/typescript/index.ts';
import { PLACEHOLDERS, SQL_DIALECTS } from '../../clients/typescript/sql-dialects.ts';
import { withoutGateways } from '../../scripts/clients/parameters.mjs';
import { describeOpenApi } from '../../src/server/app/openapi/openapi.ts';
import {
  generateSigningSecret,
  signatureOf,
} from '../../src/features/webhook/sending/signature.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { MisbehavingProxy } from '../support/servers/misbehaving-proxy.ts';
import { BOOTSTRAP_TOKEN, type RunningServer, startServer } from '../support/process/processes.ts';
import { missedBy } from '../support/events/resumed-consumer.ts';
import { until } from '../support/time/until.ts';
import { hostileValues } from '../system/bind-variables/hostile.mjs';
import { mutatedTexts } from '../system/bind-variables/mutated-texts.mjs';
import { accepts, freePort } from '../system/lab/ports.mjs';

// Debian's packages are those of /usr/bin/python3, which need not be the first of the path.
const python = process.env['PYTHON'] ?? 'python3';
const hasMypy = spawnSync(python, ['-m', 'mypy', '--version']).status === 0;
const hasDriver = spawnSync(python, ['-c', 'import psycopg']).status === 0;
/** Superset reads filters of rows by Jinja and SQLAlchemy. */
const hasReaders = spawnSync(python, ['-c', 'import jinja2, sqlalchemy']).status === 0;

let directory: string;
let sources: string;
let env: NodeJS.ProcessEnv;
const children: ChildProcess[] = [];

beforeAll(async () => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-python-'));
  sources = join(directory, 'sources');
  cpSync(join(import.meta.dirname, '..', '..', 'clients', 'python'), sources, { recursive: true });
  const packages = join(directory, 'packages');
  // A password that the machine knows must not take the place of the API token.
  const netrc = join(directory, 'netrc');
  writeFileSync(netrc, 'default login somebody password else\n');
  env = { PATH: process.env['PATH'], PYTHONPATH: packages, NETRC: netrc, LANG: 'C.UTF-8' };
  const pip = ['-m', 'pip', '--quiet', '--disable-pip-version-check'];
  const options = ['--no-index', '--no-deps'];
  await run(...pip, 'wheel', ...options, '--no-build-isolation', '--wheel-dir', directory, sources);
  const wheel = readdirSync(directory).find((name) => name.endsWith('.whl'))!;
  await run(...pip, 'install', ...options, '--target', packages, join(directory, wheel));
  // The examples follow each other; the receiver of webhooks is a program by itself.
  const blocks = [...readme().matchAll(/```python\n([^]*?)```/g)].map(([, code]) => code!);
  writeFileSync(
    join(sources, 'readme.py'),
    blocks.filter((code) => !code.includes('Receiver')).join('\n'),
  );
  writeFileSync(
    join(sources, 'receiver.py'),
    blocks.find((code) => code.includes('Receiver'))!,
  );
  // From here on the one that is installed is the only one.
  rmSync(join(sources, 'user_group_service'), { recursive: true });
});

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
  rmSync(directory, { recursive: true });
});

onEachDatabase((kind) => {
  let database: TestDatabase;
  let server: RunningServer;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    server = await startServer({ ...database.env, PUBLIC_URL: 'https://user-groups.example' });
    const [BASE, TOKEN] = [server.baseUrl, BOOTSTRAP_TOKEN];
    Object.assign(env, { BASE, TOKEN, USER_GROUPS_URL: BASE, USER_GROUPS_TOKEN: TOKEN });
  });

  afterAll(async () => {
    await server.stop();
    await database.drop();
  });

  test('every operation of the document can be called from Python', async () => {
    const called = JSON.parse(await run('tests/every_operation.py')) as string[];
    const { paths } = withoutGateways(await describeOpenApi());
    const described = Object.values(paths).flatMap((item) =>
      Object.values(item as Record<string, { operationId: string }>).map(({ operationId }) =>
        snakeCase(operationId),
      ),
    );
    expect(called).toEqual(described.sort());
  });

  test('a consumer that stores what it is told, and is killed amid events, misses none', async () => {
    const missed = await missedBy(server.api, async (count, position) => {
      const args = [String(count), ...(position ? [position] : [])];
      return JSON.parse(await run('tests/resumed_consumer.py', ...args)) as {
        handled: string[];
        stored: string;
      };
    });
    expect(missed).toEqual([]);
  });

  test('the examples of its README do what they say, one after the other', async () => {
    const { child, output } = start(['-u', 'readme.py']);
    await until(
      () => output.text.includes('\nacme-emea Acme') || child.exitCode !== null,
      () => output.text,
    );
    // The last one follows events until it is ended.
    await until(
      async () => {
        await server.api.put({ user_group_id: 'heard', name: String(Math.random()) });
        return output.text.includes("'heard'") || child.exitCode !== null;
      },
      () => output.text,
    );
    expect(output.text).toMatch(/^ugt_\w+\n412 precondition_failed \S+\nTrue\n/);
    expect(output.text).toContain('acme-emea Acme EMEA\n');
    expect(output.text).toContain('refused: 2 validation_failed\n1 created True\n');
    expect(output.text).toContain("acme-emea a connection of yours {'region': 'EMEA'}\n");
    expect(output.text).toMatch(/^user_group\.(create|update) \{.*'provided_id': 'heard'.*\}$/m);
  });

  test('a proxy that fails is told apart, and only what is safe is sent again', async () => {
    const proxy = await MisbehavingProxy.start(server.baseUrl);
    Object.assign(env, { PROXY: proxy.url('none').replace(/none$/, '') });
    const told = JSON.parse(await run('tests/faults.py')) as Record<string, unknown>;
    await proxy.close();
    const foreign = 'the response is not one of the user group service';
    const begin = `${new URL(env['PROXY']!).origin}: the connection failed or was lost`;
    const lost = [null, null, expect.stringContaining(begin)];
    const agent = expect.stringMatching(/^user-group-service-python\/\d+\.\d+\.\d+$/) as string;
    expect(told).toEqual({
      empty: [[502, null, `502: ${foreign}: no content type, an empty body`], 1, 1, agent],
      html: [
        [
          502,
          null,
          expect.stringContaining(`${foreign}: text/html, a body that begins with '<html>`),
        ],
        1,
        1,
        agent,
      ],
      hang: [[null, null, 'the service sent nothing in time'], 1, 1, agent],
      cut: [lost, 3, 1, agent],
      'cut export': [lost, 1, 1, agent],
      'cut once': ['done', 2, 1, agent],
      'cut once, with a key': ['done', 2, 1, agent],
      'cut once, unsafe': [lost, 1, 1, agent],
      'busy once': ['done', 2, 1, agent],
      'busy once, unsafe': [[503, null, expect.stringContaining('503')], 1, 1, agent],
    });
  });
});

test('the receiver of its README accepts what the service signs, and nothing else', async () => {
  const port = await freePort();
  const { secret } = generateSigningSecret('v1');
  writeFileSync(
    join(sources, 'receiver.py'),
    readFileSync(join(sources, 'receiver.py'), 'utf8').replace('8080', String(port)),
  );
  const { output } = start(['-u', 'receiver.py'], { WEBHOOK_SECRET: secret });
  await until(
    () => accepts(port),
    () => output.text,
  );
  const body = '{"type":"user_group.update","timestamp":"2030-01-01T12:00:00.000Z","data":{}}';
  const timestamp = Math.floor(Date.now() / 1000);
  const headers = {
    'webhook-id': 'evt_4711',
    'webhook-timestamp': String(timestamp),
    'webhook-signature': signatureOf({ id: 'evt_4711', timestamp, body }, [secret]),
  };
  const deliver = async (text: string) =>
    (await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', body: text, headers })).status;
  expect([await deliver(body), await deliver(`${body} `)]).toEqual([204, 400]);
  for (const length of ['-1', '9'.repeat(400), '1,']) {
    const socket = connect(port, '127.0.0.1');
    socket.write(`POST / HTTP/1.1\r\nContent-Length: ${length}\r\n\r\n`);
    const [response] = (await once(socket, 'data')) as [Buffer];
    expect(String(response)).toMatch(/^HTTP\/1.0 400 /);
    socket.destroy();
  }
  expect(output.text).toContain('evt_4711 user_group.update {}\n');
});

test('responses that are slow, cut or of somebody else are told apart, and messages verified', async () => {
  await run(
    '-W',
    'ignore::ResourceWarning',
    '-m',
    'unittest',
    'tests/test_transport.py',
    'tests/test_webhooks.py',
  );
});

test('it binds variables, writes literals, and tells viewers as the cases of both clients say', async () => {
  await run(
    '-m',
    'unittest',
    'tests/test_bind_variables.py',
    'tests/test_sql_literal.py',
    'tests/test_viewer.py',
  );
});

(hasReaders || process.env['CI'] ? test : test.skip)(
  'its security manager for Superset shows a viewer the rows of the user group, or nothing',
  async () => {
    await run('-m', 'unittest', 'tests/test_superset.py');
  },
);

test('it introspects from memory as the cases of both clients say, and reports views', async () => {
  await run('-m', 'unittest', 'tests/test_cached_introspector.py', 'tests/test_view_reporter.py');
});

test('it knows the dialects of the TypeScript client, and binds, writes and refuses what that does', async () => {
  const dialects = Object.keys(SQL_DIALECTS) as SqlDialect[];
  const texts = dialects.flatMap((dialect) => {
    return Array.from(mutatedTexts(dialect, 2000, 11), (sql): [SqlDialect, string] => [
      dialect,
      sql,
    ]);
  });
  const file = join(directory, 'texts.json');
  const hostile = hostileValues(11, undefined);
  const values = Array.from({ length: 2000 }, () => hostile.next().value as string);
  writeFileSync(file, JSON.stringify({ texts, values }));
  const told = JSON.parse(await run('tests/bind_alike.py', file)) as Record<string, unknown>;
  const rules = Object.entries(SQL_DIALECTS).map(
    ([dialect, { hasAsciiCode, refusesEmptyLists, hasNoBooleans, hasNoZones, ...same }]) => {
      const flags = [hasAsciiCode, refusesEmptyLists, hasNoBooleans, hasNoZones].map(Boolean);
      const [has_ascii_code, refuses_empty_lists, has_no_booleans, has_no_zones] = flags;
      return [
        dialect,
        { ...same, has_ascii_code, refuses_empty_lists, has_no_booleans, has_no_zones },
      ];
    },
  );
  expect(told['rules']).toEqual(Object.fromEntries(rules));
  expect(told['placeholders']).toEqual(PLACEHOLDERS);
  const bound = texts.map(([dialect, sql]) => {
    try {
      const { text, values } = bindVariables(
        sql,
        { value: 'x' },
        { dialect, declarations: { value: 'string' } },
      );
      return [text, values];
    } catch (error) {
      return error instanceof BindError ? [error.code, error.position] : error;
    }
  });
  expect(told['bound']).toEqual(bound);
  const literals = dialects.map((dialect) => [
    dialect,
    values.map((value) => {
      try {
        return sqlLiteral(value, dialect);
      } catch {
        return null;
      }
    }),
  ]);
  expect(told['literals']).toEqual(Object.fromEntries(literals));
});

(hasMypy || process.env['CI'] ? test : test.skip)('its types hold, in strict mode', async () => {
  // Checks the installed package: without its py.typed, it has types for nobody.
  const options = ['--config-file', 'pyproject.toml', '--cache-dir', join(directory, 'mypy')];
  await run('-m', 'mypy', ...options, '--package', 'user_group_service');
  const tests = [
    'every_operation',
    'faults',
    'resumed_consumer',
    'test_transport',
    'test_webhooks',
    'test_bind_variables',
    'test_sql_literal',
    'test_viewer',
    'test_cached_introspector',
    'test_view_reporter',
    'fake_service',
    'introspects',
    ...(hasDriver ? ['test_with_tenant'] : []),
    ...(hasReaders ? ['test_superset'] : []),
    'bind_alike',
  ];
  await run(
    '-m',
    'mypy',
    ...options,
    ...tests.map((name) => `tests/${name}.py`),
    'readme.py',
    'receiver.py',
  );
});

/** `createOrLookUpUserGroup` is `create_or_look_up_user_group`. */
function snakeCase(operationId: string): string {
  return operationId.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}

function readme(): string {
  return readFileSync(join(sources, 'README.md'), 'utf8');
}

/** Starts Python in the directory of the client's tests, with the installed client; `output` grows as it prints. */
function start(args: string[], more: NodeJS.ProcessEnv = {}) {
  const options = {
    cwd: sources,
    env: { ...env, ...more },
    stdio: ['ignore', 'pipe', 'pipe'] as ['ignore', 'pipe', 'pipe'],
  };
  const child = spawn(python, args, options);
  children.push(child);
  const output = { text: '', errors: '' };
  child.stdout.on('data', (chunk: Buffer) => (output.text += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output.errors += chunk.toString()));
  return { child, output };
}

/** Gives what Python prints. @throws with it, if it fails */
async function run(...args: string[]): Promise<string> {
  const { child, output } = start(args);
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) {
    throw new Error(`${python} ${args[0]} ended with ${code}:\n${output.text}${output.errors}`);
  }
  return output.text;
}
