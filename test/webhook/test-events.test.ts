import { Webhook } from 'standardwebhooks';
import { scopes } from '../../src/platform/common/access/caller.ts';
import type { WebhookAttemptView } from '../../src/features/webhook/delivery/dto/webhook-attempt.dto.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { FORBIDDEN, SENDING, WebhookReceiver } from '../support/events/webhook-receiver.ts';
import { stopTime } from '../support/time/fake-time.ts';
import { until } from '../support/time/until.ts';

const PATH = '/api/v1/webhook-endpoints';

onEachDatabase((kind) => {
  const service = withService(kind, SENDING);
  let api: ApiClient;
  let receiver: WebhookReceiver;

  beforeEach(async () => {
    api = service.clientOf(await service.issueToken([...scopes], `tests ${Math.random()}`));
    receiver = await WebhookReceiver.listen();
  });

  afterEach(async () => {
    const { body } = await api.call('GET', PATH);
    for (const { id } of body.webhook_endpoints) await api.call('DELETE', `${PATH}/${id}`);
    receiver.close();
  });

  const subscribe = async (fields: object = {}) => {
    const body = { url: receiver.url, event_types: ['user_group.create'], ...fields };
    const answer = await api.call('POST', PATH, body);
    return { ...answer.body.webhook_endpoint, path: answer.headers['location'] as string };
  };
  const send = async (path: string) => {
    const answer = await api.call('POST', `${path}/test`);
    return {
      ...answer,
      attempt: (answer.body as unknown as { attempt: WebhookAttemptView }).attempt,
    };
  };
  const attemptsOf = async (path: string) =>
    (
      (await api.call('GET', `${path}/attempts`)).body as unknown as {
        attempts: WebhookAttemptView[];
      }
    ).attempts;
  const endpoint = async (path: string) => (await api.call('GET', path)).body.webhook_endpoint;

  test('a test event arrives at one endpoint alone, signed as any other, and its response is returned', async () => {
    const other = await WebhookReceiver.listen();
    const { id, secret, path } = await subscribe();
    await subscribe({ url: other.url, event_types: ['*'] });
    receiver.answer(201, {}, 'thank you');
    const { status, attempt } = await send(path);
    expect(status).toBe(200);
    const [message] = receiver.messages;
    expect(attempt).toEqual({
      event_id: message!.id,
      type: 'webhook.test',
      body: message!.body,
      attempt: 1,
      occurred_at: expect.stringMatching(/Z$/),
      duration_ms: expect.any(Number),
      status: 201,
      failure: null,
      response: 'thank you',
      delivery: 'delivered',
      next_attempt_at: null,
    });
    expect(
      new Webhook(secret!).verify(message!.body, message!.headers as Record<string, string>),
    ).toEqual({
      type: 'webhook.test',
      timestamp: expect.stringMatching(/Z$/),
      data: { object: { type: 'webhook_endpoint', id: String(id) } },
    });
    expect(await attemptsOf(path)).toEqual([attempt]);
    // A later event reaches the other endpoint, so that the test event would have reached it, too.
    await api.create();
    await until(() => other.types.includes('user_group.create'));
    expect(other.types).not.toContain('webhook.test');
    expect(other.types).not.toContain('webhook_endpoint.test');
    other.close();
  });

  test('the audit log has who has sent it, and no feed has it', async () => {
    const { id, path } = await subscribe();
    const { attempt } = await send(path);
    const { body } = await api.call('GET', '/api/v1/audit-events?types=webhook_endpoint.test');
    expect(body.audit_events).toMatchObject([
      {
        action: 'webhook_endpoint.test',
        actor: { type: 'api_token' },
        object: { type: 'webhook_endpoint', id: String(id) },
        details: { event_id: attempt.event_id },
      },
    ]);
    const events = (await api.call('GET', '/api/v1/events')).body as unknown as {
      events: { type: string }[];
    };
    expect(events.events.map(({ type }) => type)).not.toContain('webhook_endpoint.test');
  });

  test.each([500, 410, 429])(
    'a %i for a test event changes nothing about the endpoint, and is not retried',
    async (status) => {
      const { path } = await subscribe();
      await api.create();
      await receiver.receive(1);
      await until(async () => (await attemptsOf(path)).length === 1);
      receiver.answer(status, { 'Retry-After': '3600' });
      const { attempt } = await send(path);
      expect(attempt).toMatchObject({ status, delivery: 'failed', next_attempt_at: null });
      const { last_hour, ...after } = await endpoint(path);
      expect(after).toMatchObject({ enabled: true, failing_since: null });
      expect(last_hour).toEqual({ attempts: 2, delivered: 1 });
      receiver.answer(204);
      // Arrives at once: the endpoint does not pause.
      await api.create();
      await receiver.receive(3);
      expect(receiver.types).toEqual(['user_group.create', 'webhook.test', 'user_group.create']);
    },
  );

  test('a test event is sent to an endpoint that is disabled, and leaves what waits for it', async () => {
    const { path } = await subscribe();
    await api.call('PATCH', path, { enabled: false });
    await api.create();
    expect((await send(path)).attempt).toMatchObject({ status: 204, delivery: 'delivered' });
    expect(receiver.types).toEqual(['webhook.test']);
    expect((await endpoint(path)).enabled).toBe(false);
  });

  test('a test event goes to no private address, and the attempt says so', async () => {
    const forbidden = await WebhookReceiver.listen(FORBIDDEN);
    const { path } = await subscribe({ url: receiver.url });
    // The setting has changed since the endpoint was made.
    const moved = `http://${FORBIDDEN}:${forbidden.port}/`;
    const refused = await api.call('PATCH', path, { url: moved });
    expect(refused.status).toBe(422);
    await changeDatabase(service.database, `UPDATE webhook_endpoint SET url = '${moved}'`);
    expect((await send(path)).attempt).toMatchObject({
      status: null,
      failure: 'address_forbidden',
      delivery: 'failed',
    });
    expect(forbidden.messages).toEqual([]);
    forbidden.close();
  });

  test('there is one test event of an endpoint at a time', async () => {
    const { path } = await subscribe();
    let answer: (() => void) | undefined;
    receiver.reply = (response) => {
      answer = () => response.writeHead(204).end();
    };
    const first = send(path);
    await receiver.receive(1);
    const second = await send(path);
    expect([second.status, second.body.code]).toEqual([409, 'webhook_test_refused']);
    answer!();
    expect((await first).attempt.status).toBe(204);
    receiver.answer(204);
    expect((await send(path)).status).toBe(200);
  });

  test('endpoints that do not respond keep no other call of the workspace waiting', async () => {
    const paths = [(await subscribe()).path, (await subscribe()).path, (await subscribe()).path];
    const waiting: (() => void)[] = [];
    receiver.reply = (response) => waiting.push(() => response.writeHead(204).end());
    const sending = paths.map(send);
    await receiver.receive(3);
    expect((await api.call('GET', PATH)).status).toBe(200);
    for (const respond of waiting) respond();
    expect((await Promise.all(sending)).map(({ attempt }) => attempt.status)).toEqual([
      204, 204, 204,
    ]);
    receiver.answer(204);
  });

  test('a replay leaves test events out', async () => {
    const { path } = await subscribe();
    receiver.answer(500);
    const { attempt } = await send(path);
    receiver.answer(204);
    const one = await api.call('POST', `${path}/replay`, { event_id: attempt.event_id });
    expect([one.status, one.body.code]).toEqual([404, 'webhook_event_not_found']);
    await api.call('POST', `${path}/replay`, {
      from: '2020-01-01T00:00:00Z',
      include_delivered: true,
    });
    const replayed = async () =>
      (await api.call('GET', '/api/v1/audit-events?types=webhook_endpoint.replay')).body
        .audit_events;
    await until(async () => (await replayed()).length === 1);
    expect((await replayed())[0]!.details).toMatchObject({ replayed: 0 });
    expect(receiver.messages).toHaveLength(1);
  });

  test('an endpoint tells since when it fails, and how many of its last attempts were taken', async () => {
    // The next attempt is due in five seconds.
    stopTime();
    const { path } = await subscribe();
    expect(await endpoint(path)).toMatchObject({
      failing_since: null,
      last_hour: { attempts: 0, delivered: 0 },
    });
    const tag = (await api.call('GET', path)).headers['etag'];
    receiver.answer(500);
    await api.create();
    await until(async () => (await endpoint(path)).failing_since !== null);
    const { body } = await api.call('GET', PATH);
    expect(body.webhook_endpoints[0]).toMatchObject({
      failing_since: expect.stringMatching(/Z$/),
      last_hour: { attempts: 1, delivered: 0 },
    });
    expect((await api.call('GET', path)).headers['etag']).toBe(tag);
  });

  describe('of a process that sends no webhooks', () => {
    const silent = withService(kind, { ...SENDING, WEBHOOK_DELIVERY: 'off' });

    test('a test event is refused, and says why', async () => {
      const { body } = await silent.api.call('POST', PATH, { url: receiver.url });
      const { status, body: refused } = await silent.api.call(
        'POST',
        `${PATH}/${body.webhook_endpoint.id}/test`,
      );
      expect([status, refused.code, refused.detail]).toEqual([
        409,
        'webhook_test_refused',
        'This process sends no webhooks: WEBHOOK_DELIVERY is off.',
      ]);
    });
  });
});
