import { Client } from 'pg';
import { RULES_LOCK_LIMIT } from '../../src/core/mapping/workspace-rules.ts';
import { Statements } from '../../src/platform/database/statements.ts';
import { dialectOf } from '../../src/platform/database/dialect.ts';
import { Transactor } from '../../src/platform/database/transactor.ts';
import { onPostgres } from '../support/database/databases.ts';
import { stopTimeLimits } from '../support/time/fake-time.ts';
import { importGroups } from '../support/api/lines.ts';
import { TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';
import { replaceField } from '../support/time/patience.ts';
import { until } from '../support/time/until.ts';

// On SQLite every write waits for every other anyway, and is not kept waiting for a connection.
onPostgres('on postgres', () => {
  const service = withService('postgres');
  let own: TestWorkspace;
  let other: TestWorkspace;
  let holder: Client;

  beforeAll(async () => {
    own = await TestWorkspace.create(service, 'own');
    other = await TestWorkspace.create(service, 'other');
  });

  beforeEach(async () => {
    stopTimeLimits();
    holder = new Client({ connectionString: service.database.env['DATABASE_URL'] });
    await holder.connect();
    const [{ id }] = (await service.query<{ id: number }>(
      `SELECT id FROM workspace WHERE name = 'own'`,
    )) as [{ id: number }];
    await holder.query('BEGIN');
    await holder.query(dialectOf({ type: 'postgres' }).lockExclusive(String(id)));
  });

  afterEach(() => holder.end());

  /** The writes wait by trying again: more transactions have begun than all of them need. */
  const untilTriedAgain = async () => {
    const transactor = service.app.get(Transactor);
    const begun = [jest.spyOn(transactor, 'run'), jest.spyOn(transactor, 'apply')];
    await until(() => begun.reduce((sum, { mock }) => sum + mock.calls.length, 0) > 41);
    for (const spy of begun) spy.mockRestore();
  };

  const putMany = (prefix: string) =>
    Promise.all(
      Array.from({ length: 40 }, (_, n) =>
        own.api.put({ user_group_id: `${prefix} ${n}`, name: 'R' }),
      ),
    );

  test('while the rules of a workspace are being changed its writes wait, and others are served', async () => {
    const imported = importGroups(own.api, { user_group_id: 'waiting', name: 'W' });
    const waiting = putMany('waiting');
    let answered = false;
    waiting.then(
      () => (answered = true),
      () => undefined,
    );
    await untilTriedAgain();
    for (let n = 0; n < 10; n++) {
      expect((await other.api.put({ user_group_id: `served ${n}`, name: 'S' })).status).toBe(200);
      expect(service.app.get(Statements).poolUsage()).toMatchObject({ waiting: 0 });
    }
    const [line] = await importGroups(other.api, { user_group_id: 'moved', name: 'M' });
    expect(line).toMatchObject({ success: 1 });
    expect(answered).toBe(false);
    await holder.query('COMMIT');
    expect((await waiting).map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect((await imported)[0]).toMatchObject({ success: 1 });
  });

  test('they wait for a while, and are then refused', async () => {
    // The time of production, since it passes only as the test says.
    replaceField(RULES_LOCK_LIMIT, { waitMs: 3000 });
    const refused = putMany('refused');
    let areRefused = false;
    void refused.then(() => (areRefused = true));
    await untilTriedAgain();
    expect(areRefused).toBe(false);
    await until(() => {
      jest.advanceTimersByTime(100);
      return areRefused;
    });
    const answers = await refused;
    expect(answers.map(({ status, body }) => [status, body.code])).toEqual(
      Array(40).fill([503, 'database_unavailable']),
    );
  });
});
