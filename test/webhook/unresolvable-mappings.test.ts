import { AuditLog } from '../../src/core/audit/audit-log.ts';
import { Reminders } from '../../src/features/webhook/reminder/reminders.ts';
import type { CreatedGroup } from '../support/api/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { TestWorkspace } from '../support/registry.ts';
import { withStoppedReminders } from '../support/time/stopped-reminders.ts';
import { startTestService, withService } from '../support/test-service.ts';
import { SENDING, WebhookReceiver } from '../support/events/webhook-receiver.ts';

const TYPE = 'user_group.mapping_unresolvable';
const MANY = 4100;

interface Sent {
  user_group: { team_id: number };
}

const byTeamId = (one: Sent['user_group'], other: Sent['user_group']) =>
  one.team_id - other.team_id;

onEachDatabase((kind) => {
  const service = withService(kind, SENDING);
  withStoppedReminders(service);
  let own: TestWorkspace;
  let count = 0;

  beforeEach(async () => {
    own = await TestWorkspace.create(service, `unresolvable ${++count}`);
  });

  afterEach(() => jest.restoreAllMocks());

  const remind = () => service.app.get(Reminders).remind();

  const remove = async (kind: 'schemas' | 'data-sources', id: number) => {
    expect((await own.api.call('DELETE', `/api/v1/${kind}/${id}`)).status).toBe(200);
  };

  /** The announcements of the workspace until now: group, entry, deleted thing. */
  async function announced(workspace = own) {
    const path = `/api/v1/audit-events?types=${TYPE}&limit=100`;
    const { body } = await workspace.api.call('GET', path);
    return body.audit_events
      .map(({ object, details }) => {
        const { schema_id, deleted } = details as { schema_id: string; deleted: object };
        return [object!.id, schema_id, deleted] as const;
      })
      .sort(([one], [other]) => (one < other ? -1 : 1));
  }

  /** The number of groups of the workspace that were announced, and of announcements in all. */
  async function announcedTimes() {
    const [row] = await service.query<{ groups: number; events: number }>(
      `SELECT count(DISTINCT e.object_id) AS groups, count(*) AS events
       FROM audit_event e JOIN workspace w ON w.id = e.workspace_id
       WHERE e.action = '${TYPE}' AND w.name = '${own.name}'`,
    );
    return [row!.groups, row!.events];
  }

  /** Gives the workspace that many groups, whose mapping is sales: warehouse. */
  async function fill(groups: number) {
    const numbers =
      kind === 'postgres'
        ? `generate_series(1, ${groups}) AS n(value)`
        : `(WITH RECURSIVE c(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM c WHERE value < ${groups}) SELECT value FROM c) AS n`;
    await changeDatabase(
      service.database,
      `INSERT INTO user_group (workspace_id, provided_id, name, properties, created_at, updated_at)
         SELECT w.id, 'many ' || n.value, 'n', '{}', 1, 1 FROM workspace w, ${numbers}
         WHERE w.name = '${own.name}';
       INSERT INTO data_source_mapping (user_group_id, schema_id, data_source, data_source_type)
         SELECT g.id, 'sales', 'warehouse', 'string' FROM user_group g
         JOIN workspace w ON w.id = g.workspace_id WHERE w.name = '${own.name}'`,
    );
  }

  test('each group whose mapping named a deleted data source is announced once: in the audit log, the feed and to webhooks', async () => {
    const receiver = await WebhookReceiver.listen();
    await own.api.call('POST', '/api/v1/webhook-endpoints', {
      url: receiver.url,
      event_types: [TYPE],
    });
    const stays = await own.dataSource('lake');
    const id = await own.dataSource('warehouse');
    const group = (name: string, mapping: object): Promise<CreatedGroup> =>
      own.api.create({ name, mapping });
    const byText = await group('by text', { billing: 'lake', sales: 'warehouse', z: 'warehouse' });
    const byNumber = await group('by number', { sales: id });
    const byDigits = await group('by digits', { sales: String(id) });
    await group('another', { sales: 'lake', billing: stays });
    await group('never registered', { sales: 'attic', billing: 99_999, z: `0${id}` });
    const deleted = await group('deleted', { sales: 'warehouse' });
    await own.api.call('PUT', byText.path, { name: 'second version', mapping: { sales: id } });
    await remove('data-sources', id);
    await own.api.call('DELETE', deleted.path);
    // Until somebody looks, the deletion has announced nothing.
    expect(await announced()).toEqual([]);
    await remind();
    await remind();
    const gone = { type: 'data_source', id, provided_id: 'warehouse' };
    expect(await announced()).toEqual(
      [byText, byNumber, byDigits].map((found) => [found.id, 'sales', gone]),
    );
    const events = [
      { team_id: byText.teamId, provided_id: byText.id, version: 2 },
      { team_id: byNumber.teamId, provided_id: byNumber.id, version: 1 },
      { team_id: byDigits.teamId, provided_id: byDigits.id, version: 1 },
    ];
    const feed = await own.api.call('GET', `/api/v1/events?types=${TYPE}`);
    expect(feed.body).toMatchObject({
      events: events.map((user_group) => ({ type: TYPE, user_group })),
    });
    await receiver.receive(3);
    const sent = receiver.messages.map(({ body }) => (JSON.parse(body) as { data: Sent }).data);
    expect(sent.map(({ user_group }) => user_group).sort(byTeamId)).toEqual(events);
    receiver.close();
  });

  test('a deleted schema concerns the keys that named it; the event tells which', async () => {
    const id = await own.schema('sales');
    await own.dataSource('warehouse');
    const byText = await own.api.create({ mapping: { billing: 'warehouse', sales: 'warehouse' } });
    const byDigits = await own.api.create({ mapping: { [String(id)]: 'warehouse' } });
    await own.api.create({ mapping: { billing: 'sales' } });
    await remove('schemas', id);
    await remind();
    const gone = { type: 'schema', id, provided_id: 'sales' };
    expect(await announced()).toEqual([
      [byText.id, 'sales', gone],
      [byDigits.id, String(id), gone],
    ]);
  });

  test('an entry that resolves again is not announced', async () => {
    const first = await own.dataSource('warehouse');
    await own.api.create({ mapping: { sales: 'warehouse' } });
    const byNumber = await own.api.create({ mapping: { sales: first } });
    await remove('data-sources', first);
    await own.dataSource('warehouse');
    await remind();
    // Our numbers are never given out again.
    expect((await announced()).map(([group]) => group)).toEqual([byNumber.id]);
  });

  test('of several deleted things with one name an entry has lost the last', async () => {
    const first = await own.dataSource('x');
    const namedLikeIt = await own.dataSource(String(first));
    const byDigits = await own.api.create({ mapping: { sales: String(first) } });
    const byNumber = await own.api.create({ mapping: { sales: first } });
    await remove('data-sources', first);
    await remind();
    // The digits are the id of another one, which is there.
    expect((await announced()).map(([group]) => group)).toEqual([byNumber.id]);
    await remove('data-sources', namedLikeIt);
    const twice = [await own.dataSource('y')];
    const byText = await own.api.create({ mapping: { sales: 'y' } });
    await remove('data-sources', twice[0]!);
    twice.push(await own.dataSource('y'));
    await remove('data-sources', twice[1]!);
    await remind();
    expect(await announced()).toEqual([
      [byDigits.id, 'sales', { type: 'data_source', id: namedLikeIt, provided_id: String(first) }],
      [byNumber.id, 'sales', { type: 'data_source', id: first, provided_id: 'x' }],
      [byText.id, 'sales', { type: 'data_source', id: twice[1], provided_id: 'y' }],
    ]);
  });

  test('under the policy registered, or of another workspace, nothing is announced', async () => {
    const other = await TestWorkspace.create(service, `other ${count}`);
    await other.api.create({ mapping: { sales: 'warehouse' } });
    const id = await own.dataSource('warehouse');
    const group = await own.api.create({ mapping: { sales: 'warehouse' } });
    await remove('data-sources', id);
    // The group is mended before anybody looks, and the policy switched.
    await own.schema('sales');
    await own.dataSource('lake');
    await own.api.put({ user_group_id: group.id, mapping: { sales: 'lake' } });
    expect((await own.set({ mapping_policy: 'registered' })).status).toBe(200);
    await remind();
    expect([await announced(), await announced(other)]).toEqual([[], []]);
    // It counts as worked through, also when the policy is another again.
    await own.set({ mapping_policy: 'open' });
    await own.api.put({ user_group_id: group.id, mapping: { sales: 'warehouse' } });
    await remind();
    expect(await announced()).toEqual([]);
  });

  test('of many groups, in several ranges, each is announced once, also by whoever goes on after a failure', async () => {
    const id = await own.dataSource('warehouse');
    await fill(MANY);
    await remove('data-sources', id);
    const auditLog = service.app.get(AuditLog);
    const recordAll = auditLog.recordAll.bind(auditLog);
    let ranges = 0;
    jest.spyOn(auditLog, 'recordAll').mockImplementation((...events) => {
      if (++ranges === 2) throw new Error('killed');
      return recordAll(...events);
    });
    await remind();
    // The first range stays announced; of the second neither event nor reminder is there.
    const [groups, events] = await announcedTimes();
    expect(groups).toBe(events);
    expect([groups! > 0, groups! < MANY]).toEqual([true, true]);
    await remind();
    expect(await announcedTimes()).toEqual([MANY, MANY]);
    expect(ranges).toBeGreaterThan(3);
    const before = ranges;
    await remind();
    expect(ranges).toBe(before);
  });

  test('a pass takes some deletions of each workspace, so that none waits for those of another', async () => {
    const MOST = 500;
    const other = await TestWorkspace.create(service, `busy ${count}`);
    await other.api.call('DELETE', `/api/v1/schemas/${await other.schema('sales')}`);
    const numbers =
      kind === 'postgres'
        ? 'generate_series(1, 600) AS n(value)'
        : '(WITH RECURSIVE c(value) AS (SELECT 1 UNION ALL SELECT value + 1 FROM c WHERE value < 600) SELECT value FROM c) AS n';
    const ofOther = `e.kind = 'schema.delete' AND e.workspace_id = (SELECT id FROM workspace WHERE name = '${other.name}')`;
    await changeDatabase(
      service.database,
      `INSERT INTO audit_event (public_id, workspace_id, occurred_at, action, actor_type, object_type, object_id, before)
         SELECT a.public_id - n.value, a.workspace_id, a.occurred_at, a.action, a.actor_type, a.object_type, a.object_id, a.before
         FROM change_event e JOIN audit_event a ON a.public_id = e.public_id, ${numbers} WHERE ${ofOther};
       INSERT INTO change_event (transaction_id, public_id, workspace_id, kind, object_id, occurred_at)
         SELECT e.transaction_id, e.public_id - n.value, e.workspace_id, e.kind, e.object_id, e.occurred_at
         FROM change_event e, ${numbers} WHERE ${ofOther}`,
    );
    const id = await own.dataSource('warehouse');
    const group = await own.api.create({ mapping: { sales: 'warehouse' } });
    await remove('data-sources', id);
    const workedThrough = async () => {
      const [row] = await service.query<{ count: string }>(
        `SELECT count(*) AS count FROM change_event e JOIN reminder r ON r.kind = e.kind AND r.subject = CAST(e.public_id AS text)
         WHERE ${ofOther}`,
      );
      return Number(row!.count);
    };
    await remind();
    expect(await workedThrough()).toBe(MOST);
    expect((await announced()).map(([id]) => id)).toEqual([group.id]);
    await remind();
    expect(await workedThrough()).toBe(601);
  });

  test('two processes that look at once announce each group once', async () => {
    const second = await startTestService(service.database, SENDING);
    const id = await own.dataSource('warehouse');
    await fill(MANY);
    await remove('data-sources', id);
    await Promise.all([remind(), second.app.get(Reminders).remind()]);
    expect(await announcedTimes()).toEqual([MANY, MANY]);
    await second.close();
  });
});
