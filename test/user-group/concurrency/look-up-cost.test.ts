import { untilPolled } from '../../support/api/polls.ts';
import { isOfChangeFeed, recordCalls } from '../../support/database/database-traffic.ts';
import { onEachDatabase } from '../../support/database/databases.ts';
import { type TestService, withService } from '../../support/test-service.ts';

onEachDatabase((kind) => {
  const roundTrips = recordCalls();
  const service = withService(kind);
  const sent = () => roundTrips.flat().filter((sql) => !isOfChangeFeed(sql));

  const group = {
    user_group_id: 'cheap',
    name: 'Cheap',
    mapping: { s: 1, t: 'x' },
    properties: { a: 1, b: { c: 2 } },
  };

  // The first poll of the change feed forgets the API token that the first call has looked up.
  beforeAll(async () => {
    await service.api.get(group);
    if (kind === 'postgres') await untilPolled(service);
  });

  test('what is sent to the database is seen here', async () => {
    roundTrips.length = 0;
    await service.api.put({ user_group_id: 'seen', name: 'Seen' });
    expect(roundTrips.flat().filter((sql) => /INSERT INTO user_group\b/.test(sql))).toHaveLength(1);
  });

  test('an authenticated GET of an unchanged group is one statement', async () => {
    await service.api.get(group);
    await service.api.get(group);
    roundTrips.length = 0;
    const answer = await service.api.get(group);
    expect(answer.body.new_user_group).toBe(false);
    expect(sent()).toEqual([expect.stringMatching(/^\s*SELECT/)]);
  });

  test('a GET that sends no mapping reads none, unless it changes the group', async () => {
    const { mapping, ...rest } = group;
    await service.api.get(group);
    roundTrips.length = 0;
    expect((await service.api.get(rest)).body.new_user_group).toBe(false);
    expect(sent()).toEqual([expect.stringMatching(/^\s*SELECT/)]);
    expect(sent().join()).not.toContain('data_source_mapping');
    await service.api.get({ ...rest, name: 'Renamed' });
    expect(sent().join()).toContain('data_source_mapping');
    const { body } = await service.api.call('GET', '/api/v1/user-groups/cheap');
    expect(body).toMatchObject({ user_group: { name: 'Renamed', mapping } });
    await service.api.get(group);
  });

  test('an introspection that is not answered from memory is one statement, which writes nothing', async () => {
    const { body } = await service.api.get(group);
    const introspect = () =>
      service.api.introspect(body.user_group.token, { 'Cache-Control': 'no-cache' });
    await introspect();
    roundTrips.length = 0;
    expect((await introspect()).active).toBe(true);
    expect(sent()).toEqual([expect.stringMatching(/^\s*SELECT/)]);
  });

  test('properties with their keys in another order and a PUT of the same are unchanged too', async () => {
    await service.api.get(group);
    roundTrips.length = 0;
    await service.api.get({
      ...group,
      properties: { b: { c: 2 }, a: 1 },
      mapping: { t: 'x', s: 1 },
    });
    await service.api.put(group);
    expect(sent().filter((sql) => !/^\s*SELECT/.test(sql))).toEqual([]);
  });

  test('a mistyped API token is not looked up', async () => {
    const token = await service.issueToken(['user-groups:read']);
    const mistyped = token.slice(0, -7) + (token.at(-7) === 'a' ? 'b' : 'a') + token.slice(-6);
    roundTrips.length = 0;
    const answer = await service.clientOf(mistyped).get(group);
    expect(answer.body.code).toBe('api_token_invalid');
    expect(sent().filter((sql) => sql.includes('FROM api_token'))).toEqual([]);
  });

  test('looking up writes nothing to the database', async () => {
    await service.api.get(group);
    const before = await writtenSoFar(service);
    for (let count = 0; count < 50; count++) await service.api.get(group);
    expect(await writtenSoFar(service)).toEqual(before);
  });
});

/** A figure that grows with every write: the rows of the tables, or SQLite's change counter. */
async function writtenSoFar(service: TestService): Promise<unknown> {
  if (service.database.kind === 'sqlite') return service.query('PRAGMA data_version');
  await service.query('SELECT pg_stat_force_next_flush()');
  return service.query(
    `SELECT sum(n_tup_ins + n_tup_upd + n_tup_del) AS rows, (SELECT sum(last_value) FROM user_group_id_seq) AS ids
     FROM pg_stat_user_tables`,
  );
}
