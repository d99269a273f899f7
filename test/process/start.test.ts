import { createHash } from 'node:crypto';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  administer,
  createTestDatabase,
  databaseKinds,
  type TestDatabase,
  TEST_KEYS,
} from '../support/database/databases.ts';
import {
  runBuilt,
  runCli,
  runWarm,
  startOwnServer,
  startServer,
} from '../support/process/processes.ts';
import { startTestService } from '../support/test-service.ts';

const otherKey = createHash('sha256').update('other').digest('base64');
const deadDatabase = 'postgres://nobody:s3cret@127.0.0.1:1/none';

const WAITING = 'waiting for PostgreSQL';

let directory: string;

beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'user-groups-start-'));
});

afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

/** The embedded database of the process under test. */
const embedded = (): TestDatabase => ({
  kind: 'sqlite',
  env: { DATA_DIR: directory },
  drop: () => Promise.resolve(),
});

/**
 * Expects the process to end with code 1 and exactly one line on standard error.
 * @param run `runBuilt` for a process of its own
 * @returns its log
 */
async function expectRefusal(
  env: Record<string, string>,
  line: RegExp,
  run = runWarm,
): Promise<string> {
  const { code, stdout, stderr } = await run('main.js', {
    DATA_DIR: directory,
    METRICS_PORT: '0',
    PORT: '0',
    ...env,
  });
  expect(stderr).toMatch(/^user-group-service: [^\n]+\n$/);
  expect(stderr).toMatch(line);
  expect(code).toBe(1);
  return stdout;
}

/** The log of a process whose database cannot be reached, and for how many milliseconds it waits. */
let unreachable: Promise<{ waitedFor: number; stdout: string }>;

// It runs at the same time as the other tests.
beforeAll(() => {
  const startedAt = performance.now();
  unreachable = expectRefusal(
    { DATA_DIR: tmpdir(), DATABASE_URL: deadDatabase, TOKEN_ENCRYPTION_KEYS: TEST_KEYS },
    /PostgreSQL of DATABASE_URL cannot be used: .*ECONNREFUSED/,
    runBuilt,
  ).then((stdout) => {
    const endedAt = performance.now();
    return { waitedFor: endedAt - startedAt, stdout };
  });
  unreachable.catch(() => undefined);
});

