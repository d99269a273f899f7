import { createPublicKey, verify } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import { scopes } from '../../src/platform/common/access/caller.ts';
import { describeOpenApi } from '../../src/server/app/openapi/openapi.ts';
import { DeliveryRetention } from '../../src/features/webhook/delivery/webhook-delivery.repository.ts';
import type { WebhookAttemptView } from '../../src/features/webhook/delivery/dto/webhook-attempt.dto.ts';
import { pauseAfter, waitAfter } from '../../src/features/webhook/delivery/retry-schedule.ts';
import { LEASE_MS } from '../../src/features/webhook/sending/attempt-times.ts';
import { WebhookWorker } from '../../src/features/webhook/delivery/webhook-worker.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { absolute, createAjv } from '../support/api/openapi-schemas.ts';
import { errorsOf } from '../support/registry.ts';
import { startTestService, withService } from '../support/test-service.ts';
import {
  FORBIDDEN,
  type ReceivedMessage,
  SENDING,
  WebhookReceiver,
} from '../support/events/webhook-receiver.ts';
import { passTime, stopTime } from '../support/time/fake-time.ts';
import { until } from '../support/time/until.ts';
import { untilDrained, workerRounds } from '../support/time/worker-rounds.ts';

const PATH = '/api/v1/webhook-endpoints';
const DAY_MS = 86_400_000;

interface OpenApi {
  paths: object;
  components: { schemas: Record<string, unknown> };
  webhooks: {
    event: {
      post: {
        parameters: { name: string }[];
        requestBody: { content: { 'application/json': { schema: object } } };
      };
    };
  };
}

