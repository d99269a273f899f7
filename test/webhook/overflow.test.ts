import { scopes } from '../../src/platform/common/access/caller.ts';
import { Metrics } from '../../src/platform/metrics/metrics.ts';
import { EndpointOverflow } from '../../src/features/webhook/endpoint/endpoint-overflow.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { SENDING, WebhookReceiver } from '../support/events/webhook-receiver.ts';
import { until } from '../support/time/until.ts';

const PATH = '/api/v1/webhook-endpoints';
const MAX_WAITING = 50_000;

onEachDatabase((kind) => {
  const service = withService(kind, SENDING);

  test('beyond so many waiting deliveries events are left out, and later the endpoint is told so', async () => {
    const receivers = [await WebhookReceiver.listen(), await WebhookReceiver.listen()] as const;
    const [full, other] = receivers;
    const api = service.clientOf(await service.issueToken([...scopes], 'overflow'));
    const subscribe = async (url: string) => {
      const answer = await api.call('POST', PATH, { url, event_types: ['user_group.create'] });
      return answer.headers['location'] as string;
    };
    const path = await subscribe(full.url);
    await subscribe(other.url);
    const id = Number(path.split('/').at(-1));
    const sql = (text: string) => changeDatabase(service.database, text);
    const skippingSince = async () =>
      (await api.call('GET', path)).body.webhook_endpoint.skipping_since;
    const waiting = async () => {
      const [row] = await service.query<{ count: string }>(
        `SELECT count(*) AS count FROM webhook_delivery WHERE endpoint_id = ${id} AND due_at IS NOT NULL`,
      );
      return Number(row!.count);
    };
    await api.call('PATCH', path, { enabled: false });
    const numbers =
      kind === 'postgres'
        ? `generate_series(1, ${MAX_WAITING}) AS n(value)`
        : `(WITH RECURSIVE c(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM c WHERE value < ${MAX_WAITING}) SELECT value FROM c) AS n`;
    await sql(
      `INSERT INTO webhook_delivery (endpoint_id, event_id, kind, body, occurred_at, state, attempts, schedule_from, due_at)
       SELECT ${id}, n.value, 'user_group.create', '{}', ${Date.now()}, 'pending', 0, 0, 1 FROM ${numbers}`,
    );
    expect(await skippingSince()).toBeNull();
    await api.create();
    await other.receive(1);
    await until(async () => (await skippingSince()) !== null);
    await api.create();
    await other.receive(2);
    expect(await waiting()).toBe(MAX_WAITING);
    expect(await service.app.get(Metrics).registry.metrics()).toMatch(
      /^webhook_endpoints_skipping_total 1$/m,
    );
    // More than half of them still wait.
    const overflow = service.app.get(EndpointOverflow);
    await overflow.end();
    const since = await skippingSince();
    expect(since).not.toBeNull();
    await sql(
      `UPDATE webhook_delivery SET due_at = NULL, state = 'delivered' WHERE endpoint_id = ${id}`,
    );
    await overflow.end();
    expect(await skippingSince()).toBeNull();
    await api.create();
    await api.call('PATCH', path, { enabled: true });
    await full.receive(2);
    await other.receive(3);
    expect(full.types.sort()).toEqual(['user_group.create', 'webhook_endpoint.overflow']);
    const told = full.messages.map(
      ({ body }) => JSON.parse(body) as { type: string; data: object },
    );
    expect(told.find(({ type }) => type === 'webhook_endpoint.overflow')!.data).toEqual({
      object: { type: 'webhook_endpoint', id: String(id) },
    });
    const list = await api.call('GET', '/api/v1/audit-events?types=webhook_endpoint.overflow');
    expect(list.body.audit_events).toMatchObject([
      { actor: { type: 'service' }, object: { id: String(id) }, details: { since } },
    ]);
    expect(other.types).toEqual(Array(3).fill('user_group.create'));
    for (const receiver of receivers) receiver.close();
  });
});
