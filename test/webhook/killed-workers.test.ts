import { type ApiClient, NDJSON } from '../support/api/api-client.ts';
import { createTestDatabase, onPostgres } from '../support/database/databases.ts';
import { runSql } from '../support/keys.ts';
import { type RunningServer, startServer } from '../support/process/processes.ts';
import { inRealTime } from '../support/time/real-time.ts';
import { SENDING, WebhookReceiver } from '../support/events/webhook-receiver.ts';
import { until } from '../support/time/until.ts';

/** All of them with `LONG_TESTS`: they leave little of the machine to other tests, which compare times. */
const EVENTS = process.env['LONG_TESTS'] ? 10_000 : 1500;
/** The number of endpoints, to which the processes send at the same time, and of events for each. */
const ENDPOINTS = 8;
const ATTEMPTED = 50;
/** Meanwhile every process looks for what is due, which it does once a second. */
const LATE_MS = 1500;
/** The time for which the service claims a delivery. */
const LEASE_MS = 30_000;
/** The most deliveries that three processes have claimed at the moment at which one of them is killed. */
const CLAIMED = 10;

// Several processes, and so SQLite is not asked: what they share is PostgreSQL.
onPostgres('three processes on postgres', () => {
  test(`of ${EVENTS} events none is lost when processes are killed, and one that comes again has its id`, async () => {
    const database = await createTestDatabase('postgres');
    const start = () => startServer({ ...database.env, ...SENDING });
    const servers: RunningServer[] = [await start(), await start(), await start()];
    const receiver = await WebhookReceiver.listen();
    const { api } = servers[0]!;
    const subscribed = await api.call('POST', '/api/v1/webhook-endpoints', {
      url: receiver.url,
      event_types: ['user_group.create'],
    });
    expect(subscribed.status).toBe(201);
    await importLines(api, EVENTS);
    for (const [index, share] of [0.2, 0.4, 0.6].entries()) {
      await until(() => receiver.messages.length >= share * EVENTS);
      await servers[index]!.stop('SIGKILL');
      servers[index] = await start();
    }
    const ids = () => new Set(receiver.messages.map(({ id }) => id));
    await until(
      () => ids().size === EVENTS,
      () => `${ids().size} have arrived`,
    );
    const pending = () =>
      runSql<{ id: number }>(
        database,
        "SELECT id FROM webhook_delivery WHERE state <> 'delivered'",
      );
    await until(async () => (await pending()).length === 0);
    for (const server of servers) await server.stop();

    const recorded = await runSql<{ id: number | string }>(
      database,
      "SELECT public_id AS id FROM audit_event WHERE action = 'user_group.create'",
    );
    expect(ids()).toEqual(new Set(recorded.map(({ id }) => `evt_${id}`)));
    // A killed process leaves what it had claimed: that alone comes again, and not before its lease is over.
    expect(receiver.messages.length - EVENTS).toBeLessThanOrEqual(3 * CLAIMED);
    const first = new Map<string, (typeof receiver.messages)[number]>();
    for (const message of receiver.messages) {
      const before = first.get(message.id);
      if (before === undefined) first.set(message.id, message);
      else {
        expect(message.body).toBe(before.body);
        // A lease begins before its message arrives. Without one the message would come again at the next look.
        expect(message.at - before.at).toBeGreaterThan(LEASE_MS / 2);
      }
    }
    receiver.close();
    await database.drop();
  });

  test(`of ${ENDPOINTS * ATTEMPTED} deliveries no attempt is made twice, however late it is answered, and whether it fails`, async () => {
    const database = await createTestDatabase('postgres');
    const start = () => startServer({ ...database.env, ...SENDING });
    const servers = await Promise.all([start(), start(), start()]);
    const receiver = await WebhookReceiver.listen();
    /** When each attempt has begun, by the endpoint and the event. */
    const begun = new Map<string, number[]>();
    const underWay = new Set<string>();
    const twice: string[] = [];
    const lot = (id: string) => Number(BigInt(id.slice('evt_'.length)) % 10n);
    const fails = (id: string) => lot(id) === 0;
    receiver.reply = (response, { id, headers, at }) => {
      const key = `${String(headers['x-endpoint'])} ${id}`;
      const times = [...(begun.get(key) ?? []), at];
      begun.set(key, times);
      if (underWay.has(key)) twice.push(key);
      underWay.add(key);
      const answer = () => {
        underWay.delete(key);
        response.writeHead(fails(id) && times.length === 1 ? 500 : 204).end();
      };
      if (lot(id) <= 2 && times.length === 1) {
        void inRealTime(LATE_MS, 'every process looks once a second').then(answer);
      } else answer();
    };
    const { api } = servers[0];
    for (let number = 1; number <= ENDPOINTS; number++) {
      const { status } = await api.call('POST', '/api/v1/webhook-endpoints', {
        url: receiver.url,
        event_types: ['user_group.create'],
        headers: { 'X-Endpoint': String(number) },
      });
      expect(status).toBe(201);
    }
    await importLines(api, ATTEMPTED);
    const open = () =>
      runSql<{ id: number }>(
        database,
        "SELECT id FROM webhook_delivery WHERE state <> 'delivered' LIMIT 1",
      );
    await until(() => begun.size === ENDPOINTS * ATTEMPTED);
    await until(async () => (await open()).length === 0);
    expect(twice).toEqual([]);
    const delivered = await runSql<{ id: string; attempts: number }>(
      database,
      'SELECT event_id AS id, attempts FROM webhook_delivery',
    );
    expect(delivered).toHaveLength(ENDPOINTS * ATTEMPTED);
    for (const { id, attempts } of delivered) {
      expect([id, attempts]).toEqual([id, fails(`evt_${id}`) ? 2 : 1]);
    }
    for (const [key, times] of begun) {
      expect([key, times.length]).toEqual([key, fails(key.split(' ')[1]!) ? 2 : 1]);
    }
    const made = await runSql(database, 'SELECT number FROM webhook_attempt');
    expect(made).toHaveLength(receiver.messages.length);
    await Promise.all(servers.map((server) => server.stop()));
    receiver.close();
    await database.drop();
  });
});

async function importLines(api: ApiClient, count: number): Promise<void> {
  const lines = Array.from({ length: count }, (_, index) =>
    JSON.stringify({ user_group_id: `g ${index}`, name: 'G' }),
  );
  const path = '/api/v1/user-groups/import';
  const sent = { method: 'POST', path, body: lines.join('\n'), headers: NDJSON };
  expect((await api.send(sent)).status).toBe(200);
}
