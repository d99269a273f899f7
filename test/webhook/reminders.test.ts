import { scopes } from '../../src/platform/common/access/caller.ts';
import { Reminders } from '../../src/features/webhook/reminder/reminders.ts';
import { ReminderRetention } from '../../src/features/webhook/reminder/reminder-log.ts';
import type { ApiClient } from '../support/api/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { passTime } from '../support/time/fake-time.ts';
import { withStoppedReminders } from '../support/time/stopped-reminders.ts';
import { withService } from '../support/test-service.ts';
import { SENDING, WebhookReceiver } from '../support/events/webhook-receiver.ts';
import { workerRounds } from '../support/time/worker-rounds.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

onEachDatabase((kind) => {
  const service = withService(kind, SENDING);
  withStoppedReminders(service);
  let api: ApiClient;
  let receiver: WebhookReceiver;

  beforeEach(async () => {
    api = service.clientOf(await service.issueToken([...scopes], `workspace ${Math.random()}`));
    receiver = await WebhookReceiver.listen();
    const event_types = ['user_group_token.overlap_ending', 'api_token.expiring'];
    await api.call('POST', '/api/v1/webhook-endpoints', { url: receiver.url, event_types });
  });

  afterEach(() => {
    receiver.close();
  });

  const sql = (text: string) => changeDatabase(service.database, text);
  const remind = () => service.app.get(Reminders).remind();
  const settled = () => workerRounds(service);
  const data = () =>
    receiver.messages.map(({ body }) => (JSON.parse(body) as { data: unknown }).data);

  /** A group whose old token ends then. */
  const rotated = async (endsInMs: number, lastUse: string) => {
    const group = await api.create();
    await api.rotate(group.token, 60);
    await sql(`UPDATE user_group_token SET valid_until = ${Date.now() + endsInMs}, last_introspected_at = ${lastUse}
      WHERE user_group_id = ${group.teamId} AND generation = 1`);
    return group;
  };

  test('an old token that is still in use is announced once, an hour before its overlap ends', async () => {
    const used = await rotated(0.9 * HOUR_MS, 'retired_at + 1');
    const others = [
      await rotated(0.9 * HOUR_MS, 'NULL'),
      await rotated(0.9 * HOUR_MS, 'retired_at - 1'),
      await rotated(1.1 * HOUR_MS, 'retired_at + 1'),
      await rotated(-1000, 'retired_at + 1'),
    ];
    const revoked = await rotated(0.9 * HOUR_MS, 'retired_at + 1');
    await api.call('POST', `${revoked.path}/tokens/1/revoke`);
    await Promise.all([remind(), remind()]);
    await remind();
    await receiver.receive(1);
    await settled();
    expect(data()).toEqual([
      { user_group: { team_id: used.teamId, provided_id: used.id, generation: 1 } },
    ]);
    // The one of an hour and a bit is announced in its time.
    await sql(
      `UPDATE user_group_token SET valid_until = ${Date.now() + 0.9 * HOUR_MS} WHERE user_group_id = ${others[2]!.teamId} AND generation = 1`,
    );
    await remind();
    await receiver.receive(2);
    const { body } = await api.call(
      'GET',
      '/api/v1/audit-events?types=user_group_token.overlap_ending',
    );
    expect(body.audit_events.map(({ actor, object }) => [actor.type, object!.id])).toEqual([
      ['service', others[2]!.id],
      ['service', used.id],
    ]);
  });

  test('an old token whose overlap a second rotation has ended is not announced', async () => {
    const group = await rotated(0.9 * HOUR_MS, 'retired_at + 1');
    expect(
      (await api.call('POST', `${group.path}/tokens/rotate`, { grace_period_seconds: 60 })).status,
    ).toBe(200);
    expect(await api.isActive(group.token)).toBe(false);
    await remind();
    const { body } = await api.call(
      'GET',
      '/api/v1/audit-events?types=user_group_token.overlap_ending',
    );
    expect(body.audit_events).toEqual([]);
  });

  test('an old token that was ended with all others of its workspace is not announced', async () => {
    await rotated(0.9 * HOUR_MS, 'retired_at + 1');
    const ending = { kinds: ['user_group_token'], reason: 'drill' };
    expect((await api.call('POST', '/api/v1/workspace/end-tokens', ending)).status).toBe(200);
    await remind();
    const { body } = await api.call(
      'GET',
      '/api/v1/audit-events?types=user_group_token.overlap_ending',
    );
    expect(body.audit_events).toEqual([]);
  });

  test('an API token is announced once, a week before it expires, and again when it was prolonged', async () => {
    const issue = async () => {
      const body = { name: 'x', scopes: ['audit:read'] };
      return (await api.call('POST', '/api/v1/api-tokens', body)).body.api_token.id;
    };
    const end = (id: number, inDays: number) =>
      sql(
        `UPDATE api_token SET created_at = ${Date.now() - 30 * DAY_MS}, expires_at = ${Date.now() + inDays * DAY_MS} WHERE id = ${id}`,
      );
    const [expiring, later, ended, revoked, short] = [
      await issue(),
      await issue(),
      await issue(),
      await issue(),
      await issue(),
    ];
    await end(expiring, 6.9);
    await end(later, 7.1);
    await end(ended, -0.1);
    await end(revoked, 6.9);
    await api.call('POST', `/api/v1/api-tokens/${revoked}/revoke`);
    await sql(`UPDATE api_token SET expires_at = ${Date.now() + DAY_MS} WHERE id = ${short}`);
    await Promise.all([remind(), remind()]);
    await receiver.receive(1);
    await settled();
    expect(data()).toEqual([{ object: { type: 'api_token', id: String(expiring) } }]);
    await end(expiring, 6.8);
    await remind();
    await receiver.receive(2);
    await settled();
    expect(data()).toHaveLength(2);
  });

  test('a group is announced before its end, however often it is written meanwhile', async () => {
    const patch = async ({ path }: { path: string }, body: object) =>
      expect((await api.call('PATCH', path, body)).status).toBe(200);
    const [written, late] = [await api.create(), await api.create()];
    const valid_until = new Date(Date.now() + 8 * DAY_MS).toISOString();
    await patch(written, { valid_until });
    const announced = async () => {
      await remind();
      const { body } = await api.call('GET', '/api/v1/audit-events?types=user_group.expiring');
      const events = body.audit_events as unknown as {
        object: { id: string };
        details: { days_left: number };
      }[];
      return events.map(({ object, details }) => `${object.id}: ${details.days_left}`).sort();
    };
    expect(await announced()).toEqual([]);
    passTime(1.5 * DAY_MS);
    await patch(written, { properties: { written: 1 } });
    await patch(late, { valid_until });
    expect(await announced()).toEqual([`${written.id}: 7`]);
    passTime(6 * DAY_MS);
    await patch(written, { name: 'Written again' });
    expect(await announced()).toEqual(
      [`${written.id}: 1`, `${written.id}: 7`, `${late.id}: 1`].sort(),
    );
  });

  test('a group that is resumed after the moments of its reminders has the last one alone', async () => {
    const [late, later] = [await api.create(), await api.create()];
    const valid_until = new Date(Date.now() + 30 * DAY_MS).toISOString();
    for (const { path } of [late, later]) {
      expect((await api.call('PATCH', path, { valid_until })).status).toBe(200);
      expect((await api.call('POST', `${path}/suspend`)).status).toBe(200);
    }
    const announced = async () => {
      await remind();
      const { body } = await api.call('GET', '/api/v1/audit-events?types=user_group.expiring');
      const events = body.audit_events as unknown as {
        object: { id: string };
        details: { days_left: number };
      }[];
      return events.map(({ object, details }) => `${object.id}: ${details.days_left}`);
    };
    passTime(26.5 * DAY_MS);
    expect((await api.call('POST', `${late.path}/resume`)).status).toBe(200);
    expect(await announced()).toEqual([`${late.id}: 4`]);
    passTime(3 * DAY_MS);
    expect((await api.call('POST', `${later.path}/resume`)).status).toBe(200);
    expect((await announced()).sort()).toEqual(
      [`${late.id}: 4`, `${late.id}: 1`, `${later.id}: 1`].sort(),
    );
  });

  test('what was announced long ago is forgotten', async () => {
    await sql(
      `INSERT INTO reminder (kind, subject, at) VALUES ('x', '1', ${Date.now() - 31 * DAY_MS}), ('x', '2', ${Date.now()})`,
    );
    expect(await service.app.get(ReminderRetention).sweep()).toBe(1);
    const rows = await service.query<{ subject: string }>(
      "SELECT subject FROM reminder WHERE kind = 'x'",
    );
    expect(rows.map(({ subject }) => subject)).toEqual(['2']);
  });
});
