import { Client } from 'pg';
import { WebhookReplays } from '../../src/features/webhook/delivery/webhook-replays.ts';
import { DeliveryRetention } from '../../src/features/webhook/delivery/webhook-delivery.repository.ts';
import { RemovedEndpoints } from '../../src/features/webhook/endpoint/removed-endpoints.ts';
import { administer, onPostgres } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { PERMITTED, SENDING } from '../support/events/webhook-receiver.ts';
import { until } from '../support/time/until.ts';

const PATH = '/api/v1/webhook-endpoints';
const MANY = 50_000;
const ENDPOINTS = 20;
/** When the first event has happened; each of the others a second after the one before. */
const BEGIN = Date.now() - MANY * 1000;

// PostgreSQL alone tells how much of an index is read.
onPostgres('of very many deliveries on postgres', () => {
  // Plans are those of any values, which the service's connections come to after a while.
  const service = withService('postgres', { ...SENDING, WEBHOOK_DELIVERY: 'off' });
  const sql = (text: string) => administer(text, service.database.env['DATABASE_URL']);
  const ids: number[] = [];

  beforeAll(async () => {
    const name = new URL(service.database.env['DATABASE_URL']!).pathname.slice(1);
    await sql(`ALTER DATABASE "${name}" SET plan_cache_mode = force_generic_plan`);
    await sql(`
      SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = '${name}' AND pid <> pg_backend_pid()`);
    await until(async () => (await service.api.call('GET', PATH)).status === 200);
    for (let number = 1; number <= ENDPOINTS; number++) {
      const { body } = await service.api.call('POST', PATH, { url: `http://${PERMITTED}:1/` });
      ids.push(body.webhook_endpoint.id);
    }
    await sql(`
      INSERT INTO webhook_delivery (endpoint_id, event_id, kind, body, occurred_at, state, attempts, schedule_from)
      SELECT (ARRAY[${ids.join()}])[1 + n % ${ENDPOINTS}], n, 'user_group.create', '{}', ${BEGIN} + n * 1000, 'failed', 1, 0
      FROM generate_series(0, ${MANY - 1}) AS n`);
    await sql('ANALYZE');
  });

  /** The numbers of entries of each index, and of rows of the table itself, that have been read so far. */
  const readSoFar = async () => {
    const rows = await service.query<{ name: string; count: string }>(`
      SELECT indexrelname AS name, idx_tup_read AS count FROM pg_stat_user_indexes WHERE relname = 'webhook_delivery'
      UNION ALL SELECT relname, seq_tup_read FROM pg_stat_user_tables WHERE relname = 'webhook_delivery'`);
    return new Map(rows.map(({ name, count }) => [name, Number(count)]));
  };
  /** Ends the connections of the service: a process of PostgreSQL tells what it has read at its end at the latest. */
  const endConnections = async () => {
    const own = `datname = current_database() AND application_name LIKE 'user-group-service%'`;
    const client = new Client({ connectionString: service.database.env['DATABASE_URL'] });
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      `SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE ${own}`,
    );
    const pids = rows.map(({ pid }) => pid);
    await until(async () => {
      const left = await client.query('SELECT 1 FROM pg_stat_activity WHERE pid = ANY($1)', [pids]);
      return left.rows.length === 0;
    });
    await client.end();
    await until(async () => (await service.api.call('GET', PATH)).status === 200);
  };
  /** The number of entries that a piece of work has read, in total. */
  const readBy = async (work: () => Promise<unknown>) => {
    await endConnections();
    const before = await readSoFar();
    await work();
    await endConnections();
    const after = await readSoFar();
    return [...after].reduce((sum, [name, count]) => sum + count - before.get(name)!, 0);
  };

  test('a replay of a time reads those of its endpoint in that time', async () => {
    const from = new Date(BEGIN + (MANY / 2) * 1000).toISOString();
    const read = await readBy(async () => {
      const { body } = await service.api.call('POST', `${PATH}/${ids[0]}/replay`, { from });
      expect(body).toEqual({ success: 1 });
      while (await service.app.get(WebhookReplays).run());
      const list = await service.api.call(
        'GET',
        '/api/v1/audit-events?types=webhook_endpoint.replay',
      );
      expect(list.body.audit_events[0]!.details).toMatchObject({ replayed: MANY / 2 / ENDPOINTS });
    });
    // Each by the index of the time, and by its own number.
    expect(read).toBeGreaterThanOrEqual(MANY / ENDPOINTS);
    expect(read).toBeLessThan(MANY / 4);
  });

  test('what is removed by its age is found by it', async () => {
    const retention = service.app.get(DeliveryRetention);
    await sql(`UPDATE webhook_delivery SET occurred_at = 1 WHERE event_id < 500`);
    const read = await readBy(async () => {
      expect(await retention.sweep()).toBe(500);
    });
    expect(read).toBeGreaterThanOrEqual(1000);
    expect(read).toBeLessThan(10_000);
  });

  test('what a deleted endpoint had is passed by once, also while a backup has a snapshot', async () => {
    const backup = new Client({ connectionString: service.database.env['DATABASE_URL'] });
    await backup.connect();
    await backup.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await backup.query('SELECT 1 FROM webhook_delivery LIMIT 1');
    const [one] = ids.splice(-1);
    await sql(`UPDATE webhook_delivery SET endpoint_id = ${one} WHERE endpoint_id <> ${ids[0]}`);
    await sql('ANALYZE');
    const [count] = await service.query<{ count: string }>(
      `SELECT count(*) FROM webhook_delivery WHERE endpoint_id = ${one}`,
    );
    const removed = Number(count!.count);
    await sql(`UPDATE webhook_endpoint SET removed_at = 1 WHERE id = ${one}`);
    const read = await readBy(async () => {
      expect(await service.app.get(RemovedEndpoints).sweep()).toBe(removed + 1);
    });
    await backup.end();
    expect(removed).toBeGreaterThan(0.9 * MANY);
    // Each by the endpoint and by its own number; what it was before the endpoint was changed is read, too.
    expect(read).toBeLessThan(6 * removed);
  });
});
