import { NDJSON } from '../../support/api/api-client.ts';
import { recordCalls } from '../../support/database/database-traffic.ts';
import { onPostgres } from '../../support/database/databases.ts';
import { planOf, wholeScansIn } from '../../support/database/query-plan.ts';
import { withService } from '../../support/test-service.ts';

const GROUPS = 20_000;
/** Tables whose rows grow with the groups. */
const TABLES = ['user_group', 'user_group_token', 'data_source_mapping', 'audit_event'];

// A young database has no statistics, and one without autovacuum never has any: PostgreSQL then guesses, and a statement
// must not leave it the choice to read a whole table or a whole index.
onPostgres('without statistics of the tables', () => {
  const roundTrips = recordCalls();
  const service = withService('postgres');

  beforeAll(async () => {
    for (const table of TABLES) {
      await service.query(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    }
    const lines = Array.from({ length: GROUPS }, (_, at) =>
      JSON.stringify({
        user_group_id: `g${at}`,
        name: `Group ${at}`,
        mapping: { s: at },
        properties: { at },
      }),
    );
    const { body } = await service.api.call(
      'POST',
      '/api/v1/user-groups/import',
      lines.join('\n'),
      NDJSON,
    );
    expect(body).toMatchObject({ summary: { created: GROUPS } });
  });

  const path = (at: number, action = '') => `/api/v1/user-groups/g${at}${action}`;
  const tokenOf = async (at: number) =>
    (await service.api.get({ user_group_id: `g${at}` })).body.user_group.token;
  const listWith = (query: string) =>
    service.api.send({ method: 'GET', path: `/api/v1/user-groups?${query}` });
  const calls: Record<string, (at: number) => Promise<{ status: number }>> = {
    'look-up': (at) => service.api.get({ user_group_id: `g${at}` }),
    create: (at) => service.api.put({ user_group_id: `new${at}`, name: 'New', mapping: { s: at } }),
    write: (at) => service.api.put({ user_group_id: `g${at}`, name: 'Other', mapping: { t: at } }),
    'write with a token': (at) =>
      service.api.put({ user_group_id: `g${at}`, token: `chosen-elsewhere-${at}` }),
    patch: (at) =>
      service.api.send({
        method: 'PATCH',
        path: path(at),
        body: { properties: { at: null, x: 1 } },
      }),
    rotate: async (at) => service.api.post({ current_token: await tokenOf(at) }),
    'rotate by group': (at) =>
      service.api.send({ method: 'POST', path: path(at, '/tokens/rotate'), body: {} }),
    suspend: (at) => service.api.send({ method: 'POST', path: path(at, '/suspend') }),
    resume: (at) => service.api.send({ method: 'POST', path: path(at, '/resume') }),
    read: (at) => service.api.send({ method: 'GET', path: path(at) }),
    'list of those that end within a period': () =>
      listWith('valid_until_before=2030-01-01T00:00:00Z'),
    'list of those with an old token that is valid': () => listWith('in_overlap=true&sort=name'),
    'list of the suspended': () => listWith('status=suspended&sort=-updated_at'),
    'list of the expired': () => listWith('status=expired'),
    'list tokens': (at) => service.api.send({ method: 'GET', path: path(at, '/tokens') }),
    introspect: async (at) => {
      const { active } = await service.api.introspect(await tokenOf(at), {
        'Cache-Control': 'no-cache',
      });
      return { status: active ? 200 : 0 };
    },
    delete: (at) => service.api.send({ method: 'DELETE', path: path(at) }),
  };

  test.each(Object.entries(calls))('%s reads the rows of its group alone', async (_name, call) => {
    roundTrips.length = 0;
    for (const at of [1, 2]) expect((await call(at)).status).toBeLessThan(300);
    const statements = new Set(
      roundTrips.flat().filter((sql) => TABLES.some((table) => sql.includes(table))),
    );
    expect(statements.size).toBeGreaterThan(0);
    for (const sql of statements) {
      const plan = await planOf(service, sql);
      expect({ sql, whole: wholeScansIn(plan, TABLES), plan }).toEqual({ sql, whole: [], plan });
    }
  });
});
