import { Metrics } from '../../src/platform/metrics/metrics.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { SENDING, WebhookReceiver } from '../support/events/webhook-receiver.ts';
import { until } from '../support/time/until.ts';

/** The number of messages that a process sends to one endpoint at a time. */
const AT_ONCE = 10;

onEachDatabase((kind) => {
  const service = withService(kind, SENDING);
  let receiver: WebhookReceiver;

  beforeEach(async () => {
    receiver = await WebhookReceiver.listen();
  });

  afterEach(() => {
    jest.restoreAllMocks();
    receiver.close();
  });

  const subscribe = async () => {
    const event_types = ['user_group.create'];
    const endpoint = { url: receiver.url, event_types };
    const { body } = await service.api.call('POST', '/api/v1/webhook-endpoints', endpoint);
    return body.webhook_endpoint.id;
  };
  const sample = async (name: string) => {
    const lines = (await service.app.get(Metrics).registry.metrics()).split('\n');
    return Number(
      lines
        .find((line) => line.startsWith(`${name} `))
        ?.split(' ')
        .at(-1),
    );
  };

  test('attempts are counted with how long they took, and endpoints that are switched off', async () => {
    const took = 'webhook_attempt_duration_seconds';
    await subscribe();
    receiver.reply = (response) => {
      const now = performance.now.bind(performance);
      jest.spyOn(performance, 'now').mockImplementation(() => now() + 300);
      response.writeHead(410).end();
    };
    expect(await sample(`${took}_count{result="refused"}`)).toBe(0);
    await service.api.create();
    const gone = () => sample('webhook_endpoints_disabled_total{reason="gone"}');
    await until(async () => (await gone()) === 1);
    expect(await sample(`${took}_count{result="refused"}`)).toBe(1);
    expect(await sample(`${took}_bucket{le="0.25",result="refused"}`)).toBe(0);
    expect(await sample(`${took}_sum{result="refused"}`)).toBeGreaterThan(0.29);
    expect(await sample(`${took}_count{result="delivered"}`)).toBe(0);
    expect(await sample('webhook_endpoints_disabled_total{reason="failing"}')).toBe(0);
  });

  test('what could be sent and waits is overdue, what is under way is not', async () => {
    const id = await subscribe();
    const held: (() => void)[] = [];
    // The first response is what the endpoint gets more at a time for.
    receiver.reply = (response) => {
      const answer = () => response.writeHead(204).end();
      if (receiver.messages.length === 1) answer();
      else held.push(answer);
    };
    const hourAgo = Date.now() - 3_600_000;
    const rows = Array.from(
      { length: AT_ONCE + 2 },
      (_, index) =>
        `(${id}, ${index}, 'user_group.create', '{}', ${hourAgo}, 'pending', 0, 0, ${hourAgo + (index - 1) * 60_000})`,
    );
    await changeDatabase(
      service.database,
      `INSERT INTO webhook_delivery (endpoint_id, event_id, kind, body, occurred_at, state, attempts, schedule_from, due_at)
       VALUES ${rows.join()}`,
    );
    await receiver.receive(AT_ONCE + 1);
    // The one that is left has been due since ten minutes later.
    await until(async () => (await sample('webhook_overdue_seconds')) < 3100);
    expect(await sample('webhook_overdue_seconds')).toBeGreaterThan(2990);
    expect(await sample('webhook_endpoints_due')).toBe(1);
    for (const answer of held.splice(0)) answer();
    receiver.reply = (response) => response.writeHead(204).end();
    await until(async () => (await sample('webhook_overdue_seconds')) === 0);
    expect(await sample('webhook_endpoints_due')).toBe(0);
  });
});
