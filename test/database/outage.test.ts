import { connect } from 'node:net';
import { randomUUID } from 'node:crypto';
import BetterSqlite3 from 'better-sqlite3';
import { join } from 'node:path';
import { keySetPath, NO_WORKSPACE } from '../support/api/workspace-keys.ts';
import { Cable } from '../support/servers/cable.ts';
import {
  administer,
  createTestDatabase,
  onPostgres,
  type TestDatabase,
} from '../support/database/databases.ts';
import { runSql } from '../support/keys.ts';
import { type RunningServer, startOwnServer } from '../support/process/processes.ts';
import { promised } from '../support/promised.ts';
import { lastAskedBefore, soon, until } from '../support/time/until.ts';

onPostgres('on postgres', () => {
  let database: TestDatabase;
  let cable: Cable;
  let server: RunningServer;
  let url: string;

  beforeAll(async () => {
    database = await createTestDatabase('postgres');
    url = database.env['DATABASE_URL']!;
    cable = new Cable(new URL(url));
    server = await startOwnServer({ ...database.env, DATABASE_URL: (await cable.plugIn()).href });
  });

  afterAll(async () => {
    expect(await server.stop()).toBe(0);
    await cable.cut();
    await database.drop();
  });

  const group = { user_group_id: 'g', name: 'G' };

  let rounds = 0;

  function callAll() {
    rounds++;
    const answers = Promise.all([
      server.api.get(group),
      server.api.put({ ...group, name: `G ${rounds}` }),
      server.api.post({ current_token: 'ugt_any' }),
      server.api.get({ user_group_id: `new ${rounds}`, name: 'new' }),
    ]);
    return promised(5000, answers);
  }

  async function expectOutage(): Promise<void> {
    for (const { status, body, headers } of await callAll()) {
      expect([status, body.success, body.code]).toEqual([503, 0, 'database_unavailable']);
      expect(Number(headers['retry-after'])).toBeGreaterThan(0);
      expect(JSON.stringify(body)).not.toMatch(/ECONN|127\.0\.0\.1|SELECT|pg/i);
    }
  }

  const expectRecovery = () =>
    promised(
      5000,
      until(async () => {
        const statuses = (await callAll()).map(({ status }) => status);
        return statuses.join() === '200,200,404,200';
      }),
    );

  beforeEach(expectRecovery);

  test('a database that is gone gives 503 until it is back, in the same process', async () => {
    const { pid } = server.process;
    await cable.cut();
    await expectOutage();
    await expectOutage();
    // A call that needs no database gets its response without it.
    expect((await server.api.call('GET', keySetPath(NO_WORKSPACE))).status).toBe(200);
    expect((await server.api.call('GET', '/health/live')).status).toBe(200);
    const readiness = await server.api.call('GET', '/health/ready');
    expect([readiness.status, readiness.body.code]).toEqual([503, 'database_unavailable']);
    await cable.plugIn();
    await expectRecovery();
    // A negative result is reused for a second.
    await until(async () => (await server.api.call('GET', '/health/ready')).status === 200);
    expect([server.process.pid, server.process.exitCode]).toEqual([pid, null]);
  });

  test.each(['28000', '28P01', '3D000', '42501', '0A000', '42704'])(
    'a database that refuses connections with %s gives 503 until it takes them',
    async (state) => {
      const { body } = await server.api.get(group);
      cable.refuse(state);
      await expectOutage();
      // A pooled result of a moment ago may still be true.
      await until(
        async () =>
          (await server.api.introspect(body.user_group.token)).code === 'database_unavailable',
      );
      cable.refuse(undefined);
      await expectRecovery();
    },
  );

  test('a role that may no longer log in gives 503 until it may', async () => {
    const role = `user_groups_test_${randomUUID().replaceAll('-', '')}`;
    await administer(`CREATE ROLE ${role} LOGIN SUPERUSER`);
    const own = new URL(url);
    own.username = role;
    const serving = await startOwnServer({ ...database.env, DATABASE_URL: own.href });
    await administer(`ALTER ROLE ${role} NOLOGIN`);
    const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`;
    await administer(endSessions);
    const isRefused = async (call: () => Promise<{ status: number; body: { code: string } }>) => {
      const { status, body } = await call();
      return [status, body.code].join() === '503,database_unavailable';
    };
    const write = () => serving.api.put({ ...group, name: 'no login' });
    const look = () => serving.api.get({ user_group_id: 'g' });
    for (const call of [look, write]) {
      for (let count = 0; count < 5; count++) expect(await isRefused(call)).toBe(true);
    }
    await administer(`ALTER ROLE ${role} LOGIN`);
    expect((await look()).status).toBe(200);
    expect(await serving.stop()).toBe(0);
    await administer(`DROP ROLE ${role}`);
  });

  test('a database that does not answer gives 503 in time', async () => {
    cable.goSilent(true);
    await expectOutage();
    cable.goSilent(false);
    await expectRecovery();
  });

  test('a process ends although its database does not answer', async () => {
    const own = new Cable(new URL(url));
    const ending = await startOwnServer({
      ...database.env,
      DATABASE_URL: (await own.plugIn()).href,
    });
    // The process holds some of each thing that it counts and writes at its end.
    const { body } = await ending.api.get({ ...group, user_group_id: 'at the end' });
    await ending.api.introspect(body.user_group.token);
    expect((await ending.api.get(group, { Authorization: 'Token of nobody' })).status).toBe(401);
    own.goSilent(true);
    const { lost } = own;
    const halfSent = connect(Number(new URL(ending.baseUrl).port), '127.0.0.1');
    halfSent.on('error', () => undefined);
    halfSent.write('PUT /api/user HTTP/1.1\r\nHost: x\r\n');
    const write = ending.api.put({ ...group, name: 'at the end' });
    await until(() => own.lost > lost);
    expect(await promised(10_000, ending.stop())).toBe(0);
    expect((await write).status).toBe(503);
    await own.cut();
  });

  test('an introspection is not answered from memory once the database is away for a second', async () => {
    const { body } = await server.api.get(group);
    const { token } = body.user_group;
    expect(await server.api.isActive(token)).toBe(true);
    await cable.cut();
    const cutAt = performance.now();
    const lastFromMemory = await lastAskedBefore(async () => !(await server.api.isActive(token)));
    expect(lastFromMemory - cutAt).toBeLessThan(1000);
    expect(await server.api.introspect(token)).toMatchObject({
      status: 503,
      code: 'database_unavailable',
    });
    await cable.plugIn();
    await expectRecovery();
    expect(await server.api.isActive(token)).toBe(true);
  });

  test('a connection that listens for changes and goes silent is replaced', async () => {
    const { body } = await server.api.get(group);
    await server.api.introspect(body.user_group.token);
    const listeners = () =>
      runSql<{ pid: number }>(
        database,
        `SELECT pid FROM pg_stat_activity
           WHERE application_name = 'user-group-service listen' AND datname = current_database()`,
      );
    await until(async () => (await listeners()).length === 1);
    const [before] = await listeners();
    cable.hush();
    const isReplaced = async () => {
      const [listener, ...others] = await listeners();
      return listener !== undefined && listener.pid !== before!.pid && others.length === 0;
    };
    await until(isReplaced);
    cable.goSilent(false);
    await expectRecovery();
  });

  test('connections that the server ends are replaced', async () => {
    for (let round = 0; round < 5; round++) {
      await callAll();
      await administer(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${new URL(url).pathname.slice(1)}'`,
      );
      await expectRecovery();
    }
  });

  test('a connection that ends while it is handed from one call to the next is replaced', async () => {
    // More calls than connections: a call that waits gets a connection together with the response before it.
    const wave = () =>
      Promise.all(
        Array.from({ length: 60 }, (_, index) =>
          index % 2 === 0
            ? server.api.get({ user_group_id: 'g' })
            : server.api.put({ ...group, name: `G ${index}` }),
        ),
      );
    for (let round = 0; round < 5; round++) {
      cable.endAfterAnswer(true);
      const answers = await wave();
      cable.endAfterAnswer(false);
      expect(answers.filter(({ status }) => ![200, 503].includes(status))).toEqual([]);
      await expectRecovery();
    }
    expect(server.process.exitCode).toBeNull();
  });

  test('a read-only database still looks up, and refuses writes with 503', async () => {
    const name = new URL(url).pathname.slice(1);
    const endSessions = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = '${name}'`;
    const { body: known } = await server.api.get({ user_group_id: 'g' });
    await administer(`ALTER DATABASE ${name} SET default_transaction_read_only = on`);
    await administer(endSessions);
    // Ended connections are replaced.
    const [look] = await soon(async () => {
      const answer = await server.api.get({ user_group_id: 'g' });
      return answer.status === 503 ? [] : [answer];
    });
    expect([look!.status, look!.body.user_group]).toEqual([200, known.user_group]);
    expect((await server.api.put({ ...group, name: 'read only' })).status).toBe(503);
    expect((await server.api.get({ user_group_id: 'g' })).body.user_group).toEqual(
      known.user_group,
    );
    await administer(`ALTER DATABASE ${name} RESET default_transaction_read_only`);
    await administer(endSessions);
    await expectRecovery();
  });

  test('a lock that somebody holds gives 503 in time, and the write goes through afterwards', async () => {
    const { Client } = await import('pg');
    const client = new Client({ connectionString: url });
    await client.connect();
    await client.query('BEGIN; LOCK TABLE user_group IN EXCLUSIVE MODE');
    const answer = await promised(5000, server.api.put({ ...group, name: 'locked out' }));
    expect([answer.status, answer.body.code]).toEqual([503, 'database_unavailable']);
    expect((await server.api.get({ user_group_id: 'g' })).body.user_group.name).not.toBe(
      'locked out',
    );
    await client.query('ROLLBACK');
    await client.end();
    await expectRecovery();
  });
});

describe('on sqlite', () => {
  test('a lock that another process holds gives 503 in time, and no other caller is held up', async () => {
    const database = await createTestDatabase('sqlite');
    const server = await startOwnServer(database.env);
    await server.api.put({ user_group_id: 'g', name: 'Before' });
    const other = new BetterSqlite3(join(database.env['DATA_DIR']!, 'user-groups.sqlite'));
    other.exec('BEGIN IMMEDIATE');
    let isLookedUp = false;
    // At each moment a write waits for the lock.
    const waiting = Array.from({ length: 4 }, async (_, index) => {
      while (!isLookedUp) {
        const { status } = await server.api.put({ user_group_id: `waiting ${index}`, name: 'W' });
        expect(status).toBe(503);
      }
    });
    const write = promised(6000, server.api.put({ user_group_id: 'g', name: 'After' }));
    for (let count = 0; count < 20; count++) {
      const lookUp = await promised(1000, server.api.get({ user_group_id: 'g' }));
      expect(lookUp.body.user_group.name).toBe('Before');
    }
    isLookedUp = true;
    const others = Array.from({ length: 200 }, (_, index) =>
      server.api.put({ user_group_id: `waiting ${index}`, name: 'W' }),
    );
    for (const { status } of await promised(6000, Promise.all(others))) expect(status).toBe(503);
    await Promise.all(waiting);
    const answer = await write;
    expect([answer.status, answer.body.code, answer.headers['retry-after']]).toEqual([
      503,
      'database_unavailable',
      '1',
    ]);
    other.exec('ROLLBACK');
    other.close();
    const after = await server.api.put({ user_group_id: 'g', name: 'After' });
    expect([after.status, after.body.user_group.name]).toEqual([200, 'After']);
    expect(await server.stop()).toBe(0);
    await database.drop();
  });
});
