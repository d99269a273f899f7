import { Client } from 'pg';
import {
  createTestDatabase,
  onPostgres,
  type TestDatabase,
} from '../support/database/databases.ts';
import { runSql } from '../support/keys.ts';
import { canStartPgBouncer, OwnPgBouncer, POOL_SIZE } from '../support/database/pgbouncer.ts';
import { type RunningServer, runBuilt, startServer } from '../support/process/processes.ts';
import { lastAskedBefore, until } from '../support/time/until.ts';

(canStartPgBouncer() ? onPostgres : describe.skip)('behind PgBouncer in transaction mode', () => {
  let database: TestDatabase;
  let pooler: OwnPgBouncer;
  let servers: [RunningServer, RunningServer];

  beforeAll(async () => {
    database = await createTestDatabase('postgres');
    const direct = database.env['DATABASE_URL']!;
    pooler = await OwnPgBouncer.start(direct);
    const env = { ...database.env, DATABASE_URL: pooler.url, DATABASE_DIRECT_URL: direct };
    servers = [await startServer(env), await startServer(env)];
  });

  afterAll(async () => {
    for (const server of servers) expect(await server.stop()).toBe(0);
    await pooler.remove();
    await database.drop();
  });

  test('replicas serve in parallel on fewer connections than they have sessions', async () => {
    const calls = Array.from({ length: 60 }, async (_, index) => {
      const { api } = servers[index % 2]!;
      const id = `parallel ${index % 15}`;
      const created = await api.get({ user_group_id: id, name: 'P', mapping: { s: index } });
      const written = await api.put({ user_group_id: id, properties: { index } });
      return [created.status, written.status];
    });
    expect((await Promise.all(calls)).flat()).toEqual(Array(120).fill(200));
    const sessions = await runSql<{ pid: number }>(
      database,
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
         AND application_name = 'user-group-service'`,
    );
    expect(sessions.length).toBeGreaterThan(0);
    expect(sessions.length).toBeLessThanOrEqual(POOL_SIZE);
  });

  test('a rotated token is refused by the other replica within a second', async () => {
    const [one, other] = servers;
    const { body } = await one.api.get({ user_group_id: 'rotated', name: 'R' });
    const { token } = body.user_group;
    expect(await other.api.isActive(token)).toBe(true);
    expect((await one.api.post({ current_token: token })).status).toBe(200);
    const rotated = performance.now();
    expect(
      (await lastAskedBefore(async () => !(await other.api.isActive(token)))) - rotated,
    ).toBeLessThan(1000);
  });

  test('what the service writes through the pooler it records itself, and all see it within a second', async () => {
    const [one, other] = servers;
    await one.api.put({ user_group_id: 'recorded', name: 'R' });
    const kinds = await runSql<{ kind: string }>(
      database,
      `SELECT DISTINCT kind FROM change_event WHERE kind = 'database.write' OR object_id = 'recorded'`,
    );
    expect(kinds).toEqual([{ kind: 'user_group.create' }]);
    const issued = await one.api.call('POST', '/api/v1/api-tokens', {
      name: 'n',
      scopes: ['user-groups:read'],
    });
    const { id, token } = issued.body.api_token;
    const getStatus = async () =>
      (await other.apiOf(token).call('GET', '/api/v1/user-groups/recorded')).status;
    expect(await getStatus()).toBe(200);
    // No message names an API token: the other replica has to ask, by way of the pooler.
    await one.api.call('POST', `/api/v1/api-tokens/${id}/revoke`);
    const revokedAt = performance.now();
    expect(
      (await lastAskedBefore(async () => (await getStatus()) === 401)) - revokedAt,
    ).toBeLessThan(1000);
  });

  test('replicas hear of changes past the pooler', async () => {
    const listening = () =>
      runSql<{ pid: number }>(
        database,
        `SELECT pid FROM pg_stat_activity WHERE datname = current_database()
           AND application_name = 'user-group-service listen'`,
      );
    const { body } = await servers[0].api.get({ user_group_id: 'heard of', name: 'H' });
    for (const { api } of servers) {
      await api.call('POST', '/api/v1/introspect', { token: body.user_group.token });
    }
    await until(async () => (await listening()).length >= 2);
  });

  test('a way past the pooler to another database is refused, and nothing is done there', async () => {
    const other = await createTestDatabase('postgres');
    const env = {
      ...database.env,
      DATABASE_URL: pooler.url,
      DATABASE_DIRECT_URL: other.env['DATABASE_URL']!,
    };
    for (const [program, ...args] of [['main.js'], ['cli.js', 'migration', 'run']] as const) {
      const { code, stderr } = await runBuilt(program, env, ...args);
      expect([code, stderr]).toEqual([
        1,
        'user-group-service: DATABASE_DIRECT_URL leads to another database than DATABASE_URL.\n',
      ]);
    }
    expect(
      await runSql(other, 'SELECT FROM pg_tables WHERE schemaname = current_schema()'),
    ).toEqual([]);
    await other.drop();
  });

  test('a lock that somebody holds gives 503 in time, and PostgreSQL waits for it no longer', async () => {
    const { api } = servers[0];
    await api.put({ user_group_id: 'locked', name: 'L' });
    const other = new Client({ connectionString: database.env['DATABASE_URL'] });
    await other.connect();
    await other.query('BEGIN; LOCK TABLE user_group IN EXCLUSIVE MODE');
    const answer = await api.put({ user_group_id: 'locked', name: 'locked out' });
    expect([answer.status, answer.body.code]).toEqual([503, 'database_unavailable']);
    const { rows } = await other.query(
      `SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    expect(rows).toEqual([]);
    await other.query('ROLLBACK');
    await other.end();
    expect((await api.put({ user_group_id: 'locked', name: 'after' })).status).toBe(200);
  });

  test('nothing that the service sets stays on a connection that others use', async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        servers[0].api.put({ user_group_id: `set ${index}`, name: 'S' }),
      ),
    );
    const clients = Array.from(
      { length: POOL_SIZE },
      () => new Client({ connectionString: pooler.url }),
    );
    // In transactions at the same time, so that each is on a connection of its own.
    const seen = await Promise.all(
      clients.map(async (client) => {
        await client.connect();
        await client.query('BEGIN');
        const { rows } = await client.query<Record<string, string>>(
          `SELECT current_setting('statement_timeout') AS statement,
             current_setting('lock_timeout') AS lock,
             current_setting('synchronous_commit') AS commit, pg_sleep(0.1)::text AS slept`,
        );
        await client.query('ROLLBACK');
        await client.end();
        return rows[0];
      }),
    );
    const unchanged = { statement: '0', lock: '0', commit: 'on', slept: '' };
    expect(seen).toEqual(Array(POOL_SIZE).fill(unchanged));
  });

  test('a pooler that is gone gives 503 until it is back, in the same process', async () => {
    const { api, process: child } = servers[0];
    await api.put({ user_group_id: 'away', name: 'A' });
    await pooler.kill();
    const answer = await api.put({ user_group_id: 'away', name: 'meanwhile' });
    expect([answer.status, answer.body.code]).toEqual([503, 'database_unavailable']);
    await pooler.start();
    await until(
      async () => (await api.put({ user_group_id: 'away', name: 'after' })).status === 200,
    );
    expect(child.exitCode).toBeNull();
  });
});
