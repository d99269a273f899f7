import { TokenDisclosures } from '../../src/core/audit/tally/token-disclosures.ts';
import { AnonymousRefusals } from '../../src/core/audit/tally/anonymous-refusals.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { forbidEvents } from '../support/events/forbid-events.ts';
import { ALL_BUT_TIMEOUTS } from '../support/time/fake-time.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { soon } from '../support/time/until.ts';
import { withFrozenBuckets } from '../support/time/frozen-buckets.ts';

withFrozenBuckets();

onEachDatabase((kind) => {
  let service: TestService;

  beforeEach(async () => {
    service = await startTestService(kind, {
      TRUST_PROXY: '1',
      AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE: '2',
    });
  });

  afterEach(() => service.close());

  const guess = (address: string) =>
    service
      .clientOf(`uga_${'0'.repeat(38)}`)
      .get({ user_group_id: 'g' }, { 'X-Forwarded-For': address });

  interface Row {
    action: string;
    actor_type: string;
    address: string;
    details: string;
    days: number | string;
  }
  const rows = async (by = service) =>
    (
      await by.query<Row>(
        `SELECT action, actor_type, address, details, (keep_until - occurred_at) / 86400000 AS days
         FROM audit_event WHERE workspace_id IS NULL ORDER BY id`,
      )
    ).map((row) => ({ ...row, details: JSON.parse(row.details) as Record<string, unknown> }));

  test('however many strangers call, one event a minute tells of all of them', async () => {
    jest.useFakeTimers({ doNotFake: [...ALL_BUT_TIMEOUTS] });
    for (let address = 1; address <= 20; address++) await guess(`198.51.100.${address}`);
    for (let count = 0; count < 3; count++) await guess('198.51.100.1');
    await service
      .clientOf(undefined)
      .get({ user_group_id: 'g' }, { 'X-Forwarded-For': '2001:db8:1:2::3' });
    expect(await rows()).toEqual([]);
    jest.advanceTimersByTime(60_000);
    jest.useRealTimers();
    const events = await soon(rows);
    expect(events).toMatchObject([
      {
        action: 'authentication.refuse',
        actor_type: 'unknown',
        address: '198.51.100.1',
        details: {
          // The first refusal.
          code: 'api_token_invalid',
          method: 'GET',
          path: '/api/user',
          count: 24,
          by: { api_token_invalid: 23, credentials_missing: 1 },
          other_addresses: 13,
        },
      },
    ]);
    const { addresses } = events[0]!.details as { addresses: Record<string, number> };
    expect(Object.keys(addresses)).toHaveLength(8);
    expect(addresses).toMatchObject({ '198.51.100.1': 4, '198.51.100.8': 1 });
  });

  test('is kept for a time of its own, before which the database does not let it go', async () => {
    await guess('198.51.100.1');
    await service.app.get(AnonymousRefusals).flush();
    expect((await rows()).map(({ days }) => Number(days))).toEqual([90]);
    const removal = changeDatabase(
      service.database,
      'DELETE FROM audit_event WHERE workspace_id IS NULL',
    );
    await expect(removal).rejects.toThrow(/cannot be changed or removed/);
  });

  test('is not forgotten while the database takes none', async () => {
    const events = service.app.get(AnonymousRefusals);
    const allow = await forbidEvents(service);
    await guess('198.51.100.1');
    await events.flush();
    await guess('198.51.100.2');
    await allow();
    await events.flush();
    expect((await rows()).map(({ details }) => details)).toMatchObject([
      { count: 2, addresses: { '198.51.100.1': 1, '198.51.100.2': 1 } },
    ]);
  });

  test('the last are written before the end', async () => {
    const ending = await startTestService(kind);
    await ending.clientOf(undefined).get({ user_group_id: 'g' });
    await ending.app.close();
    const next = await startTestService(ending.database);
    expect(await rows(next)).toMatchObject([{ details: { count: 1 } }]);
    await next.close();
    await ending.database.drop();
  });
});

test('neither refusals of strangers nor shown tokens are kept longer than the rest', async () => {
  const days: unknown[] = [];
  const settings: Record<string, string>[] = [
    { AUDIT_RETENTION_DAYS: '30' },
    {
      AUDIT_RETENTION_DAYS: '0',
      AUDIT_REFUSAL_RETENTION_DAYS: '7',
      AUDIT_TOKEN_ACCESS_RETENTION_DAYS: '8',
    },
  ];
  for (const env of settings) {
    const service = await startTestService('sqlite', env);
    await service.clientOf(undefined).get({ user_group_id: 'g' });
    await service.api.get({ user_group_id: 'g', name: 'G' });
    await service.api.get({ user_group_id: 'g' });
    await service.app.get(AnonymousRefusals).flush();
    await service.app.get(TokenDisclosures).flush();
    const rows = await service.query<{ days: number | null }>(
      `SELECT (keep_until - occurred_at) / 86400000 AS days FROM audit_event
       WHERE action IN ('authentication.refuse', 'user_group_token.show', 'user_group.create')
       ORDER BY action`,
    );
    days.push(rows.map((row) => row.days));
    await service.close();
  }
  expect(days).toEqual([
    [30, 30, 30],
    [7, null, 8],
  ]);
});
