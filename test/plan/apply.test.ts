import { operator } from '../../src/platform/common/access/caller.ts';
import { PlanRetention } from '../../src/features/plan/plan-retention.ts';
import { WorkspaceSettingsService } from '../../src/features/registry/settings/workspace-settings.service.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { runSql } from '../support/keys.ts';
import { withService } from '../support/test-service.ts';
import { appliedOf, codesOf, PlanCalls } from './plan-calls.ts';

const GROUPS = '/api/v1/user-groups';

onEachDatabase((kind) => {
  const service = withService(kind);
  const calls = () => new PlanCalls(service.api);
  const named = (prefix: string, count: number) =>
    Array.from({ length: count }, (_, n) => ({ provided_id: `${prefix}${n}`, name: `N${n}` }));

  test('a plan is carried out exactly, once, with the events of each group', async () => {
    const tokens = async () => service.query('SELECT token_hash FROM user_group_token ORDER BY 1');
    await calls().carryOut('set=exact', ...named('exact ', 3));
    const before = await tokens();
    const plan = await calls().plan(
      'set=exact&prune=true',
      { provided_id: 'exact 0', name: 'Changed' },
      { provided_id: 'exact 1', name: 'N1' },
    );
    const applied = appliedOf(await calls().apply(plan.id));
    expect(applied).toEqual({
      id: plan.id,
      set: 'exact',
      counts: plan.counts,
      applied_at: expect.any(String),
    });
    expect(await tokens()).toEqual(before);
    const { body } = await service.api.call('GET', '/api/v1/audit-events?limit=4');
    expect(body.audit_events.map(({ action, object }) => [action, object?.id])).toEqual([
      ['user_group_plan.apply', `${plan.id}`],
      ['user_group.suspend', 'exact 2'],
      ['user_group.update', 'exact 0'],
      ['user_group_plan.create', `${plan.id}`],
    ]);
    expect(codesOf(await calls().apply(plan.id))).toEqual(['plan_applied']);
    expect(await service.query('SELECT 1 FROM user_group_plan_change')).toEqual([]);
  });

  const moves: [string, (id: string) => Promise<unknown>][] = [
    [
      'a group to update is written',
      (id) => service.api.call('PATCH', `${GROUPS}/${id}0`, { name: 'Moved' }),
    ],
    [
      'a group to leave is written',
      (id) => service.api.call('PATCH', `${GROUPS}/${id}1`, { name: 'Moved' }),
    ],
    ['a group to leave is deleted', (id) => service.api.call('DELETE', `${GROUPS}/${id}1`)],
    [
      'a group to suspend is suspended',
      (id) => service.api.call('POST', `${GROUPS}/${id}2/suspend`),
    ],
    [
      'a group to create is created',
      (id) => service.api.put({ user_group_id: `${id}new`, name: 'New' }),
    ],
    [
      'a group to update is deleted and created again',
      async (id) => {
        await service.api.call('DELETE', `${GROUPS}/${id}0`);
        await service.api.put({ user_group_id: `${id}0`, name: 'N0' });
      },
    ],
    [
      'the set gets a group',
      (id) => calls().carryOut(`set=${id}`, { provided_id: `${id}other`, name: 'O' }),
    ],
    [
      'another set takes a group over',
      (id) => calls().carryOut(`set=${id}taker&adopt=true`, { provided_id: `${id}1`, name: 'N1' }),
    ],
  ];
  test.each(moves)('nothing is applied if, meanwhile, %s', async (what, move) => {
    const id = `moved${moves.findIndex(([name]) => name === what)}`;
    await calls().carryOut(`set=${id}`, ...named(id, 3));
    const plan = await calls().plan(
      `set=${id}&prune=true`,
      { provided_id: `${id}new`, name: 'New' },
      { provided_id: `${id}0`, name: 'Changed' },
      { provided_id: `${id}1`, name: 'N1' },
    );
    await move(id);
    const before = await service.query('SELECT * FROM user_group ORDER BY id');
    const events = await service.query('SELECT * FROM audit_event ORDER BY id');
    expect(codesOf(await calls().apply(plan.id))).toEqual(['plan_stale']);
    expect(await service.query('SELECT * FROM user_group ORDER BY id')).toEqual(before);
    expect(await service.query('SELECT * FROM audit_event ORDER BY id')).toEqual(events);
  });

  test('a plan is stale once a group that it changes has another id, or one that it creates has an id that is reserved', async () => {
    const rename = (from: string, to: string) =>
      service.api.call('POST', `${GROUPS}/${from}/rename`, { provided_id: to });
    await calls().carryOut('set=renamed', ...named('renamed', 1));
    const changing = await calls().plan('set=renamed', {
      provided_id: 'renamed0',
      name: 'Changed',
    });
    const creating = await calls().plan('set=reserved', ...named('reserved', 1));
    await service.api.put({ user_group_id: 'reserved0', name: 'Other' });
    await rename('reserved0', 'reserved other');
    await rename('renamed0', 'renamed other');
    for (const { id } of [changing, creating]) {
      expect(codesOf(await calls().apply(id))).toEqual(['plan_stale']);
    }
    const { body } = await calls().send('set=renamed', ...named('renamed', 1));
    expect([body.code, body.detail]).toEqual([
      'user_group_renamed',
      'The user group "renamed0" has the id "renamed other" now.',
    ]);
  });

  test('groups are written in the order of their ids, so that two plans never wait for each other', async () => {
    const padded = Array.from({ length: 450 }, (_, n) => `order${String(n).padStart(3, '0')}`);
    const lines = padded.toReversed().map((id) => ({ provided_id: id, name: 'O' }));
    const plan = await calls().plan('set=order', ...lines);
    expect(plan.changes.map(({ provided_id }) => provided_id)).toEqual(padded.toReversed());
    appliedOf(await calls().apply(plan.id));
    const rows = await service.query<{ provided_id: string }>(
      `SELECT provided_id FROM user_group WHERE managed_by = 'order' ORDER BY id`,
    );
    expect(rows.map((row) => row.provided_id)).toEqual(padded);
  });

  test('a rotation of a token moves no group, and is not undone', async () => {
    const [line] = named('rotated', 1);
    await calls().carryOut('set=rotated', line!);
    const { id } = await calls().plan('set=rotated', { ...line, name: 'Changed' });
    const rotated = await service.api.call('POST', `${GROUPS}/rotated0/tokens/rotate`);
    expect(codesOf(await calls().apply(id))).toEqual([200]);
    const { body } = await service.api.get({ user_group_id: 'rotated0' });
    expect(body.user_group).toMatchObject({
      name: 'Changed',
      token: rotated.body.user_group.token,
    });
  });

  test('of two calls that apply a plan at once one wins, and the other is refused', async () => {
    const { id } = await calls().plan('set=twice', ...named('twice', 300));
    const codes = codesOf(
      ...(await Promise.all(Array.from({ length: 6 }, () => calls().apply(id)))),
    );
    expect(codes.filter((code) => code === 200)).toHaveLength(1);
    expect(codes.filter((code) => !['plan_applied', 'plan_in_use', 200].includes(code))).toEqual(
      [],
    );
    const [{ version }] = (await service.query<{ version: number }>(
      `SELECT max(version) AS version FROM user_group WHERE managed_by = 'twice'`,
    )) as [{ version: number }];
    expect(version).toBe(1);
  });

  test('of two plans of one set that are applied at once the second is refused', async () => {
    const plans = [
      await calls().plan('set=both', ...named('both a', 100)),
      await calls().plan('set=both', ...named('both b', 100)),
    ];
    const codes = codesOf(...(await Promise.all(plans.map(({ id }) => calls().apply(id)))));
    expect(codes.toSorted()).toEqual([200, expect.stringMatching(/^plan_(stale|in_use)$/)]);
    const [loser] = plans.filter((_, index) => codes[index] !== 200);
    expect(codesOf(await calls().apply(loser!.id))).toEqual(['plan_stale']);
  });

  test('a call repeated with its Idempotency-Key gets the same response', async () => {
    const { id } = await calls().plan('set=keyed', ...named('keyed', 2));
    const headers = { 'Idempotency-Key': 'apply-once' };
    const [first, second] = [await calls().apply(id, headers), await calls().apply(id, headers)];
    expect(second.body).toEqual(first.body);
    expect(first.status).toBe(200);
    expect(codesOf(await calls().apply(id))).toEqual(['plan_applied']);
  });

  test('a plan beyond the quota is refused, when it is made and when it is applied', async () => {
    const settings = service.app.get(WorkspaceSettingsService);
    const groups = await service.query('SELECT 1 FROM user_group');
    const small = await calls().plan('set=quota', ...named('quota a', 2));
    await settings.setUserGroupQuota(operator(1), groups.length + 2);
    expect(codesOf(await calls().send('set=quota', ...named('quota b', 3)))).toEqual([
      'user_group_quota_reached',
    ]);
    const whole = await calls().plan('set=quota', ...named('quota c', 2));
    await service.api.put({ user_group_id: 'quota d', name: 'D' });
    expect(codesOf(await calls().apply(whole.id), await calls().apply(small.id))).toEqual([
      'user_group_quota_reached',
      'plan_stale',
    ]);
    expect(await service.query('SELECT 1 FROM user_group')).toHaveLength(groups.length + 1);
    await settings.setUserGroupQuota(operator(1), null);
  });

  test('a plan is found until it expires, and the newest thirty are kept', async () => {
    const { id } = await calls().plan('set=old', ...named('old', 1));
    for (let n = 0; n < 29; n++) await calls().plan('set=newer');
    expect(await service.query('SELECT 1 FROM user_group_plan')).toHaveLength(30);
    const last = await calls().plan('set=newer');
    expect(codesOf(await calls().apply(id))).toEqual(['plan_not_found']);
    expect(codesOf(await calls().apply(1))).toEqual(['plan_not_found']);
    await runSql(
      service.database,
      `UPDATE user_group_plan SET expires_at = 1 WHERE id = ${last.id}`,
    );
    expect(codesOf(await calls().apply(last.id))).toEqual(['plan_not_found']);
    await service.app.get(PlanRetention).sweep();
    expect(await service.query(`SELECT 1 FROM user_group_plan WHERE id = ${last.id}`)).toEqual([]);
  });

  test('a plan of too many lines or changes is refused', async () => {
    const large = await calls().send('set=large', ...named('large', 2001));
    expect(codesOf(large)).toEqual(['plan_too_large']);
    const { counts } = await calls().plan('set=large', ...named('large', 2000));
    expect(counts.create).toBe(2000);
  });

  test('lines have 32 MiB at most, whatever they change', async () => {
    const wide = ({ provided_id }: { provided_id: string }) =>
      `{"provided_id":"${provided_id}","name":"N"`.padEnd(255_999) + '}';
    const send = (count: number) =>
      calls().sendText('set=wide', named('wide', count).map(wide).join('\n'));
    expect(codesOf(await send(131), await send(132))).toEqual([200, 'plan_too_large']);
  });
});
