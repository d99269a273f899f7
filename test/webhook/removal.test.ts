import { scopes } from '../../src/platform/common/access/caller.ts';
import { RemovedEndpoints } from '../../src/features/webhook/endpoint/removed-endpoints.ts';
import { type ApiClient, NDJSON } from '../support/api/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { SENDING, WebhookReceiver } from '../support/events/webhook-receiver.ts';
import { until } from '../support/time/until.ts';
import { workerRounds } from '../support/time/worker-rounds.ts';

const PATH = '/api/v1/webhook-endpoints';
onEachDatabase((kind) => {
  /** Many batches of what is removed at once. */
  const DELIVERIES = kind === 'postgres' ? 50_000 : 10_500;
  const service = withService(kind, SENDING);
  let api: ApiClient;
  let receiver: WebhookReceiver;

  beforeEach(async () => {
    api = service.clientOf(await service.issueToken([...scopes], `workspace ${Math.random()}`));
    receiver = await WebhookReceiver.listen();
  });

  afterEach(() => {
    receiver.close();
  });

  const sql = (text: string) => changeDatabase(service.database, text);
  const subscribe = async (event_types = ['user_group.create']) => {
    const { body } = await api.call('POST', PATH, { url: receiver.url, event_types });
    return body.webhook_endpoint.id;
  };
  const rowsOf = (table: string, column: string, id: number) =>
    service.query(`SELECT 1 FROM ${table} WHERE ${column} = ${id}`);

  /** Deliveries that have arrived, each by its second attempt. */
  const fill = async (id: number) => {
    const numbers =
      kind === 'postgres'
        ? `generate_series(1, ${DELIVERIES}) AS s(n)`
        : `(WITH RECURSIVE s(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM s WHERE n < ${DELIVERIES}) SELECT n FROM s) AS s`;
    await sql(`
      INSERT INTO webhook_delivery (endpoint_id, event_id, kind, body, occurred_at, state, attempts, schedule_from)
      SELECT ${id}, s.n, 'user_group.create', '{}', ${Date.now()} + s.n, 'delivered', 2, 0 FROM ${numbers}`);
    await sql(`
      INSERT INTO webhook_attempt (delivery_id, number, endpoint_id, event_id, at, duration_ms, status)
      SELECT d.id, a.number, d.endpoint_id, d.event_id, d.occurred_at, 1, 200
      FROM webhook_delivery d CROSS JOIN (SELECT 1 AS number UNION ALL SELECT 2) AS a
      WHERE d.endpoint_id = ${id}`);
  };

  test('an endpoint with very many deliveries is gone at once, and what it had in a while', async () => {
    const [id, other] = [await subscribe(), await subscribe()];
    await fill(id);
    const deleted = await api.call('DELETE', `${PATH}/${id}`);
    expect([deleted.status, deleted.body]).toEqual([200, { success: 1 }]);
    expect((await api.call('GET', `${PATH}/${id}`)).status).toBe(404);
    expect((await api.call('GET', `${PATH}/${id}/attempts`)).status).toBe(404);
    expect((await api.call('POST', `${PATH}/${id}/replay`, { event_id: 'evt_1' })).status).toBe(
      404,
    );
    const listed = (await api.call('GET', PATH)).body.webhook_endpoints;
    expect(listed.map((endpoint) => endpoint.id)).toEqual([other]);
    await until(async () => (await rowsOf('webhook_endpoint', 'id', id)).length === 0);
    expect(await rowsOf('webhook_delivery', 'endpoint_id', id)).toEqual([]);
    expect(await rowsOf('webhook_attempt', 'endpoint_id', id)).toEqual([]);
    expect(await rowsOf('webhook_endpoint', 'id', other)).toHaveLength(1);
  });

  test('what a killed process has left is removed by the next sweep', async () => {
    const ids = [await subscribe(), await subscribe()];
    for (const id of ids) await fill(id);
    await sql(`UPDATE webhook_endpoint SET removed_at = ${Date.now()} WHERE id IN (${ids.join()})`);
    expect(await service.app.get(RemovedEndpoints).sweep()).toBe(2 * (DELIVERIES + 1));
    for (const id of ids) expect(await rowsOf('webhook_endpoint', 'id', id)).toEqual([]);
  });

  test('while an attempt is under way its endpoint can be deleted; nothing is sent after that', async () => {
    const id = await subscribe();
    let answer: (() => void) | undefined;
    receiver.reply = (response) => {
      answer = () => response.writeHead(500).end();
    };
    await api.create();
    await receiver.receive(1);
    expect((await api.call('DELETE', `${PATH}/${id}`)).status).toBe(200);
    answer!();
    await api.create();
    await until(async () => (await rowsOf('webhook_endpoint', 'id', id)).length === 0);
    await workerRounds(service);
    expect(receiver.messages).toHaveLength(1);
    expect(await rowsOf('webhook_delivery', 'endpoint_id', id)).toEqual([]);
  });

  test('endpoints are deleted while results of many attempts are stored, and nobody waits in a circle', async () => {
    // Each failure is noted at the endpoint after the delivery.
    receiver.answer(500);
    const ids: number[] = [];
    for (let number = 1; number <= 10; number++) ids.push(await subscribe());
    const lines = Array.from({ length: 100 }, (_, index) =>
      JSON.stringify({ user_group_id: `g ${index}`, name: 'G' }),
    );
    const path = '/api/v1/user-groups/import';
    await api.send({ method: 'POST', path, body: lines.join('\n'), headers: NDJSON });
    await receiver.receive(100);
    const deleted = await Promise.all(
      ids.map(async (id, index) => {
        await until(() => receiver.messages.length >= 100 + 5 * index);
        return (await api.call('DELETE', `${PATH}/${id}`)).status;
      }),
    );
    expect(new Set(deleted)).toEqual(new Set([200]));
    await until(async () => {
      // Deliveries that are made of changes meanwhile are for the next sweep.
      await service.app.get(RemovedEndpoints).sweep();
      const left = await service.query(
        `SELECT 1 FROM webhook_endpoint WHERE id IN (${ids.join()})`,
      );
      return left.length === 0;
    });
    if (kind === 'sqlite') return;
    const [{ deadlocks } = { deadlocks: '' }] = await service.query<{ deadlocks: string }>(
      'SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()',
    );
    expect(Number(deadlocks)).toBe(0);
  });

  test('a deleted endpoint that the version before has switched on gets nothing', async () => {
    const id = await subscribe();
    const removed = `removed_at = ${Date.now() + 60_000}`;
    await sql(`UPDATE webhook_endpoint SET ${removed}, disabled_at = NULL WHERE id = ${id}`);
    await sql(`
      INSERT INTO webhook_delivery (endpoint_id, event_id, kind, body, occurred_at, state, attempts, schedule_from, due_at)
      VALUES (${id}, 1, 'user_group.create', '{}', ${Date.now()}, 'pending', 0, 0, 1)`);
    const seen = await subscribe();
    await api.create();
    await receiver.receive(1);
    await workerRounds(service);
    expect(receiver.messages.map(({ body }) => body)).not.toContain('{}');
    expect(await rowsOf('webhook_attempt', 'endpoint_id', seen)).toHaveLength(1);
    await sql(`UPDATE webhook_endpoint SET removed_at = 1 WHERE id = ${id}`);
    expect(await service.app.get(RemovedEndpoints).sweep()).toBe(2);
  });

  test('deleted endpoints leave room for others', async () => {
    const ids = [];
    for (let number = 1; number <= 50; number++) ids.push(await subscribe());
    expect((await api.call('POST', PATH, { url: receiver.url })).status).toBe(409);
    await sql(`UPDATE webhook_endpoint SET removed_at = ${Date.now()} WHERE id = ${ids[0]}`);
    expect((await api.call('POST', PATH, { url: receiver.url })).status).toBe(201);
  });
});