describe('a process that cannot start says why in one line', () => {
  test('a wrong value', () =>
    expectRefusal({ PORT: 'eighty' }, /PORT must be a whole number from 0 to 65535/, runBuilt));

  test('a variable that is spelled almost right', () =>
    expectRefusal(
      { DATABSE_URL: 'postgres://x/y' },
      /DATABSE_URL is not a variable.*did you mean DATABASE_URL/,
    ));

  test('conflicting configuration', () =>
    expectRefusal({ PORT: '4000', METRICS_PORT: '4000' }, /METRICS_PORT must differ from PORT/));

  test('PostgreSQL without encryption keys', () =>
    expectRefusal(
      { DATABASE_URL: deadDatabase },
      /TOKEN_ENCRYPTION_KEYS must be set when DATABASE_URL is/,
    ));

  test('a port that another process uses', async () => {
    const taken = createServer();
    await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
    const port = String((taken.address() as AddressInfo).port);
    await expectRefusal(
      { PORT: port },
      new RegExp(`PORT ${port} of HOST 127.0.0.1 is not available: another process uses it`),
    );
    await expectRefusal(
      { METRICS_PORT: port },
      /METRICS_PORT \d+ of HOST 127.0.0.1 is not available: another process uses it/,
      // This refusal is the last of all: by then the database and PORT are open.
      runBuilt,
    );
    taken.close();
  });

  test('a DATA_DIR that cannot be a directory', async () => {
    writeFileSync(join(directory, 'file'), '');
    await expectRefusal(
      { DATA_DIR: join(directory, 'file', 'data') },
      /not a writable directory \(ENOTDIR\)/,
    );
    await expectRefusal(
      { DATA_DIR: join(directory, 'file') },
      /not a writable directory \(EEXIST\)/,
    );
  });

  test('a DATA_DIR where no directory can be made', () =>
    expectRefusal({ DATA_DIR: '/proc/x/data' }, /DATA_DIR \/proc\/x\/data is not a writable dir/));

  test('files that others may write, and a key file that they may read', async () => {
    const path = join(directory, 'keys');
    writeFileSync(path, TEST_KEYS);
    chmodSync(path, 0o666);
    await expectRefusal(
      { TOKEN_ENCRYPTION_KEYS_FILE: path },
      /TOKEN_ENCRYPTION_KEYS_FILE names a file that everybody may write; chmod o-w it/,
    );
    writeFileSync(join(directory, 'token-encryption-keys'), TEST_KEYS);
    chmodSync(join(directory, 'token-encryption-keys'), 0o644);
    await expectRefusal({}, /key file .* cannot be used: it is world-readable; run chmod 600/);
  });

  test('a database file that is none', async () => {
    writeFileSync(join(directory, 'user-groups.sqlite'), 'this is not a database, '.repeat(100));
    await expectRefusal({}, /DATA_DIR .* cannot be used \(.*not a database/);
  });

  test('a key file that is none', async () => {
    writeFileSync(join(directory, 'token-encryption-keys'), 'nonsense', { mode: 0o600 });
    await expectRefusal({}, /key file .* cannot be used: must be a list such as/);
  });

  test('a key file that is gone, without making another', async () => {
    const service = await startTestService(embedded());
    await service.api.get({ user_group_id: 'g', name: 'G' });
    await service.close();
    rmSync(join(directory, 'token-encryption-keys'));
    await expectRefusal({}, /key file .* is gone, and the database was written with it/);
    expect(existsSync(join(directory, 'token-encryption-keys'))).toBe(false);
  });

  if (databaseKinds.includes('postgres')) {
    test('a database that does not exist, at once', async () => {
      const url = new URL(process.env['TEST_DATABASE_URL']!);
      url.pathname = '/no_such_database';
      const log = await expectRefusal(
        { DATABASE_URL: url.href, TOKEN_ENCRYPTION_KEYS: TEST_KEYS },
        /database "no_such_database" does not exist/,
      );
      expect(log).not.toContain(WAITING);
    });
  }

  test.each(databaseKinds)('an encryption key that is missing or another, on %s', async (kind) => {
    const database = await createTestDatabase(kind);
    const env = { ...database.env, TOKEN_ENCRYPTION_KEYS: TEST_KEYS };
    const service = await startTestService(database, env);
    await service.api.get({ user_group_id: 'g', name: 'G' });
    await service.close();
    await expectRefusal(
      { ...env, TOKEN_ENCRYPTION_KEYS: `k2:${otherKey}` },
      /key "k1", which is not configured/,
    );
    await expectRefusal(
      { ...env, TOKEN_ENCRYPTION_KEYS: `k1:${otherKey}` },
      /key "k1" is not the one/,
    );
    const rotated = await startTestService(database, {
      TOKEN_ENCRYPTION_KEYS: `k2:${otherKey},${TEST_KEYS}`,
    });
    expect((await rotated.api.get({ user_group_id: 'g' })).status).toBe(200);
    await rotated.close();
    await database.drop();
  });

  test('no line holds the secret that is wrong', async () => {
    const secret = 'do-not-print-me';
    for (const name of ['DATABASE_URL', 'TOKEN_ENCRYPTION_KEYS', 'BOOTSTRAP_API_TOKEN']) {
      const { stdout, stderr } = await runWarm('main.js', { DATA_DIR: directory, [name]: secret });
      expect(stderr).toContain(`${name} must`);
      expect(stdout + stderr).not.toContain(secret);
    }
  });
});

describe('the first run', () => {
  test('on the embedded database makes a token that works, and a restart finds what was written', async () => {
    const server = await startServer({ DATA_DIR: directory, BOOTSTRAP_API_TOKEN: '' });
    const token = readFileSync(join(directory, 'bootstrap-token'), 'utf8').trim();
    const ready = JSON.parse(/^.*"msg":"ready".*$/m.exec(server.output())![0]) as Record<
      string,
      string
    >;
    expect(ready).toMatchObject({
      api: `${server.baseUrl}/api/user`,
      docs: `${server.baseUrl}/docs`,
    });
    // A log is kept: it names the file, not the token.
    expect(server.output()).not.toContain(token);
    expect(ready['try']).toContain(join(directory, 'bootstrap-token'));
    const Authorization = `Token ${token}`;
    const group = { user_group_id: 'g', name: 'G', properties: { a: 1 }, mapping: { s: 1 } };
    const { body: before } = await server.api.get(group, { Authorization });
    expect(before).toMatchObject({ success: 1, new_user_group: true });
    await server.stop();
    const again = await startServer({ DATA_DIR: directory, BOOTSTRAP_API_TOKEN: '' });
    expect(readFileSync(join(directory, 'bootstrap-token'), 'utf8').trim()).toBe(token);
    expect(again.output()).not.toContain('bootstrap-token');
    const { body: after } = await again.api.get(group, { Authorization });
    expect(after).toEqual({ ...before, new_user_group: false });
    await again.stop();
  });

  test('takes BOOTSTRAP_API_TOKEN from a file, and only while there is no API token', async () => {
    mkdirSync(join(directory, 'secrets'));
    const file = join(directory, 'secrets', 'token');
    writeFileSync(file, 'first-secret-of-at-least-32-characters\n');
    const env = { BOOTSTRAP_API_TOKEN: '', BOOTSTRAP_API_TOKEN_FILE: file };
    const service = await startTestService(embedded(), env);
    const as = (token: string) => ({ Authorization: `Token ${token}` });
    const first = await service.api.get(
      { user_group_id: 'x' },
      as('first-secret-of-at-least-32-characters'),
    );
    expect(first.status).toBe(404);
    await service.close();
    writeFileSync(file, 'second-secret-of-at-least-32-characters\n');
    const again = await startTestService(embedded(), env);
    const second = await again.api.get(
      { user_group_id: 'x' },
      as('second-secret-of-at-least-32-characters'),
    );
    expect(second.status).toBe(401);
    await again.close();
  });

  if (databaseKinds.includes('postgres')) {
    test('on PostgreSQL without BOOTSTRAP_API_TOKEN answers 401 and names the command to run', async () => {
      const database = await createTestDatabase('postgres');
      const server = await startServer({ ...database.env, BOOTSTRAP_API_TOKEN: '' });
      expect(server.output()).toContain(
        'npm run --silent cli -- token create --name admin --scopes all',
      );
      expect((await server.api.get({ user_group_id: 'x' })).status).toBe(401);
      const created = await runCli(
        database.env,
        'token',
        'create',
        '--name',
        'admin',
        '--scopes',
        'all',
      );
      const Authorization = `Token ${created.stdout.trim()}`;
      expect(
        (await server.api.get({ user_group_id: 'x', name: 'X' }, { Authorization })).status,
      ).toBe(200);
      await server.stop();
      await database.drop();
    });
  }
});

test('what every user of the machine may read is warned of', async () => {
  const path = join(directory, 'mounted');
  writeFileSync(path, TEST_KEYS);
  chmodSync(path, 0o440);
  symlinkSync(path, join(directory, 'link'));
  const env = { DATA_DIR: directory, TOKEN_ENCRYPTION_KEYS_FILE: join(directory, 'link') };
  const closed = await startServer(env);
  expect(closed.output()).not.toContain('by everybody');
  await closed.stop();
  chmodSync(path, 0o644);
  chmodSync(directory, 0o755);
  const open = await startServer(env);
  const warnings = [
    ...open
      .output()
      .matchAll(/"msg":"([^"]*) can be read by everybody; run chmod o-rwx","name":"(\w+)"/g),
  ];
  expect(warnings.map(([, what, name]) => [what, name])).toEqual([
    ['secret file', 'TOKEN_ENCRYPTION_KEYS_FILE'],
    ['DATA_DIR', 'DATA_DIR'],
  ]);
  await open.stop();
});

