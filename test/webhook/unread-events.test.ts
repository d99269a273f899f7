import { scopes } from '../../src/platform/common/access/caller.ts';
import { ChangeRetention } from '../../src/core/change-log/change-retention.ts';
import { Metrics } from '../../src/platform/metrics/metrics.ts';
import { WebhookDeliveryRepository } from '../../src/features/webhook/delivery/webhook-delivery.repository.ts';
import { WebhookFanOut } from '../../src/features/webhook/delivery/webhook-fan-out.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { passTime, stopTime } from '../support/time/fake-time.ts';
import { withService } from '../support/test-service.ts';
import { PERMITTED, SENDING } from '../support/events/webhook-receiver.ts';

const DAY_MS = 24 * 3_600_000;
const WEEK_MS = 7 * DAY_MS;
/** Longer ago than events are kept, and not so long as deliveries. */
const LONG_AGO = Date.now() - WEEK_MS - 3_600_000;

onEachDatabase((kind) => {
  // No process makes deliveries, unless the test says so.
  const service = withService(kind, { ...SENDING, WEBHOOK_DELIVERY: 'off' });

  const sql = (text: string) => changeDatabase(service.database, text);
  const sweep = () => service.app.get(ChangeRetention).sweep();
  const count = async (table: string) => (await service.query(`SELECT 1 FROM ${table}`)).length;
  /** As if everything so far had happened then. */
  const age = async () => {
    await sql(`UPDATE change_event SET occurred_at = ${LONG_AGO}`);
    await sql(`UPDATE webhook_endpoint SET created_at = ${LONG_AGO - 1}`);
  };

  test('while there is no endpoint, events are removed when their time is over', async () => {
    await service.api.create();
    expect(await sweep()).toBe(0);
    await age();
    expect(await sweep()).toBeGreaterThan(0);
    expect(await count('change_event')).toBe(0);
  });

  test('what webhooks have not read is kept however old it is, sent when they come back, and then removed', async () => {
    const api = service.clientOf(await service.issueToken([...scopes]));
    const event_types = ['user_group.create'];
    const endpoint = { url: `http://${PERMITTED}:1/`, event_types };
    expect((await api.call('POST', '/api/v1/webhook-endpoints', endpoint)).status).toBe(201);
    await api.create();
    const fanOut = service.app.get(WebhookFanOut);
    while (await fanOut.run());
    expect(await count('webhook_delivery')).toBe(1);
    // From here on nobody makes deliveries for longer than events are kept.
    const created = await api.create();
    await age();
    const [progress] = await service.query<{ position: string }>(
      'SELECT position FROM webhook_progress',
    );
    const position = { ...(JSON.parse(progress!.position) as object), at: LONG_AGO };
    await sql(`UPDATE webhook_progress SET position = '${JSON.stringify(position)}'`);
    expect(await sweep()).toBe(0);
    while (await fanOut.run());
    const bodies = await service.query<{ body: string }>(
      'SELECT body FROM webhook_delivery ORDER BY id',
    );
    expect(JSON.parse(bodies.at(-1)!.body)).toMatchObject({
      data: { user_group: { team_id: created.teamId } },
    });
    expect(bodies).toHaveLength(2);
    expect(await sweep()).toBeGreaterThan(0);
    expect(await count('change_event')).toBe(0);
  });

  /** An endpoint of its own workspace, and as many events that nobody has read as `times`, each as old as it says. */
  const prepare = async (times: number[]) => {
    const scope = [...scopes];
    const api = service.clientOf(await service.issueToken(scope, `workspace ${Math.random()}`));
    await sql(
      'DELETE FROM webhook_endpoint; DELETE FROM webhook_progress; DELETE FROM change_event',
    );
    const endpoint = { url: `http://${PERMITTED}:1/`, event_types: ['user_group.create'] };
    await api.call('POST', '/api/v1/webhook-endpoints', endpoint);
    await sql(`UPDATE webhook_endpoint SET created_at = ${Date.now() - 40 * DAY_MS}`);
    await sql('DELETE FROM change_event');
    for (const time of times) {
      const { teamId } = await api.create();
      await sql(
        `UPDATE change_event SET occurred_at = ${Date.now() - time} WHERE user_group_id = ${teamId}`,
      );
    }
  };
  const failOnce = () =>
    jest
      .spyOn(service.app.get(WebhookDeliveryRepository), 'insert')
      .mockRejectedValueOnce(new Error('the disk is full'));

  test('before anything has been read all is kept, and a failure is no progress', async () => {
    const fanOut = service.app.get(WebhookFanOut);
    while (await fanOut.run());
    await prepare([8 * DAY_MS]);
    passTime(60_000);
    const lagBefore = fanOut.lagSeconds!;
    failOnce();
    await expect(fanOut.run()).rejects.toThrow('the disk is full');
    expect(await sweep()).toBe(0);
    expect(fanOut.lagSeconds).toBeGreaterThanOrEqual(lagBefore);
    while (await fanOut.run());
    expect(fanOut.lagSeconds).toBeLessThan(lagBefore);
    expect(await count('webhook_delivery')).toBe(1);
    expect(await sweep()).toBe(1);
  });

  test('events that are too old to be sent wait for nobody', async () => {
    await prepare([31 * DAY_MS, 29 * DAY_MS]);
    expect(await sweep()).toBe(1);
    expect(await count('change_event')).toBe(1);
  });

  test('how far webhooks are behind is a metric of every process, also of one that sends none', async () => {
    const lag = async () => {
      const metrics = await service.app.get(Metrics).registry.metrics();
      const [, value] = /^change_consumer_lag_seconds\{consumer="webhooks"\} (\S+)$/m.exec(
        metrics,
      )!;
      return Number(value);
    };
    stopTime();
    await prepare([DAY_MS]);
    await sweep();
    expect(await lag()).toBeCloseTo((30 * DAY_MS) / 1000, -2);
    while (await service.app.get(WebhookFanOut).run());
    await sweep();
    expect(await lag()).toBeLessThan(10);
    await sql('DELETE FROM webhook_endpoint');
    await sql('UPDATE webhook_progress SET position = \'{"at":1}\'');
    await sweep();
    expect(await lag()).toBe(0);
  });
});
