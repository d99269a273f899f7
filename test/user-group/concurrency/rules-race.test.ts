import { Client, type QueryConfig } from 'pg';
import { onPostgres } from '../../support/database/databases.ts';
import { withService } from '../../support/test-service.ts';

/** Holds up a statement that has begun. */
const HELD_UP = 4_720_113;
const WAITING = `
  SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${HELD_UP} AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

onPostgres('a change of the rules', () => {
  const service = withService('postgres');

  test('that is committed after the statement of a write has begun is seen by it', async () => {
    const { api } = service;
    const write = (id: string) => api.call('PUT', `/api/v1/user-groups/${id}`, { name: id });
    // From here on the process remembers the rules.
    expect((await write('before')).status).toBe(201);
    const holder = new Client(service.database.env['DATABASE_URL']);
    await holder.connect();
    await holder.query(`SELECT pg_advisory_lock(${HELD_UP})`);
    holdUpNextWrite();
    const writing = write('late');
    while ((await service.query(WAITING)).length === 0);
    const changed = await api.call('PATCH', '/api/v1/workspace', {
      variables: [{ name: 'region', type: 'string', required: true }],
    });
    await holder.end();
    const { status, body } = await writing;
    expect({ changed: changed.status, status, code: body.code }).toEqual({
      changed: 200,
      status: 422,
      code: 'validation_failed',
    });
  });
});

/** Makes the next statement of a write wait after it has taken its snapshot, and before it looks at the rules. */
function holdUpNextWrite(): void {
  const original = Reflect.get(Client.prototype, 'query') as (...args: unknown[]) => unknown;
  const spy = jest.spyOn(Client.prototype, 'query').mockImplementation(function (
    this: Client,
    ...args: unknown[]
  ) {
    const [config, ...others] = args as [QueryConfig | string, ...unknown[]];
    if (typeof config === 'string' || !config.text.includes('same_rules AS')) {
      return original.apply(this, args) as never;
    }
    spy.mockRestore();
    const text = config.text
      .replace(
        'WITH ',
        `WITH held_up AS MATERIALIZED (SELECT pg_advisory_xact_lock_shared(${HELD_UP})), `,
      )
      .replace('WHERE w.id = ', 'WHERE (SELECT count(*) FROM held_up) > 0 AND w.id = ');
    return original.call(this, { ...config, name: undefined, text }, ...others) as never;
  });
}
