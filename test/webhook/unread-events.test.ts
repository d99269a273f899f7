import { scopes } from '../../src/common/caller';
import { ChangeRetention } from '../../src/database/upkeep/change-retention';
import { WebhookFanOut } from '../../src/webhook/delivery/webhook-fan-out';
import { changeDatabase, onEachDatabase } from '../support/databases';
import { withService } from '../support/test-service';
import { PERMITTED, SENDING } from '../support/webhook-receiver';

const WEEK_MS = 7 * 24 * 3_600_000;
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
});
