import { scopes } from '../../src/platform/common/access/caller.ts';
import { TEST_KIND } from '../../src/features/webhook/delivery/webhook-delivery.repository.ts';
import { WebhookReplays } from '../../src/features/webhook/delivery/webhook-replays.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { PERMITTED, SENDING } from '../support/events/webhook-receiver.ts';

const PATH = '/api/v1/webhook-endpoints';
const SINCE = '2030-01-01T00:00:00.000Z';
const UNTIL = '2030-01-02T00:00:00.000Z';
/** The number of events in one part of a replay. */
const PART = 1000;

onEachDatabase((kind) => {
  // The test itself does part by part what workers do.
  const service = withService(kind, { ...SENDING, WEBHOOK_DELIVERY: 'off' });

  const workspace = async (deliveries: number) => {
    const api = service.clientOf(await service.issueToken([...scopes], `replays ${Math.random()}`));
    return { api, id: await endpoint(api, deliveries) };
  };

  const endpoint = async (api: ApiClient, deliveries: number): Promise<number> => {
    const { body } = await api.call('POST', PATH, { url: `http://${PERMITTED}:1/` });
    const { id } = body.webhook_endpoint;
    const numbers =
      kind === 'postgres'
        ? `generate_series(1, ${deliveries}) AS n(value)`
        : `(WITH RECURSIVE c(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM c WHERE value < ${deliveries}) SELECT value FROM c) AS n`;
    await changeDatabase(
      service.database,
      `INSERT INTO webhook_delivery (endpoint_id, event_id, kind, body, occurred_at, state, attempts, schedule_from)
       SELECT ${id}, n.value, 'user_group.create', '{}', ${Date.parse(SINCE)} + n.value, 'delivered', 1, 0 FROM ${numbers}`,
    );
    return id;
  };

  const replay = (api: ApiClient, id: number) =>
    api.call('POST', `${PATH}/${id}/replay`, { from: SINCE, to: UNTIL, include_delivered: true });

  const due = async (id: number) => {
    const [row] = await service.query<{ count: string }>(
      `SELECT count(*) AS count FROM webhook_delivery WHERE endpoint_id = ${id} AND state = 'pending'`,
    );
    return Number(row!.count);
  };

  const recorded = async (api: ApiClient) =>
    (await api.call('GET', '/api/v1/audit-events?types=webhook_endpoint.replay')).body.audit_events;

  test('a dry run counts what a replay would send again, and sends nothing', async () => {
    const { api, id } = await workspace(2 * PART + 1);
    const arrived = `UPDATE webhook_delivery SET state = 'failed' WHERE endpoint_id = ${id} AND event_id <= ${PART + 5}`;
    await changeDatabase(service.database, arrived);
    const tests = `UPDATE webhook_delivery SET kind = '${TEST_KIND}' WHERE endpoint_id = ${id} AND event_id <= 5`;
    await changeDatabase(service.database, tests);
    const count = (body: object) =>
      api.call('POST', `${PATH}/${id}/replay`, { from: SINCE, to: UNTIL, dry_run: true, ...body });
    const would = (counted: number) => ({
      success: 1,
      would_replay: { count: counted, exact: true },
    });
    expect((await count({})).body).toEqual(would(PART));
    expect((await count({ include_delivered: true })).body).toEqual(would(2 * PART - 4));
    expect((await count({ from: new Date(Date.parse(SINCE) + 11).toISOString() })).body).toEqual(
      would(PART - 5),
    );
    expect([await due(id), await recorded(api)]).toEqual([0, []]);
    const { status, body } = await api.call('POST', `${PATH}/${id}/replay`, {
      event_id: 'evt_1',
      dry_run: true,
    });
    expect([status, body.errors[0]!.pointer]).toEqual([422, '/dry_run']);
    expect((await count({ to: SINCE })).status).toBe(422);
  });

  test('an endpoint tells how many events wait for it, up to a thousand', async () => {
    const { api, id } = await workspace(PART + 1);
    const waiting = async () => {
      const { body } = await api.call('GET', `${PATH}/${id}`);
      const { body: list } = await api.call('GET', PATH);
      const [listed] = (list as unknown as { webhook_endpoints: object[] }).webhook_endpoints;
      expect(listed).toEqual(body.webhook_endpoint);
      return (body.webhook_endpoint as unknown as { waiting: object }).waiting;
    };
    const etag = async () => (await api.call('GET', `${PATH}/${id}`)).headers['etag'];
    const before = await etag();
    expect(await waiting()).toEqual({ count: 0, exact: true });
    const wait = (least: number) =>
      `UPDATE webhook_delivery SET state = 'pending', due_at = 4102444800000 WHERE endpoint_id = ${id} AND event_id >= ${least}`;
    await changeDatabase(service.database, wait(2));
    expect(await waiting()).toEqual({ count: PART, exact: true });
    await changeDatabase(service.database, wait(1));
    expect(await waiting()).toEqual({ count: PART, exact: false });
    expect(await etag()).toBe(before);
  });

  test('a time is replayed in the background, one at a time for an endpoint, in turn with others, and recorded', async () => {
    const busy = await workspace(2 * PART + 1);
    const other = await workspace(1);
    expect((await replay(busy.api, busy.id)).body).toEqual({ success: 1 });
    expect((await replay(other.api, other.id)).status).toBe(200);
    const refused = await replay(busy.api, busy.id);
    expect([refused.status, refused.body.code]).toEqual([409, 'webhook_replay_running']);
    const replays = service.app.get(WebhookReplays);
    await replays.run();
    await replays.run();
    expect([await due(busy.id), await due(other.id)]).toEqual([PART, 1]);
    expect(await recorded(busy.api)).toEqual([]);
    while (await replays.run());
    expect(await due(busy.id)).toBe(2 * PART + 1);
    for (const [{ api, id }, replayed] of [
      [busy, 2 * PART + 1],
      [other, 1],
    ] as const) {
      expect(await recorded(api)).toMatchObject([
        {
          actor: { type: 'api_token' },
          object: { type: 'webhook_endpoint', id: String(id) },
          details: { from: SINCE, to: UNTIL, include_delivered: true, replayed },
        },
      ]);
    }
    expect((await replay(busy.api, busy.id)).status).toBe(200);
    while (await replays.run());
  });

  test('endpoints of one workspace are replayed at once, and workspaces take turns whatever each has to replay', async () => {
    const busy = await workspace(2 * PART + 1);
    const second = await endpoint(busy.api, 2 * PART + 1);
    const other = await workspace(2 * PART + 1);
    for (const [api, id] of [
      [busy.api, busy.id],
      [busy.api, second],
      [other.api, other.id],
    ] as const) {
      expect((await replay(api, id)).status).toBe(200);
    }
    const replays = service.app.get(WebhookReplays);
    for (let turn = 0; turn < 4; turn++) await replays.run();
    expect([await due(busy.id), await due(second), await due(other.id)]).toEqual([
      PART,
      PART,
      2 * PART,
    ]);
    while (await replays.run());
    expect([await due(busy.id), await due(second), await due(other.id)]).toEqual(
      Array(3).fill(2 * PART + 1),
    );
  });

  test('a replay of one event is recorded', async () => {
    const { api, id } = await workspace(1);
    const body = { event_id: 'evt_1' };
    expect((await api.call('POST', `${PATH}/${id}/replay`, body)).body).toEqual({ success: 1 });
    expect(await recorded(api)).toMatchObject([
      { actor: { type: 'api_token' }, details: { event_id: 'evt_1', replayed: 1 } },
    ]);
  });

  test('100 replays at once of many deliveries are answered before any is made due', async () => {
    const { api, id } = await workspace(20 * PART);
    const answers = await Promise.all(Array.from({ length: 100 }, () => replay(api, id)));
    const [first, ...others] = answers.map(({ status }) => status).sort();
    expect(first).toBe(200);
    // A busy machine lets some of them wait for a turn for too long.
    for (const status of others) expect([409, 429]).toContain(status);
    expect(await due(id)).toBe(0);
    await changeDatabase(service.database, 'DELETE FROM webhook_replay');
  });
});
