import { Client, type QueryConfig } from 'pg';
import { exportGroups, importGroups } from '../../support/api/lines.ts';
import { onPostgres } from '../../support/database/databases.ts';
import { withService } from '../../support/test-service.ts';

/** Holds up a statement that has begun. */
const HELD_UP = 4_720_113;
const WAITING = `
  SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND objid = ${HELD_UP} AND NOT granted
    AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`;

onPostgres('the statement of a write that has begun sees', () => {
  const service = withService('postgres');

  /** Makes the next write wait after its statement has taken its snapshot, does `meanwhile`, and returns both results. */
  async function duringWrite<Write, Meanwhile>(
    write: () => Promise<Write>,
    column: string,
    meanwhile: () => Promise<Meanwhile>,
  ): Promise<[Meanwhile, Write]> {
    const holder = new Client(service.database.env['DATABASE_URL']);
    await holder.connect();
    await holder.query(`SELECT pg_advisory_lock(${HELD_UP})`);
    holdUpNextWrite(column);
    const writing = write();
    const isDone = writing.then(
      () => true,
      () => true,
    );
    while ((await service.query(WAITING)).length === 0) {
      if (await Promise.race([isDone, Promise.resolve(false)])) {
        throw new Error('the write has not waited');
      }
    }
    const done = await meanwhile();
    await holder.end();
    return [done, await writing];
  }

  test('a change of the rules', async () => {
    const { api } = service;
    const write = (id: string) => api.call('PUT', `/api/v1/user-groups/${id}`, { name: id });
    // From here on the process remembers the rules.
    expect((await write('before')).status).toBe(201);
    const [changed, { status, body }] = await duringWrite(
      () => write('late'),
      'w.id',
      () =>
        api.call('PATCH', '/api/v1/workspace', {
          variables: [{ name: 'region', type: 'string', required: true }],
        }),
    );
    expect({ changed: changed.status, status, code: body.code }).toEqual({
      changed: 200,
      status: 422,
      code: 'validation_failed',
    });
    await api.call('PATCH', '/api/v1/workspace', { variables: [] });
  });

  test('the reservation of its id, which another group has had meanwhile', async () => {
    const { api } = service;
    const write = (id: string) => api.call('PUT', `/api/v1/user-groups/${id}`, { name: id });
    const rename = (id: string, newId: string) =>
      api.call('POST', `/api/v1/user-groups/${id}/rename`, { provided_id: newId });
    expect((await write('another')).status).toBe(201);
    const [renamed, { status, body }] = await duringWrite(
      () => write('reserved'),
      'w.id',
      async () => {
        await rename('another', 'reserved');
        return rename('reserved', 'renamed');
      },
    );
    expect([renamed.status, status]).toEqual([200, 409]);
    expect(body).toMatchObject({
      code: 'user_group_renamed',
      renamed_to: 'renamed',
    });
  });

  test('the end of the token that it brings', async () => {
    const { api } = service;
    const { path, token } = await api.create();
    const line = (await exportGroups(api)).find((one) => one.token === token)!;
    expect((await api.call('DELETE', path)).status).toBe(200);
    const [report, [imported]] = await duringWrite(
      () => importGroups(api, line),
      'p.workspace_id',
      () => api.call('POST', '/api/v1/tokens/report-leaked', { tokens: [token] }),
    );
    expect(report.body).toMatchObject({ results: [{ result: 'already_inactive' }] });
    expect(imported).toMatchObject({ status: 409, code: 'token_not_usable' });
    expect(await api.isActive(token)).toBe(false);
  });
});

/** Makes the next write wait before it reads the rows that its first condition on this column selects. */
function holdUpNextWrite(column: string): void {
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
      .replace(`WHERE ${column} = `, `WHERE (SELECT count(*) FROM held_up) > 0 AND ${column} = `);
    return original.call(this, { ...config, name: undefined, text }, ...others) as never;
  });
}