test('a second process on one DATA_DIR says so, and SIGTERM is written down', async () => {
  const words = 'another process already serves this DATA_DIR';
  const first = await startOwnServer({ DATA_DIR: directory });
  expect(first.output()).not.toContain(words);
  const second = await startOwnServer({ DATA_DIR: directory });
  expect(second.output()).toContain(words);
  expect(await Promise.all([first.stop(), second.stop()])).toEqual([0, 0]);
  for (const server of [first, second]) {
    expect(server.output()).toContain('"msg":"shutting down","signal":"SIGTERM"');
  }
  const third = await startOwnServer({ DATA_DIR: directory });
  expect(third.output()).not.toContain(words);
  await third.stop('SIGKILL');
});

if (databaseKinds.includes('postgres')) {
  test('a database in another encoding than UTF-8 is refused', async () => {
    const name = `user_groups_latin1_${process.pid}`;
    await administer(
      `CREATE DATABASE ${name} ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0`,
    );
    const url = new URL(process.env['TEST_DATABASE_URL']!);
    url.pathname = `/${name}`;
    await expectRefusal(
      { DATABASE_URL: url.href, TOKEN_ENCRYPTION_KEYS: TEST_KEYS },
      /must have the encoding UTF8/,
    );
    await administer(`DROP DATABASE ${name}`);
  });
}

test('a database that cannot be reached is waited for, and then the process says so in one line', async () => {
  const { waitedFor, stdout } = await unreachable;
  expect(stdout).toContain(WAITING);
  expect(waitedFor).toBeGreaterThan(10_000);
});
