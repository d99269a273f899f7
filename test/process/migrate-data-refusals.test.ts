import BetterSqlite3 from 'better-sqlite3';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { loadConfig } from '../../src/platform/config/load-config.ts';
import { sqlitePath } from '../../src/platform/database/data-source-options.ts';
import { prepareDatabase } from '../../src/platform/database/schema/migrate.ts';
import { migrations } from '../../src/server/library/migrations.ts';
import {
  changeDatabase,
  createTestDatabase,
  onPostgres,
  type TestDatabase,
} from '../support/database/databases.ts';
import { readTables } from '../support/database/full-database.ts';
import { keyList } from '../system/lab/keys.mjs';
import { fillGroups, runSql, withKeys } from '../support/keys.ts';
import { follow } from '../support/api/operations.ts';
import { runCli, spawnBuilt, startServer } from '../support/process/processes.ts';
import { startTestService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

/** More than are inserted at once. */
const GROUPS = 2000;

// There is nothing to move to without PostgreSQL.
onPostgres('a move that', () => {
  /** A database with one group, that no server has open. */
  let original: string;
  let source: TestDatabase;
  let target: TestDatabase;

  beforeAll(async () => {
    original = mkdtempSync(join(tmpdir(), 'user-groups-source-'));
    const server = await startServer({ DATA_DIR: original });
    await server.api.put({ user_group_id: 'g', name: 'G' });
    await server.stop();
  });

  afterAll(() => {
    rmSync(original, { recursive: true });
  });

  beforeEach(async () => {
    source = await createTestDatabase('sqlite');
    cpSync(original, source.env['DATA_DIR']!, { recursive: true });
    target = await createTestDatabase('postgres');
  });

  afterEach(async () => {
    await source.drop();
    await target.drop();
  });

  const file = () => sqlitePath(source.env['DATA_DIR']!);
  const env = (): Record<string, string> => ({
    DATA_DIR: source.env['DATA_DIR']!,
    DATABASE_URL: target.env['DATABASE_URL']!,
    TOKEN_ENCRYPTION_KEYS_FILE: join(source.env['DATA_DIR']!, 'token-encryption-keys'),
  });
  const move = (change: Record<string, string> = {}, ...args: string[]) =>
    runCli({ ...env(), ...change }, 'migrate-data', ...args);

  /** One line that says this, the code, a target as empty as migrations leave it, the source as it was. */
  async function expectRefusal(attempt: typeof move, line: RegExp, expected = 1): Promise<void> {
    const before = readFileSync(file());
    const { code, stdout, stderr } = await attempt();
    expect([code, stdout]).toEqual([expected, '']);
    expect(stderr).toMatch(/^user-group-service: [^\n]+\n$/);
    expect(stderr).toMatch(line);
    await expectEmptyTarget();
    expect(readFileSync(file()).equals(before)).toBe(true);
  }

  async function expectEmptyTarget(): Promise<void> {
    const tables = await readTables(target);
    // The migration inserts its row, and that of the first workspace.
    tables.delete('sweep_time');
    const rows = [...tables.values()].flat();
    expect(rows.filter((row) => !row.includes('"default"'))).toEqual([]);
    expect(rows.length).toBeLessThan(2);
  }

  async function expectMoved(): Promise<void> {
    expect(await move()).toMatchObject({ code: 0 });
    expect(await readTables(target)).toEqual(await readTables(source));
  }

  const latest = migrations.at(-1)!.name;
  const newer = "INSERT INTO migration (timestamp, name) VALUES (9, 'FromTheFuture9999999999999')";

  interface Refusal {
    arrange?: () => Promise<void> | void;
    env?: Record<string, string>;
    args?: string[];
    line: RegExp;
    code?: number;
  }

  test.each<[string, Refusal]>([
    ['has no target', { env: { DATABASE_URL: '' }, line: /DATABASE_URL must name the PostgreSQL/ }],
    [
      'cannot reach its target',
      {
        env: { DATABASE_URL: new URL('/no_such_database', process.env['TEST_DATABASE_URL']).href },
        line: /"no_such_database" does not exist/,
        code: 5,
      },
    ],
    [
      'has no keys',
      {
        env: { TOKEN_ENCRYPTION_KEYS_FILE: '' },
        line: /TOKEN_ENCRYPTION_KEYS must be set .* TOKEN_ENCRYPTION_KEYS_FILE: its file token-encryption-keys/,
      },
    ],
    [
      'has another key under the same id',
      {
        env: { TOKEN_ENCRYPTION_KEYS_FILE: '', TOKEN_ENCRYPTION_KEYS: keyList('k1') },
        line: /key "k1" is not the one .* TOKEN_ENCRYPTION_KEYS_FILE=\/.*\/token-encryption-keys instead/,
      },
    ],
    [
      'lacks a key that is in use',
      {
        env: { TOKEN_ENCRYPTION_KEYS_FILE: '', TOKEN_ENCRYPTION_KEYS: keyList('k2') },
        line: /key "k1", which is not configured; use those .* TOKEN_ENCRYPTION_KEYS_FILE=\/.*\/token-encryption-keys/,
      },
    ],
    [
      'lacks a key that was never in a file',
      {
        arrange: () => {
          rmSync(join(source.env['DATA_DIR']!, 'token-encryption-keys'));
        },
        env: { TOKEN_ENCRYPTION_KEYS_FILE: '', TOKEN_ENCRYPTION_KEYS: keyList('k2') },
        line: /use the TOKEN_ENCRYPTION_KEYS that it was served with/,
      },
    ],
    [
      'has no source',
      {
        args: ['--data-dir', join(tmpdir(), 'no-such-directory')],
        line: /There is no embedded database in \/.*no-such-directory/,
        code: 3,
      },
    ],
    [
      'has a source that is no database',
      {
        arrange: () => {
          writeFileSync(file(), 'something else '.repeat(100));
        },
        line: /The embedded database in .* cannot be read \(file is not a database\)/,
        code: 5,
      },
    ],
    [
      'has an older source',
      {
        arrange: () => changeDatabase(source, `DELETE FROM migration WHERE name = '${latest}'`),
        line: new RegExp(`lacks the migration ${latest}; start this version of the service on it`),
      },
    ],
    [
      'has an empty source',
      {
        arrange: () => {
          writeFileSync(file(), '');
        },
        line: new RegExp(`lacks the migration ${migrations[0]!.name};`),
      },
    ],
    [
      'has a source that was made before the first migration',
      {
        arrange: () =>
          changeDatabase(source, "UPDATE migration SET name = 'CreateActivity1795000000033'"),
        line: /made by a version before 0\.1\.0, .*"group export"/,
      },
    ],
    [
      'has a newer source',
      {
        arrange: () => changeDatabase(source, newer),
        line: /The embedded database in .* is of another version/,
      },
    ],
    [
      'has a newer target',
      {
        arrange: async () => {
          await prepareDatabase(loadConfig(target.env));
          await changeDatabase(target, newer);
        },
        line: /The PostgreSQL of DATABASE_URL is of another version/,
      },
    ],
    [
      'has the migrations of another program in the target',
      {
        arrange: () =>
          changeDatabase(
            target,
            `CREATE TABLE migration (id integer, timestamp bigint, name text);
             INSERT INTO migration VALUES (1, 1, 'OfAnotherProgram1')`,
          ),
        line: /The PostgreSQL of DATABASE_URL is of another version of the service, or another program’s/,
      },
    ],
    [
      'has a target past the pooler that is another database',
      {
        env: { DATABASE_DIRECT_URL: process.env['TEST_DATABASE_URL'] ?? '' },
        line: /DATABASE_DIRECT_URL leads to another database than DATABASE_URL/,
      },
    ],
    [
      'has a table that PostgreSQL does not have',
      {
        arrange: () => changeDatabase(source, 'CREATE TABLE mine (id integer PRIMARY KEY)'),
        line: /table "mine" has the columns id in the embedded database, but none in PostgreSQL/,
      },
    ],
    [
      'comes out differently',
      {
        arrange: () => onInsert('user_group_token', "NEW.last_four = 'abcd'; RETURN NEW;"),
        line: /The table "user_group_token" is not the same in PostgreSQL \(rows copied: 1, rows there: 1\)/,
      },
    ],
    [
      'loses a row',
      {
        arrange: () => onInsert('user_group_token', 'RETURN NULL;'),
        line: /The table "user_group_token" is not the same in PostgreSQL \(rows copied: 1, rows there: 0\)/,
      },
    ],
    [
      'fails in the middle',
      {
        arrange: () => onInsert('user_group_token', "RAISE EXCEPTION 'disk full';"),
        line: /The data could not be moved, and nothing was \(disk full\)/,
        code: 5,
      },
    ],
  ])('%s is refused', async (_name, { arrange, env, args = [], line, code }) => {
    await arrange?.();
    await expectRefusal(() => move(env, ...args), line, code);
  });

  /** Migrates the target, and makes it do this with each row that is inserted. */
  async function onInsert(table: string, body: string): Promise<void> {
    await prepareDatabase(loadConfig(target.env));
    await changeDatabase(
      target,
      `CREATE FUNCTION tamper() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN ${body} END $$;
       CREATE TRIGGER tamper BEFORE INSERT ON ${table} FOR EACH ROW EXECUTE FUNCTION tamper()`,
    );
  }

  test('follows the pages of operation is done', async () => {
    const { DATA_DIR = '', DATABASE_URL = '' } = env();
    const printed = follow('move to postgres', { DATA_DIR, DATABASE_URL });
    expect(printed).toMatch(/^user_group +1 +[0-9a-f]{64}$/m);
    expect(await readTables(target)).toEqual(await readTables(source));
  });

  test('has a target with data is refused, even if only a server was started on it', async () => {
    await (await startTestService(target)).close();
    const before = await readTables(target);
    const { code, stderr } = await move();
    expect([code, stderr]).toEqual([
      4,
      expect.stringMatching(/has data already, in the table "\w+"/),
    ]);
    expect(await readTables(target)).toEqual(before);
  });

  test('lacks a key that is forgotten is done, and the key stays forgotten', async () => {
    await changeDatabase(source, "UPDATE encryption_key SET forgotten_at = 1 WHERE id = 'k1'");
    const change = { TOKEN_ENCRYPTION_KEYS_FILE: '', TOKEN_ENCRYPTION_KEYS: keyList('k2') };
    const elsewhere = { ...change, DATA_DIR: join(tmpdir(), 'no-such-directory') };
    const moving = move(elsewhere, '--data-dir', source.env['DATA_DIR']!);
    expect(await moving).toMatchObject({ code: 0 });
    const service = await startTestService(target, { ...env(), ...change });
    const { status, body } = await service.api.get({ user_group_id: 'g' });
    expect([status, body.code]).toEqual([409, 'token_forgotten']);
    await service.close();
  });

  test('finds a server on its source is refused, and the server goes on', async () => {
    const server = await startServer(source.env);
    const { code, stderr } = await move();
    expect([code, stderr]).toEqual([
      5,
      expect.stringContaining('is open in another process; stop the service first.'),
    ]);
    expect((await server.api.put({ user_group_id: 'h', name: 'H' })).status).toBe(200);
    await server.stop();
    await expectMoved();
  });

  test('is under way keeps every write from its source', async () => {
    await prepareDatabase(loadConfig(target.env));
    const client = new Client({ connectionString: target.env['DATABASE_URL'] });
    await client.connect();
    await client.query('BEGIN; LOCK TABLE user_group IN ROW EXCLUSIVE MODE');
    const moving = move();
    await waitForStatement('LOCK TABLE');
    const other = new BetterSqlite3(file(), { timeout: 0 });
    const write = () => other.exec("UPDATE user_group SET name = 'lost'");
    expect(write).toThrow('database is locked');
    await client.query('ROLLBACK');
    await client.end();
    expect(await moving).toMatchObject({ code: 0 });
    expect(await readTables(target)).toEqual(await readTables(source));
    // Given back; who writes now does so knowingly.
    write();
    other.close();
  });

  test('finds the target in use gives up', async () => {
    await prepareDatabase(loadConfig(target.env));
    const client = new Client({ connectionString: target.env['DATABASE_URL'] });
    await client.connect();
    await client.query('BEGIN; LOCK TABLE user_group IN ROW EXCLUSIVE MODE');
    await expectRefusal(move, /is being written to; stop what uses it first/, 4);
    await client.end();
  });

  test('is killed in the middle leaves nothing behind, and can be repeated', async () => {
    const keys = keyList('k1');
    rmSync(source.env['DATA_DIR']!, { recursive: true });
    mkdirSync(source.env['DATA_DIR']!);
    await (await startTestService(source, withKeys(source, 'k1'))).close();
    const tokens = await fillGroups(source, GROUPS, 'k1');
    const change = { TOKEN_ENCRYPTION_KEYS_FILE: '', TOKEN_ENCRYPTION_KEYS: keys };
    await prepareDatabase(loadConfig(target.env));
    for (const table of ['user_group', 'user_group_token']) {
      const release = await holdInserts(table);
      const child = spawnBuilt('cli.js', { ...env(), ...change }, 'migrate-data');
      const exit = once(child, 'exit');
      await waitForStatement(`INSERT INTO "${table}"`, 'advisory');
      child.kill('SIGKILL');
      expect((await exit)[1]).toBe('SIGKILL');
      await release();
      await expectEmptyTarget();
    }
    expect(await move(change)).toMatchObject({ code: 0 });
    expect(await readTables(target)).toEqual(await readTables(source));
    const service = await startTestService(target, { ...env(), ...change });
    for (const id of ['group 1', `group ${GROUPS}`]) {
      const { body } = await service.api.get({ user_group_id: id });
      expect(body.user_group.token).toBe(tokens.get(id));
    }
    await service.close();
  });

  /** Lets the first insertion into a table of the target wait, with its rows, until the returned function is called. */
  async function holdInserts(table: string): Promise<() => Promise<void>> {
    const client = new Client({ connectionString: target.env['DATABASE_URL'] });
    // If the test fails, the database is dropped below it.
    client.on('error', () => undefined);
    await client.connect();
    await client.query(`
      SELECT pg_advisory_lock(1);
      CREATE FUNCTION hold() RETURNS trigger LANGUAGE plpgsql SET lock_timeout = 0 AS
        'BEGIN PERFORM pg_advisory_xact_lock_shared(1); RETURN NULL; END';
      CREATE TRIGGER held AFTER INSERT ON "${table}" EXECUTE FUNCTION hold()`);
    return async () => {
      await client.query('SELECT pg_advisory_unlock(1)');
      // Waits for the end of the transaction that is held.
      await client.query('DROP FUNCTION hold CASCADE');
      await client.end();
    };
  }

  async function waitForStatement(beginning: string, lock = ''): Promise<void> {
    const sql = `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
      AND application_name = 'user-group-service migrate-data' AND query LIKE '${beginning}%'
      AND '${lock}' IN ('', wait_event)`;
    await until(async () => (await runSql(target, sql)).length > 0);
  }
});
