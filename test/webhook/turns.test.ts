import { scopes } from '../../src/platform/common/access/caller.ts';
import { WebhookBacklogRepository } from '../../src/features/webhook/delivery/webhook-backlog.repository.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { startTestService, withService } from '../support/test-service.ts';
import { SENDING, WebhookReceiver } from '../support/events/webhook-receiver.ts';
import { until } from '../support/time/until.ts';

const PATH = '/api/v1/webhook-endpoints';
const LINES = 1500;
const ENDPOINTS = 20;

onEachDatabase((kind) => {
  // The processes that the test starts make the deliveries.
  const service = withService(kind, { ...SENDING, WEBHOOK_DELIVERY: 'off' });

  test('the events of one workspace do not wait for the many of another, and none is lost', async () => {
    const receiver = await WebhookReceiver.listen();
    const [busy, other] = await Promise.all(
      ['busy', 'other'].map(async (name) =>
        service.clientOf(await service.issueToken([...scopes], name)),
      ),
    );
    const subscribe = (api: typeof busy) =>
      api!.call('POST', PATH, { url: receiver.url, event_types: ['user_group.*'] });
    for (let number = 0; number < ENDPOINTS; number++) {
      const { headers } = await subscribe(busy);
      // The test is about deliveries that are made, not sent.
      await busy!.call('PATCH', headers['location'] as string, { enabled: false });
    }
    await subscribe(other);
    const lines = Array.from({ length: LINES }, (_, n) =>
      JSON.stringify({ user_group_id: `g${n}`, name: 'n' }),
    );
    const imported = await busy!.call('POST', '/api/v1/user-groups/import', lines.join('\n'), {
      'Content-Type': 'application/x-ndjson',
    });
    expect(imported.status).toBe(200);
    await other!.create();
    const made = async () => {
      const [row] = await service.query<{ count: string }>(
        `SELECT count(*) AS count FROM webhook_delivery d JOIN webhook_endpoint e ON e.id = d.endpoint_id
         WHERE e.disabled_at IS NOT NULL`,
      );
      return Number(row!.count);
    };
    let madeBefore: Promise<number> | undefined;
    receiver.reply = (response) => {
      madeBefore ??= made();
      response.writeHead(204).end();
    };
    const turns = holdTurns(10, () => receiver.receive(1));
    const senders = [await startTestService(service.database, SENDING)];
    await receiver.receive(1);
    turns.mockRestore();
    expect(await madeBefore).toBeLessThan((LINES * ENDPOINTS) / 2);
    senders.push(await startTestService(service.database, SENDING));
    // Goes on while the workspace catches up, and afterwards.
    for (let number = 1; number <= 10; number++) {
      await busy!.create();
      await other!.create();
    }
    const all = (LINES + 10) * ENDPOINTS;
    await until(
      async () => (await made()) === all,
      () => 'not all are made',
    );
    await until(async () => (await service.query('SELECT 1 FROM webhook_backlog')).length === 0);
    await busy!.create();
    await receiver.receive(11);
    await until(async () => (await made()) === all + ENDPOINTS);
    expect(receiver.messages).toHaveLength(11);
    for (const sender of senders) await sender.close();
    receiver.close();
  });
});

/** Lets every turn after the first ones wait until `end`, however long a busy machine takes to send. */
function holdTurns(free: number, end: () => Promise<unknown>): jest.SpyInstance {
  const prototype = WebhookBacklogRepository.prototype as Backlog;
  const { takeTurn } = prototype;
  let taken = 0;
  return jest.spyOn(prototype, 'takeTurn').mockImplementation(async function (this: Backlog) {
    if (++taken > free) await end();
    return takeTurn.call(this);
  });
}

interface Backlog {
  takeTurn: (this: Backlog) => ReturnType<WebhookBacklogRepository['takeTurn']>;
}
