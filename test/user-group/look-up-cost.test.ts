import type { DataSource, Logger as TypeOrmLogger } from 'typeorm';
import type { Pool } from 'pg';
import { Transactor } from '../../src/database/transactor';
import { onEachDatabase } from '../support/databases';
import { startTestService, type TestService } from '../support/test-service';

onEachDatabase((kind) => {
  let service: TestService;
  let statements: string[];

  beforeAll(async () => {
    service = await startTestService(kind);
    statements = recordStatements(service);
  });

  afterAll(() => service.close());

  const group = {
    user_group_id: 'cheap',
    name: 'Cheap',
    mapping: { s: 1, t: 'x' },
    properties: { a: 1, b: { c: 2 } },
  };

  test('what is sent to the database is seen here', async () => {
    await service.api.put({ user_group_id: 'seen', name: 'Seen' });
    expect(statements.filter((sql) => /^\s*INSERT INTO user_group\b/.test(sql))).toHaveLength(1);
  });

  test('an authenticated GET of an unchanged group is one statement', async () => {
    await service.api.get(group);
    await service.api.get(group);
    statements.length = 0;
    const answer = await service.api.get(group);
    expect(answer.body.new_user_group).toBe(false);
    expect(statements).toEqual([expect.stringMatching(/^\s*SELECT/)]);
  });

  test('an introspection that is not answered from memory is one statement, which writes nothing', async () => {
    const { body } = await service.api.get(group);
    const introspect = () =>
      service.api.call(
        'POST',
        '/api/v1/introspect',
        { token: body.user_group.token },
        { 'Cache-Control': 'no-cache' },
      );
    await introspect();
    statements.length = 0;
    expect((await introspect()).body.active).toBe(true);
    expect(statements).toEqual([expect.stringMatching(/^\s*SELECT/)]);
  });

  test('properties with their keys in another order and a PUT of the same are unchanged too', async () => {
    await service.api.get(group);
    statements.length = 0;
    await service.api.get({
      ...group,
      properties: { b: { c: 2 }, a: 1 },
      mapping: { t: 'x', s: 1 },
    });
    await service.api.put(group);
    expect(statements.filter((sql) => !/^\s*SELECT/.test(sql))).toEqual([]);
  });

  test('a mistyped API token is not looked up', async () => {
    const token = await service.issueToken(['user-groups:read']);
    const mistyped = token.slice(0, -7) + (token.at(-7) === 'a' ? 'b' : 'a') + token.slice(-6);
    statements.length = 0;
    const answer = await service.clientOf(mistyped).get(group);
    expect(answer.body.code).toBe('api_token_invalid');
    expect(statements.filter((sql) => sql.includes('FROM api_token'))).toEqual([]);
  });

  test('looking up writes nothing to the database', async () => {
    await service.api.get(group);
    const before = await writtenSoFar(service);
    for (let count = 0; count < 50; count++) await service.api.get(group);
    expect(await writtenSoFar(service)).toEqual(before);
  });
});

/** Everything the service sends to its database from now on, in order. */
function recordStatements({ app, dataSource }: TestService): string[] {
  const statements: string[] = [];
  const { driver } = dataSource as unknown as { driver: { master?: Pool } };
  if (driver.master) {
    driver.master.on('acquire', (client) => {
      const query = client.query.bind(client) as (...args: unknown[]) => unknown;
      if (Object.hasOwn(client, 'query')) return;
      Object.assign(client, {
        query: (...args: unknown[]) => {
          const [first] = args as [string | { text: string }];
          statements.push(typeof first === 'string' ? first : first.text);
          return query(...args);
        },
      });
    });
  } else {
    const logger = { ...noLog, logQuery: (sql: string) => statements.push(sql) };
    // The embedded database is read through one connection and written through another.
    const { writer } = app.get<Transactor, { writer: DataSource }>(Transactor);
    for (const connection of [dataSource, writer]) Object.assign(connection, { logger });
  }
  return statements;
}

const noLog: TypeOrmLogger = {
  logQuery: () => undefined,
  logQueryError: () => undefined,
  logQuerySlow: () => undefined,
  logSchemaBuild: () => undefined,
  logMigration: () => undefined,
  log: () => undefined,
};

/** A figure that grows with every write: the rows of the tables, or SQLite's change counter. */
async function writtenSoFar(service: TestService): Promise<unknown> {
  if (service.database.kind === 'sqlite') return service.query('PRAGMA data_version');
  await service.query('SELECT pg_stat_force_next_flush()');
  return service.query(
    `SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) AS rows, (SELECT sum(last_value) FROM user_group_id_seq) AS ids
     FROM pg_stat_user_tables`,
  );
}
