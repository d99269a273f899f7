import { join } from 'node:path';
import { Client } from 'pg';
import { loadConfig } from '../../src/platform/config/load-config.ts';
import { reachDatabase } from '../../src/platform/database/schema/reach-database.ts';
import {
  administer,
  createTestDatabase,
  onPostgres,
  type TestDatabase,
} from '../support/database/databases.ts';
import { runSql } from '../support/keys.ts';
import { canStartPgBouncer, OwnPgBouncer } from '../support/database/pgbouncer.ts';
import { type RunningServer, runBuilt, startServer } from '../support/process/processes.ts';
import { lastAskedBefore } from '../support/time/until.ts';

const POOL_SIZE = 2;
/** Brings one that runs in a transaction, and one that does not. */
const PLUGINS = join(import.meta.dirname, '..', 'system', 'lab', 'next-migrations.mjs');
const [IN_TRANSACTION, ALONE] = ['CreateTable9999999999902', 'IndexGroups9999999999903'];
const REVERT = ['migration', 'revert', '--plugin', 'next'];
/** Everything that the service says to a session of its own. */
const EVERY_PARAMETER =
  'statement_timeout,lock_timeout,idle_in_transaction_session_timeout,options';
const SESSION_LOCK = 7_245_310_119;
const UNHEARD =
  /not listening for changes of other processes: DATABASE_URL leads through a pooler/g;