onEachDatabase((kind) => {
  const service = withService(kind, SENDING);
  let api: ApiClient;
  let receiver: WebhookReceiver;

  beforeEach(async () => {
    // A retry is due after five seconds, for which a busy machine may hold up this process before the test looks.
    stopTime();
    const workspace = `workspace ${Math.random()}`;
    api = service.clientOf(await service.issueToken([...scopes], workspace));
    receiver = await WebhookReceiver.listen();
  });

  afterEach(async () => {
    // Nothing of one test is sent in the next.
    const { body } = await api.call('GET', PATH);
    for (const { id } of body.webhook_endpoints) await api.call('DELETE', `${PATH}/${id}`);
    receiver.close();
  });

  const subscribe = async (fields: object = {}) => {
    const body = { url: receiver.url, event_types: ['user_group.*'], ...fields };
    const answer = await api.call('POST', PATH, body);
    if (answer.status !== 201) throw new Error(answer.text);
    return { ...answer.body.webhook_endpoint, path: answer.headers['location'] as string };
  };

  const attemptsOf = async (path: string, query = ''): Promise<WebhookAttemptView[]> => {
    const { body } = await api.call('GET', `${path}/attempts${query}`);
    return (body as unknown as { attempts: WebhookAttemptView[] }).attempts;
  };

  /** Waits until the result of an attempt is stored, too, and nothing is sent that was read before. */
  const attempted = async (path: string, count = 1): Promise<WebhookAttemptView[]> => {
    await until(async () => (await attemptsOf(path)).length >= count);
    await untilDrained(service);
    // The next attempt is a later one.
    passTime(1);
    return attemptsOf(path);
  };

  const sql = (text: string) => changeDatabase(service.database, text);

  /** Makes what waits for its next attempt due at once. */
  const hurry = (id: number) =>
    sql(`UPDATE webhook_delivery SET due_at = 1 WHERE endpoint_id = ${id} AND due_at IS NOT NULL;
         UPDATE webhook_endpoint SET paused_until = NULL WHERE id = ${id}`);

  const replay = (path: string, body: object) => api.call('POST', `${path}/replay`, body);

  const signatures = ({ headers }: ReceivedMessage) =>
    String(headers['webhook-signature']).split(' ');

  test('a lease of a process whose clock is somewhat ahead is one', async () => {
    const { id, path } = await subscribe();
    receiver.reply = (response) => response.writeHead(500).end();
    await api.create();
    await attempted(path);
    const until = Date.now() + LEASE_MS + 900;
    await sql(
      `UPDATE webhook_delivery SET due_at = 1, leased_until = ${until}
       WHERE endpoint_id = ${id} AND due_at IS NOT NULL`,
    );
    await workerRounds(service);
    expect(receiver.messages).toHaveLength(1);
  });

  test('what a clock that was ahead has planned, and an endpoint that it has created, wait no longer than others', async () => {
    const { id, path } = await subscribe();
    receiver.reply = (response) => response.writeHead(500).end();
    const group = await api.create();
    await attempted(path);
    receiver.reply = (response) => response.writeHead(204).end();
    const ahead = Date.now() + 3 * DAY_MS;
    await sql(
      `UPDATE webhook_delivery SET due_at = ${ahead}, leased_until = ${ahead}
         WHERE endpoint_id = ${id} AND due_at IS NOT NULL;
       UPDATE webhook_endpoint SET created_at = ${ahead}, paused_until = ${ahead} WHERE id = ${id}`,
    );
    // Looks for it every ten seconds.
    Object.assign(service.app.get(WebhookWorker), { relievesAt: -Infinity });
    await api.call('PATCH', group.path, { name: 'Second' });
    await receiver.receive(3);
    const kinds = receiver.messages.map(({ body }) => (JSON.parse(body) as { type: string }).type);
    expect(kinds.sort()).toEqual(['user_group.create', 'user_group.create', 'user_group.update']);
  });

  test('an event arrives, signed so that the public library accepts it, and holds no token', async () => {
    const { secret, path } = await subscribe({
      headers: { 'X-Api-Key': 'k', Authorization: 'Bearer b' },
    });
    const group = await api.create({ properties: { secret: 'of the group' }, mapping: { a: 'b' } });
    const [message] = await receiver.receive(1);
    const { body, headers } = message!;
    const [event] = (await api.call('GET', '/api/v1/audit-events?types=user_group.create')).body
      .audit_events;
    expect(new Webhook(secret!).verify(body, headers as Record<string, string>)).toEqual({
      type: 'user_group.create',
      timestamp: event!.occurred_at,
      data: { user_group: { team_id: group.teamId, provided_id: group.id, version: 1 } },
    });
    expect(headers).toMatchObject({
      'webhook-id': event!.id,
      'content-type': 'application/json',
      'user-agent': 'user-group-service',
      'x-api-key': 'k',
      authorization: 'Bearer b',
    });
    expect(body).not.toContain(group.token);
    expect(body).not.toContain('of the group');
    const [attempt] = await attempted(path);
    expect(attempt).toEqual({
      event_id: event!.id,
      type: 'user_group.create',
      body,
      attempt: 1,
      occurred_at: expect.stringMatching(/Z$/),
      duration_ms: expect.any(Number),
      status: 204,
      failure: null,
      response: null,
      delivery: 'delivered',
      next_attempt_at: null,
    });
  });

  test('a message is what the OpenAPI document says', async () => {
    const document = JSON.parse(JSON.stringify(await describeOpenApi())) as OpenApi;
    const { parameters, requestBody } = document.webhooks.event.post;
    await subscribe();
    await api.create();
    const [message] = await receiver.receive(1);
    for (const { name } of parameters) expect(message!.headers).toHaveProperty(name);
    const { schema } = requestBody.content['application/json'];
    const isValid = createAjv(document).compile(absolute(schema));
    expect([isValid(JSON.parse(message!.body)), isValid.errors]).toEqual([true, null]);
    expect(isValid({ type: 'user_group.create', data: {} })).toBe(false);
  });

  test('a receiver with the public key accepts v1a', async () => {
    const { public_key } = await subscribe({ signature: 'v1a' });
    await api.create();
    const [message] = await receiver.receive(1);
    const [version, signature] = signatures(message!)[0]!.split(',');
    const x = Buffer.from(public_key!.slice('whpk_'.length), 'base64').toString('base64url');
    const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });
    const content = `${message!.id}.${String(message!.headers['webhook-timestamp'])}.${message!.body}`;
    expect(version).toBe('v1a');
    expect(verify(null, Buffer.from(content), key, Buffer.from(signature!, 'base64'))).toBe(true);
  });

  test('an endpoint is told of what it asks for in its own workspace, and of nothing before it', async () => {
    await api.create();
    const { path } = await subscribe({ event_types: ['*.delete', 'user_group.sus*'] });
    const group = await api.create();
    const other = service.clientOf(await service.issueToken([...scopes], 'another workspace'));
    await other.call('DELETE', (await other.create()).path);
    await api.call('POST', `${group.path}/suspend`);
    await api.call('DELETE', group.path);
    await receiver.receive(2);
    await workerRounds(service);
    expect(receiver.types.sort()).toEqual(['user_group.delete', 'user_group.suspend']);
    expect(await attemptsOf(path)).toHaveLength(2);
  });

  test('while a secret is rolled messages have both signatures', async () => {
    const old = await subscribe();
    const roll = (grace_period_seconds: number) =>
      api.call('POST', `${old.path}/roll-secret`, { grace_period_seconds });
    const rolled = (await roll(3600)).body.webhook_endpoint;
    await api.create();
    const [both] = await receiver.receive(1);
    expect(signatures(both!)).toHaveLength(2);
    for (const secret of [old.secret!, rolled.secret!]) {
      new Webhook(secret).verify(both!.body, both!.headers as Record<string, string>);
    }
    await untilDrained(service);
    await sql(`UPDATE webhook_endpoint SET old_secret_until = 1 WHERE id = ${old.id}`);
    await api.create();
    const [, later] = await receiver.receive(2);
    expect(signatures(later!)).toHaveLength(1);
    const verifyBy = (secret: string) =>
      new Webhook(secret).verify(later!.body, later!.headers as Record<string, string>);
    verifyBy(rolled.secret!);
    expect(() => verifyBy(old.secret!)).toThrow();
  });

  test('what fails is tried again under the same id, with the same body', async () => {
    const { path, id } = await subscribe();
    receiver.answer(500, {}, 'x'.repeat(5000));
    await api.create();
    const [failed] = await attempted(path);
    expect(failed).toMatchObject({
      attempt: 1,
      status: 500,
      response: 'x'.repeat(1024),
      delivery: 'pending',
    });
    const waitMs = Date.parse(failed!.next_attempt_at!) - Date.parse(failed!.occurred_at);
    expect(waitMs).toBeGreaterThanOrEqual(5000);
    expect(waitMs).toBeLessThanOrEqual(5500);
    receiver.answer(204);
    await hurry(id);
    const [first, second] = await receiver.receive(2);
    expect([second!.id, second!.body]).toEqual([first!.id, first!.body]);
    expect(
      (await attempted(path, 2)).map(({ attempt, status, delivery }) => [
        attempt,
        status,
        delivery,
      ]),
    ).toEqual([
      [2, 204, 'delivered'],
      [1, 500, 'delivered'],
    ]);
  });

  test('a receiver that asks for a pause gets it', async () => {
    const { path, id } = await subscribe();
    receiver.answer(429, { 'Retry-After': '3' });
    await api.create();
    const [refused] = await attempted(path);
    expect(
      Date.parse(refused!.next_attempt_at!) - Date.parse(refused!.occurred_at),
    ).toBeGreaterThanOrEqual(3000);
    receiver.answer(204);
    // Another event has to wait, too.
    await api.create();
    await sql(
      `UPDATE webhook_delivery SET due_at = 1 WHERE endpoint_id = ${id} AND due_at IS NOT NULL`,
    );
    passTime(2998);
    await workerRounds(service);
    expect(receiver.messages).toHaveLength(1);
    passTime(1);
    await workerRounds(service);
    expect(receiver.messages).toHaveLength(3);
  });

  test('410 switches it off, what is pending is kept, and is sent when it is on again', async () => {
    const { path } = await subscribe();
    const watcher = await WebhookReceiver.listen();
    await subscribe({ url: watcher.url, event_types: ['webhook_endpoint.disable'] });
    receiver.answer(410);
    const first = await api.create();
    await until(async () => !(await api.call('GET', path)).body.webhook_endpoint.enabled);
    expect((await api.call('GET', path)).body.webhook_endpoint.disabled_reason).toBe('gone');
    await watcher.receive(1);
    expect(watcher.types).toEqual(['webhook_endpoint.disable']);
    const [event] = (await api.call('GET', '/api/v1/audit-events?types=webhook_endpoint.disable'))
      .body.audit_events;
    expect(event).toMatchObject({ actor: { type: 'service' }, details: { reason: 'gone' } });
    receiver.answer(204);
    const second = await api.create();
    await workerRounds(service);
    expect(receiver.messages).toHaveLength(1);
    await api.call('PATCH', path, { enabled: true });
    await until(() => receiver.messages.length >= 2);
    await sql(`UPDATE webhook_delivery SET due_at = 1 WHERE due_at IS NOT NULL`);
    await receiver.receive(3);
    const sent = receiver.messages
      .slice(1)
      .map(
        ({ body }) =>
          (JSON.parse(body) as { data: { user_group: { team_id: number } } }).data.user_group
            .team_id,
      );
    expect(sent.sort()).toEqual([first.teamId, second.teamId].sort());
    watcher.close();
  });

  test('a redirect to a forbidden address, and a forbidden address itself, get nothing', async () => {
    const forbidden = await WebhookReceiver.listen(FORBIDDEN, receiver.port);
    receiver.answer(307, { Location: `http://${FORBIDDEN}:${receiver.port}/` });
    const { path, id } = await subscribe();
    await api.create();
    expect(await attempted(path)).toMatchObject([{ status: 307, delivery: 'pending' }]);
    await sql(
      `UPDATE webhook_endpoint SET url = 'http://${FORBIDDEN}:${receiver.port}/' WHERE id = ${id}`,
    );
    await hurry(id);
    const [second] = await attempted(path, 2);
    expect(second).toMatchObject({ status: null, failure: 'address_forbidden', response: null });
    expect(forbidden.messages).toEqual([]);
    forbidden.close();
  });

  test('it is warned of after three days of failures, and switched off two days later', async () => {
    const { path, id } = await subscribe();
    const watcher = await WebhookReceiver.listen();
    await subscribe({
      url: watcher.url,
      event_types: ['webhook_endpoint.warn', 'webhook_endpoint.disable'],
    });
    receiver.answer(500);
    await api.create();
    await attempted(path, 1);
    const failAgain = async (count: number, column: string, days: number) => {
      await sql(
        `UPDATE webhook_endpoint SET ${column} = ${Date.now() - days * DAY_MS} WHERE id = ${id}`,
      );
      await hurry(id);
      await attempted(path, count);
      return (await api.call('GET', path)).body.webhook_endpoint.enabled;
    };
    expect(await failAgain(2, 'failing_since', 2.9)).toBe(true);
    expect(watcher.types).toEqual([]);
    expect(await failAgain(3, 'failing_since', 30)).toBe(true);
    await watcher.receive(1);
    expect(watcher.types).toEqual(['webhook_endpoint.warn']);
    expect(JSON.parse(watcher.messages[0]!.body)).toMatchObject({
      data: { object: { type: 'webhook_endpoint', id: String(id) } },
    });
    expect(await failAgain(4, 'warned_at', 1.9)).toBe(true);
    expect(await failAgain(5, 'warned_at', 2.1)).toBe(false);
    await watcher.receive(2);
    expect(watcher.types).toEqual(['webhook_endpoint.warn', 'webhook_endpoint.disable']);
    const { webhook_endpoint } = (await api.call('GET', path)).body;
    expect(webhook_endpoint.disabled_reason).toBe('failing');
    watcher.close();
  });

  test('one success, and all failures before are forgotten', async () => {
    const { path, id } = await subscribe();
    receiver.answer(500);
    await api.create();
    await attempted(path);
    await sql(
      `UPDATE webhook_endpoint SET failing_since = 1, warned_at = ${Date.now()} WHERE id = ${id}`,
    );
    receiver.answer(200);
    await hurry(id);
    await attempted(path, 2);
    const [row] = await service.query<object>(
      `SELECT failing_since, warned_at FROM webhook_endpoint WHERE id = ${id}`,
    );
    expect(row).toEqual({ failing_since: null, warned_at: null });
  });

  test('after the last attempt it has failed; a replay begins again, under the same id', async () => {
    const { path, id } = await subscribe();
    receiver.answer(503);
    await api.create();
    await attempted(path);
    await sql(`UPDATE webhook_delivery SET schedule_from = -9 WHERE endpoint_id = ${id}`);
    await hurry(id);
    const [last] = await attempted(path, 2);
    expect(last).toMatchObject({ delivery: 'failed', next_attempt_at: null });
    receiver.answer(204);
    await sql(`UPDATE webhook_endpoint SET paused_until = NULL WHERE id = ${id}`);
    const { event_id } = last!;
    expect((await replay(path, { event_id })).body).toEqual({ success: 1 });
    await receiver.receive(3);
    expect(new Set(receiver.messages.map((message) => message.id))).toEqual(new Set([event_id]));
    const [third] = await attempted(path, 3);
    expect(third).toMatchObject({ attempt: 3, delivery: 'delivered' });
  });

  test('a time is replayed: what has not arrived, or everything', async () => {
    const { path, id } = await subscribe();
    for (let index = 0; index < 3; index++) await api.create();
    await receiver.receive(3);
    await attempted(path, 3);
    passTime(1000);
    const ids = new Set(receiver.messages.map((message) => message.id));
    await sql(
      `UPDATE webhook_delivery SET state = 'failed' WHERE endpoint_id = ${id} AND event_id = ${[...ids][1]!.slice(4)}`,
    );
    const from = new Date(Date.now() - 60_000).toISOString();
    const ended = async (count: number) => {
      const list = '/api/v1/audit-events?types=webhook_endpoint.replay';
      const events = async () => (await api.call('GET', list)).body.audit_events;
      await until(async () => (await events()).length === count);
      return (await events())[0]!.details;
    };
    expect((await replay(path, { from })).body).toEqual({ success: 1 });
    expect(await ended(1)).toMatchObject({ from, include_delivered: false, replayed: 1 });
    const messages = await receiver.receive(4);
    expect(messages[3]!.id).toBe([...ids][1]);
    await attempted(path, 4);
    await replay(path, { from, include_delivered: true });
    expect(await ended(2)).toMatchObject({ include_delivered: true, replayed: 3 });
    await receiver.receive(7);
    expect(new Set(receiver.messages.slice(4).map((message) => message.id))).toEqual(ids);
    const before = new Date(Date.now() - 30_000).toISOString();
    await replay(path, { from, to: before, include_delivered: true });
    expect(await ended(3)).toMatchObject({ to: before, replayed: 0 });
  });

  test.each<[string, object, string]>([
    ['nothing', {}, '/from'],
    ['an event and a time', { event_id: 'evt_1', from: '2030-01-01T00:00:00Z' }, '/from'],
    ['an event and a filter', { event_id: 'evt_1', include_delivered: true }, '/include_delivered'],
    ['no id', { event_id: '1' }, '/event_id'],
    ['a number', { event_id: 1 }, '/event_id'],
    ['too large an id', { event_id: 'evt_9999999999999999' }, '/event_id'],
    ['no time', { from: 'yesterday' }, '/from'],
    [
      'a time that ends before it begins',
      { from: '2030-01-01T00:00:00Z', to: '2029-01-01T00:00:00Z' },
      '/to',
    ],
    ['an unknown field', { from: '2030-01-01T00:00:00Z', x: 1 }, '/x'],
  ])('a replay of %s is refused', async (_name, body, pointer) => {
    const { path } = await subscribe();
    const answer = await replay(path, body);
    expect(answer.status).toBe(422);
    expect(errorsOf(answer).map(([place]) => place)).toContain(pointer);
  });

  test('an event that the endpoint never had is not found', async () => {
    const { path } = await subscribe();
    const { status, body } = await replay(path, { event_id: 'evt_1' });
    expect([status, body.code]).toEqual([404, 'webhook_event_not_found']);
  });

  test('attempts come page by page, and those of one event alone', async () => {
    const { path } = await subscribe();
    for (let index = 0; index < 3; index++) await api.create();
    const all = await attempted(path, 3);
    const first = await api.call('GET', `${path}/attempts?limit=2`);
    const pages = [
      first,
      await api.call('GET', `${path}/attempts?limit=2&cursor=${first.body.next_cursor}`),
    ];
    expect(
      pages.flatMap(({ body }) => (body as unknown as { attempts: object[] }).attempts),
    ).toEqual(all);
    expect(await attemptsOf(path, `?event_id=${all[1]!.event_id}`)).toEqual([all[1]]);
    expect((await api.call('GET', `${path}/attempts?event_id=x`)).status).toBe(422);
  });

  test('while it is off events are kept, and sent when it is on', async () => {
    const { path } = await subscribe();
    await api.call('PATCH', path, { enabled: false });
    await api.create();
    await workerRounds(service);
    expect(receiver.messages).toEqual([]);
    await api.call('PATCH', path, { enabled: true });
    await receiver.receive(1);
    expect(receiver.types).toEqual(['user_group.create']);
  });

  test('a receiver that hangs holds up no other', async () => {
    receiver.reply = () => undefined;
    await subscribe();
    const other = await WebhookReceiver.listen();
    await subscribe({ url: other.url });
    for (let index = 0; index < 15; index++) await api.create();
    await other.receive(15);
    expect(receiver.messages.length).toBeLessThanOrEqual(10);
    other.close();
  });

  test('a replay that is asked for during an attempt begins after it', async () => {
    const { path } = await subscribe();
    let end = () => undefined as unknown;
    receiver.reply = (response) => (end = () => response.writeHead(204).end());
    await api.create();
    const [first] = await receiver.receive(1);
    expect((await replay(path, { event_id: first!.id })).status).toBe(200);
    receiver.answer(204);
    end();
    const [, second] = await receiver.receive(2);
    expect(second!.id).toBe(first!.id);
  });

  test('an endpoint that has moved is not switched off by what its old place says', async () => {
    const { path } = await subscribe();
    let end = () => undefined as unknown;
    receiver.reply = (response) => (end = () => response.writeHead(410).end());
    await api.create();
    await receiver.receive(1);
    const moved = await WebhookReceiver.listen();
    expect((await api.call('PATCH', path, { url: moved.url })).status).toBe(200);
    end();
    await attempted(path);
    const { body } = await api.call('GET', path);
    expect(body.webhook_endpoint).toMatchObject({ enabled: true });
    moved.close();
  });

  test('of an endpoint with headers no response is kept, which could repeat them', async () => {
    const key = 'open-sesame';
    const { path, id } = await subscribe({ headers: { 'X-Gateway-Key': key } });
    receiver.reply = (response, { headers }) => {
      const echo = String(headers['x-gateway-key']);
      const all = [echo, Buffer.from(echo).toString('base64')].join(' ');
      // The last character lies beyond what is kept.
      response.writeHead(500).end('x'.repeat(1024 - all.length) + all + echo);
    };
    await api.create();
    expect(await attempted(path)).toMatchObject([{ status: 500, response: null }]);
    await api.call('PATCH', path, { headers: {} });
    receiver.answer(500, {}, 'sorry');
    await hurry(id);
    expect((await attempted(path, 2))[0]).toMatchObject({ status: 500, response: 'sorry' });
  });

  test('who moves an endpoint elsewhere has to know its headers', async () => {
    const { path } = await subscribe({ headers: { 'X-Gateway-Key': 'open-sesame' } });
    const elsewhere = { url: 'https://elsewhere.example/' };
    const refused = await api.call('PATCH', path, elsewhere);
    expect([refused.status, errorsOf(refused)]).toEqual([422, [['/headers', 'required']]]);
    expect((await api.call('PATCH', path, { url: `${receiver.url}other` })).status).toBe(200);
    expect((await api.call('PATCH', path, { ...elsewhere, headers: {} })).status).toBe(200);
  });

  test('what is older than it is kept is removed, with its attempts', async () => {
    const { path, id } = await subscribe();
    await api.create();
    await attempted(path);
    await sql(
      `UPDATE webhook_delivery SET occurred_at = ${Date.now() - 31 * DAY_MS} WHERE endpoint_id = ${id}`,
    );
    expect(await service.app.get(DeliveryRetention).sweep()).toBeGreaterThanOrEqual(1);
    expect(await attemptsOf(path)).toEqual([]);
  });

  test('without its key nothing is sent, and the attempts say why', async () => {
    const { path } = await subscribe();
    await api.create();
    await attempted(path);
    await sql(`UPDATE webhook_endpoint SET key_id = 'lost' WHERE id = ${path.split('/').at(-1)}`);
    await api.create();
    const [second] = await attempted(path, 2);
    expect(second).toMatchObject({
      status: null,
      failure: 'secret_unreadable',
      delivery: 'pending',
    });
    expect(receiver.messages).toHaveLength(1);
  });

  test('two processes send each event once', async () => {
    await subscribe();
    const second = await startTestService(service.database, SENDING);
    for (let index = 0; index < 60; index++) await api.create();
    await receiver.receive(60);
    await workerRounds(service);
    await workerRounds(second);
    await second.close();
    expect(receiver.messages).toHaveLength(60);
    expect(new Set(receiver.messages.map((message) => message.id)).size).toBe(60);
  });
});

test('waits are those of the standard and one of 30 s, up to a tenth longer, and the eleventh attempt is the last', () => {
  const standard = [5, 30, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400];
  for (const [index, seconds] of standard.entries()) {
    for (let round = 0; round < 50; round++) {
      const wait = waitAfter(index + 1, null)!;
      expect(wait).toBeGreaterThanOrEqual(seconds * 1000);
      expect(wait).toBeLessThanOrEqual(seconds * 1100);
    }
  }
  expect(waitAfter(11, null)).toBeUndefined();
  expect(waitAfter(1, 60_000)).toBe(60_000);
  expect(waitAfter(3, 60_000)).toBeGreaterThan(60_000);
});

test('what asks for a pause or cannot be reached gets one, as long as it has been failing', () => {
  for (const status of [429, 502, 503, 504, null]) {
    const pauses = [0, 7000, 60_000, 86_400_000].map((ms) => pauseAfter(status, null, ms));
    expect(pauses).toEqual([5000, 7000, 60_000, 300_000]);
  }
  expect(pauseAfter(429, 60_000, 0)).toBe(60_000);
  expect([pauseAfter(500, 60_000, 9000), pauseAfter(404, null, 9000)]).toEqual([
    undefined,
    undefined,
  ]);
});
