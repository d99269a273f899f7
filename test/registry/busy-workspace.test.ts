import { Client } from 'pg';
import { dialectOf } from '../../src/database/dialect';
import { onPostgres } from '../support/databases';
import { importGroups } from '../support/lines';
import { TestWorkspace } from '../support/registry';
import { startTestService, type TestService } from '../support/test-service';

// On SQLite every write waits for every other anyway, and is not kept waiting for a connection.
onPostgres('on postgres', () => {
  let service: TestService;
  let own: TestWorkspace;
  let other: TestWorkspace;
  let holder: Client;

  beforeAll(async () => {
    service = await startTestService('postgres');
    own = await TestWorkspace.create(service, 'own');
    other = await TestWorkspace.create(service, 'other');
    holder = new Client({ connectionString: service.database.env['DATABASE_URL'] });
    await holder.connect();
  });

  afterAll(async () => {
    await holder.end();
    await service.close();
  });

  test('while the rules of a workspace are being changed its writes are refused, and others are served', async () => {
    const [{ id }] = (await service.query<{ id: number }>(
      `SELECT id FROM workspace WHERE name = 'own'`,
    )) as [{ id: number }];
    await holder.query('BEGIN');
    await holder.query(dialectOf({ type: 'postgres' }).lockAlone(String(id)));
    const imported = importGroups(own.api, { user_group_id: 'waiting', name: 'W' });
    const refused = Promise.all(
      Array.from({ length: 40 }, (_, n) => own.api.put({ user_group_id: `${n}`, name: 'R' })),
    );
    expect((await other.api.put({ user_group_id: 'served', name: 'S' })).status).toBe(200);
    const [line] = await importGroups(other.api, { user_group_id: 'moved', name: 'M' });
    expect(line).toMatchObject({ success: 1 });
    expect((await refused).map(({ status }) => status)).toEqual(Array(40).fill(503));
    await holder.query('COMMIT');
    expect((await imported)[0]).toMatchObject({ success: 1 });
  });
});