(canStartPgBouncer() ? onPostgres : describe.skip)('through PgBouncer alone', () => {
  let database: TestDatabase;
  let pooler: OwnPgBouncer;
  let env: Record<string, string>;

  /** A database of its own, which nobody has used, behind a pooler. */
  async function prepare(ignored?: string) {
    database = await createTestDatabase('postgres');
    const direct = database.env['DATABASE_URL']!;
    // These values distinguish a session that something has changed from one that nothing has changed.
    const name = new URL(direct).pathname.slice(1);
    await administer(`ALTER DATABASE ${name} SET statement_timeout = '7s'`);
    await administer(`ALTER DATABASE ${name} SET lock_timeout = '6s'`);
    pooler = await OwnPgBouncer.start(direct, {
      poolSize: POOL_SIZE,
      ...(ignored !== undefined && { ignored }),
    });
    env = { ...database.env, DATABASE_URL: pooler.url };
  }

  async function remove() {
    await pooler.remove();
    await database.drop();
  }

  /** The settings of the pooler's connections; a transaction of its own reads each. */
  async function settings() {
    const clients = Array.from(
      { length: POOL_SIZE },
      () => new Client({ connectionString: pooler.url }),
    );
    return Promise.all(
      clients.map(async (client) => {
        await client.connect();
        await client.query('BEGIN');
        const { rows } = await client.query<Record<string, string | null>>(
          `SELECT current_setting('statement_timeout') AS statement,
             current_setting('lock_timeout') AS lock, current_setting('jit') AS jit,
             current_setting('synchronous_commit') AS commit,
             nullif(current_setting('user_groups.records_changes', true), '') AS marker,
             (SELECT count(*)::int FROM pg_prepared_statements) AS prepared,
             pg_sleep(0.1)::text AS slept`,
        );
        await client.query('ROLLBACK');
        await client.end();
        return rows[0];
      }),
    );
  }

  const UNCHANGED = Array(POOL_SIZE).fill({
    statement: '7s',
    lock: '6s',
    jit: 'on',
    commit: 'on',
    marker: null,
    prepared: 0,
    slept: '',
  });

  describe.each([
    ['refuses the settings of a session', undefined],
    ['drops them', EVERY_PARAMETER],
  ])('that %s', (_name, ignored) => {
    let servers: [RunningServer, RunningServer];

    beforeAll(async () => {
      await prepare(ignored);
      // Together, on an empty database.
      servers = await Promise.all([startServer(env), startServer(env)]);
    });

    afterAll(async () => {
      for (const server of servers) expect(await server.stop()).toBe(0);
      await remove();
    });

    test('it serves every call, many at once, on fewer connections than it has sessions', async () => {
      const calls = Array.from({ length: 60 }, async (_, index) => {
        const { api } = servers[index % 2]!;
        const id = `parallel ${index}`;
        const created = await api.get({ user_group_id: id, name: 'P', mapping: { s: index } });
        const written = await api.put({ user_group_id: id, properties: { index } });
        const { token } = created.body.user_group;
        const rotated = await api.post({ current_token: token });
        const known = await api.introspect(rotated.body.user_group.token);
        return [created.status, written.status, rotated.status, known.active];
      });
      expect(await Promise.all(calls)).toEqual(Array(60).fill([200, 200, 200, true]));
    });

    test('a rotated token is refused by the other replica within a second', async () => {
      const [one, other] = servers;
      for (let round = 0; round < 3; round++) {
        const { body } = await one.api.get({ user_group_id: `rotated ${round}`, name: 'R' });
        const { token } = body.user_group;
        expect(await other.api.isActive(token)).toBe(true);
        expect((await one.api.post({ current_token: token })).status).toBe(200);
        const rotatedAt = performance.now();
        const lastAskedAt = await lastAskedBefore(async () => !(await other.api.isActive(token)));
        expect(lastAskedAt - rotatedAt).toBeLessThan(1000);
      }
    });

    test('what it writes it records itself', async () => {
      await servers[0].api.put({ user_group_id: 'recorded', name: 'R' });
      const kinds = await runSql(
        database,
        `SELECT DISTINCT kind FROM change_event WHERE kind = 'database.write' OR object_id = 'recorded'`,
      );
      expect(kinds).toEqual([{ kind: 'user_group.create' }]);
    });

    test('nobody listens, which is said once', async () => {
      const sessions = await runSql(
        database,
        `SELECT application_name FROM pg_stat_activity
         WHERE application_name IN ('user-group-service listen', 'user-group-service notify')
           AND datname = current_database()`,
      );
      expect(sessions).toEqual([]);
      for (const { api, output } of servers) {
        expect(output().match(UNHEARD)).toHaveLength(1);
        const { body } = await api.call('GET', '/api/v1/system');
        expect(body).toMatchObject({
          system: {
            change_feed: { channel_up: null },
            replicas: null,
            retention: { audit_days: 365 },
          },
        });
      }
    });

    test('nothing that it sets, or prepares, stays on a connection that others use', async () => {
      const writes = Array.from({ length: 20 }, (_, index) =>
        servers[0].api.put({ user_group_id: `set ${index}`, name: 'S' }),
      );
      await Promise.all(writes);
      const { code } = await runBuilt('cli.js', env, 'migration', 'show');
      expect(code).toBe(0);
      expect(await settings()).toEqual(UNCHANGED);
      const locks = await runSql(
        database,
        `SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND database =
           (SELECT oid FROM pg_database WHERE datname = current_database())`,
      );
      expect(locks).toEqual([]);
    });
  });

  test('the data of an embedded database moves through it', async () => {
    await prepare();
    const source = await createTestDatabase('sqlite');
    const TOKEN_ENCRYPTION_KEYS = env['TOKEN_ENCRYPTION_KEYS']!;
    const server = await startServer({ ...source.env, TOKEN_ENCRYPTION_KEYS });
    const { token } = await server.api.create();
    expect(await server.stop()).toBe(0);
    const moving = {
      DATA_DIR: source.env['DATA_DIR']!,
      DATABASE_URL: pooler.url,
      TOKEN_ENCRYPTION_KEYS,
    };
    const moved = await runBuilt('cli.js', moving, 'migrate-data');
    expect([moved.stderr, moved.code]).toEqual([expect.any(String), 0]);
    expect(await settings()).toEqual(UNCHANGED);
    const { api, stop } = await startServer(env);
    expect(await api.isActive(token)).toBe(true);
    expect(await stop()).toBe(0);
    await source.drop();
    await remove();
  });

  test('a PostgreSQL whose URL brings settings of its own is not taken for one', async () => {
    await prepare();
    const url = `${database.env['DATABASE_URL']!}?statement_timeout=1500&options=-c%20jit%3Don`;
    const reach = async (DATABASE_URL: string) => {
      const config = loadConfig({ ...env, DATABASE_URL });
      return (await reachDatabase(config, () => undefined)).databaseIsPooled;
    };
    expect([await reach(url), await reach(pooler.url)]).toEqual([undefined, true]);
    await remove();
  });

  test('a URL through it that brings settings of its own is refused', async () => {
    await prepare();
    const { code, stderr } = await runBuilt('main.js', {
      ...env,
      DATABASE_URL: `${pooler.url}?options=-c%20jit%3Doff`,
    });
    expect([code, stderr]).toEqual([
      1,
      'user-group-service: The PostgreSQL of DATABASE_URL cannot be used: unsupported startup parameter: options; through a pooler the URL must not bring any.\n',
    ]);
    await remove();
  });

  describe('migrations of a database in use', () => {
    beforeAll(async () => {
      await prepare();
      env = { ...env, PLUGINS };
      const { stop } = await startServer(env);
      expect(await stop()).toBe(0);
      const direct = { ...env, DATABASE_URL: database.env['DATABASE_URL']! };
      for (const name of [ALONE, IN_TRANSACTION]) {
        expect((await runBuilt('cli.js', direct, ...REVERT)).stderr).toBe(`${name} is undone.\n`);
      }
    });

    afterAll(remove);

    const applied = async () =>
      (await runSql<{ name: string }>(database, 'SELECT name FROM next_migration ORDER BY id')).map(
        ({ name }) => name,
      );
    const tables = () =>
      runSql<{ name: string }>(
        database,
        `SELECT tablename AS name FROM pg_tables WHERE tablename = 'next_second' ORDER BY 1`,
      );

    test('those that need a session are refused before anything is changed, with a word on what to do', async () => {
      const before = await applied();
      for (const [program, ...args] of [['main.js'], ['cli.js', 'migration', 'run']] as const) {
        const { code, stderr } = await runBuilt(
          program,
          { ...env, PORT: '0', METRICS_PORT: '0' },
          ...args,
        );
        expect([code, stderr]).toEqual([
          1,
          `user-group-service: The migration ${ALONE} cannot run through the pooler of DATABASE_URL while the database is in use; run "migration run" once with DATABASE_DIRECT_URL, which leads past it.\n`,
        ]);
      }
      expect([await applied(), await tables()]).toEqual([before, []]);
      expect(await settings()).toEqual(UNCHANGED);
    });

    test('those that run in a transaction run through it, one process at a time, and past it the others do', async () => {
      await runSql(database, `INSERT INTO next_migration (timestamp, name) VALUES (9, '${ALONE}')`);
      const holder = new Client({ connectionString: database.env['DATABASE_URL'] });
      await holder.connect();
      await holder.query(`SELECT pg_advisory_lock(${SESSION_LOCK})`);
      const waited = await runBuilt(
        'cli.js',
        { ...env, MIGRATION_WAIT_SECONDS: '1' },
        'migration',
        'run',
      );
      expect([waited.code, waited.stdout]).toEqual([5, '']);
      expect(waited.stderr).toContain('Another process has been migrating the database for 1 s');
      await holder.end();
      const through = await runBuilt('cli.js', env, 'migration', 'run');
      expect([through.code, through.stdout]).toEqual([0, `MIGRATION\n${IN_TRANSACTION}\n`]);
      expect(await tables()).toHaveLength(1);
      expect(await settings()).toEqual(UNCHANGED);
      await runSql(database, 'DELETE FROM next_migration WHERE timestamp < 10');
      const direct = { ...env, DATABASE_DIRECT_URL: database.env['DATABASE_URL']! };
      const past = await runBuilt('cli.js', direct, 'migration', 'run');
      expect([past.code, past.stdout]).toEqual([0, `MIGRATION\n${ALONE}\n`]);
      const { stop } = await startServer(env);
      expect(await stop()).toBe(0);
    });
  });
});
