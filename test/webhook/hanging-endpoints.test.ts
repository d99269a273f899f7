import { scopes } from '../../src/platform/common/access/caller.ts';
import type { WebhookAttemptView } from '../../src/features/webhook/delivery/dto/webhook-attempt.dto.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { stopTime } from '../support/time/fake-time.ts';
import { withService } from '../support/test-service.ts';
import { SENDING, WebhookReceiver } from '../support/events/webhook-receiver.ts';
import { soon, until } from '../support/time/until.ts';

const PATH = '/api/v1/webhook-endpoints';
const EVENTS = 20;
/** The limit of an attempt. */
const DEADLINE_MS = 15_000;

onEachDatabase((kind) => {
  const service = withService(kind, SENDING);
  let waiting: jest.SpyInstance;
  let healthy: WebhookReceiver;
  let hanging: WebhookReceiver;
  const apis: ApiClient[] = [];

  beforeEach(async () => {
    // An attempt at an endpoint that hangs lasts for as long as the test.
    const { setTimeout: wait } = globalThis;
    waiting = jest
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation((callback, ms, ...rest) =>
        ms === DEADLINE_MS ? wait(() => undefined, 0) : wait(callback, ms, ...rest),
      );
    healthy = await WebhookReceiver.listen();
    hanging = await WebhookReceiver.listen();
    hanging.reply = () => undefined;
  });

  afterEach(async () => {
    waiting.mockRestore();
    for (const api of apis.splice(0)) {
      const { body } = await api.call('GET', PATH);
      for (const { id } of body.webhook_endpoints) await api.call('DELETE', `${PATH}/${id}`);
    }
    healthy.close();
    hanging.close();
  });

  const workspace = async () => {
    const api = service.clientOf(await service.issueToken([...scopes], `hanging ${Math.random()}`));
    apis.push(api);
    return api;
  };

  const subscribe = async (api: ApiClient, url: string, count = 1) => {
    let path = '';
    for (let number = 0; number < count; number++) {
      const answer = await api.call('POST', PATH, { url, event_types: ['user_group.*'] });
      expect(answer.status).toBe(201);
      path = answer.headers['location'] as string;
    }
    return path;
  };

  /** Creates groups one after the other, and waits for all of their events, while no attempt at an endpoint that hangs ends. */
  const expectAll = async (api: ApiClient) => {
    const before = healthy.messages.length;
    for (let number = 0; number < EVENTS; number++) await api.create();
    await healthy.receive(before + EVENTS);
  };

  test('48 endpoints that hang do not hold up the healthy one of their workspace', async () => {
    const api = await workspace();
    await subscribe(api, hanging.url, 48);
    await subscribe(api, healthy.url);
    await expectAll(api);
    await until(() => hanging.messages.length === 48);
    // None of them gets another attempt while the first is under way.
    await expectAll(api);
    expect(hanging.messages).toHaveLength(48);
  });

  test('nor do 48 that have answered until then', async () => {
    const api = await workspace();
    hanging.answer(204);
    await subscribe(api, hanging.url, 48);
    await subscribe(api, healthy.url);
    await api.create();
    await hanging.receive(48);
    hanging.reply = () => undefined;
    await expectAll(api);
  });

  test('120 endpoints of twelve other workspaces that hang hold up nobody', async () => {
    const others = await Promise.all(Array.from({ length: 12 }, workspace));
    await Promise.all(others.map((other) => subscribe(other, hanging.url, 10)));
    const api = await workspace();
    await subscribe(api, healthy.url);
    await Promise.all(others.map((other) => other.create()));
    await until(() => hanging.messages.length >= 50);
    await expectAll(api);
    await hanging.receive(120);
  });

  const attemptsOf = async (api: ApiClient, path: string, count: number) => {
    let attempts: WebhookAttemptView[] = [];
    await until(async () => {
      const { body } = await api.call('GET', `${path}/attempts`);
      ({ attempts } = body as unknown as { attempts: WebhookAttemptView[] });
      return attempts.length >= count;
    });
    return attempts;
  };

  test.each([
    ['loses connections', 'connection_lost'],
    ['refuses them', 'connection_refused'],
  ])(
    'an endpoint that %s pauses, longer each time, and gets one message to begin with',
    async (_name, failure) => {
      stopTime();
      const api = await workspace();
      hanging.reply = (response) => response.destroy();
      const path = await subscribe(api, hanging.url);
      const id = path.split('/').at(-1)!;
      if (failure === 'connection_refused') hanging.close();
      await api.create();
      await attemptsOf(api, path, 1);
      // Its own pause may end while the groups are created.
      await changeDatabase(
        service.database,
        `UPDATE webhook_endpoint SET paused_until = ${Date.now() + 3_600_000} WHERE id = ${id}`,
      );
      for (let number = 0; number < EVENTS; number++) await api.create();
      const pauseAfter = async (failingMs: number, attempt: number) => {
        await changeDatabase(
          service.database,
          `UPDATE webhook_endpoint SET failing_since = ${Date.now() - failingMs}, paused_until = 1 WHERE id = ${id}`,
        );
        const [last, ...others] = await attemptsOf(api, path, attempt);
        expect(last!.failure).toBe(failure);
        expect(others).toHaveLength(attempt - 1);
        const [row] = await service.query<{ at: string }>(
          `SELECT paused_until AS at FROM webhook_endpoint WHERE id = ${id}`,
        );
        return (Number(row!.at) - Date.now()) / 1000;
      };
      let attempts = 2;
      for (const [seconds, least, most] of [
        [0, 2, 5],
        [60, 50, 75],
        [3600, 250, 300],
      ] as const) {
        const pause = await pauseAfter(seconds * 1000, attempts++);
        expect(pause).toBeGreaterThan(least);
        expect(pause).toBeLessThanOrEqual(most);
      }
    },
  );

  test('a receiver that restarts gets what it has missed after the pause, and what has failed twice 30 s later', async () => {
    const api = await workspace();
    const path = await subscribe(api, healthy.url);
    const { port } = healthy;
    healthy.close();
    for (let number = 0; number < EVENTS; number++) await api.create();
    const [first] = await attemptsOf(api, path, 1);
    // The message is the first in the queue before the pause ends: otherwise the attempt may be one for another message.
    await changeDatabase(
      service.database,
      `UPDATE webhook_delivery SET due_at = 1 WHERE attempts = 1;
       UPDATE webhook_endpoint SET paused_until = 1`,
    );
    const [second] = await soon(async () => {
      const attempts = await attemptsOf(api, path, 2);
      return attempts.filter(
        ({ event_id, attempt }) => event_id === first!.event_id && attempt === 2,
      );
    });
    const waitMs = Date.parse(second!.next_attempt_at!) - Date.parse(second!.occurred_at);
    expect(waitMs).toBeGreaterThanOrEqual(30_000);
    expect(waitMs).toBeLessThan(40_000);
    healthy = await WebhookReceiver.listen(undefined, port);
    await changeDatabase(service.database, 'UPDATE webhook_endpoint SET paused_until = 1');
    await healthy.receive(EVENTS - 1);
  });
});
