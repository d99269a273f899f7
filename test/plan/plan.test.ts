import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { codesOf, PlanCalls, planOf } from './plan-calls.ts';

onEachDatabase((kind) => {
  const service = withService(kind);
  const calls = () => new PlanCalls(service.api);
  const read = async (id: string) =>
    (await service.api.call('GET', `/api/v1/user-groups/${encodeURIComponent(id)}`)).body
      .user_group;

  test('a plan names each difference by its place, and writes no group', async () => {
    await calls().carryOut(
      'set=shown',
      { provided_id: 'shown 1', name: 'One', properties: { plan: 'trial', seats: 5, old: true } },
      { provided_id: 'shown 2', name: 'Two', mapping: { sales: 1 } },
      { provided_id: 'shown 3', name: 'Three' },
    );
    const before = await service.query('SELECT * FROM user_group ORDER BY id');
    const plan = await calls().plan(
      'set=shown&prune=true',
      { provided_id: 'shown 1', name: 'Uno', properties: { plan: 'team', seats: 5, 'a/b~c': [] } },
      { provided_id: 'shown 4', name: 'Four', suspended: true },
      { provided_id: 'shown 2', name: 'Two', mapping: { sales: 1 }, valid_until: null },
    );
    expect(plan).toEqual({
      id: expect.any(Number),
      set: 'shown',
      counts: { create: 1, update: 1, suspend: 1, delete: 0, unchanged: 1, conflict: 0 },
      created_at: expect.any(String),
      expires_at: expect.any(String),
      changes: [
        {
          action: 'update',
          provided_id: 'shown 1',
          name: 'One',
          line: 1,
          differences: [
            { pointer: '/name', was: 'One', is: 'Uno' },
            { pointer: '/properties/plan', was: 'trial', is: 'team' },
            { pointer: '/properties/old', was: true },
            { pointer: '/properties/a~1b~0c', is: [] },
          ],
        },
        { action: 'create', provided_id: 'shown 4', name: 'Four', line: 2 },
        { action: 'suspend', provided_id: 'shown 3', name: 'Three' },
      ],
      conflicts: [],
    });
    const life = Date.parse(plan.expires_at) - Date.parse(plan.created_at);
    expect(life).toBe(24 * 60 * 60 * 1000);
    expect(await service.query('SELECT * FROM user_group ORDER BY id')).toEqual(before);
  });

  test('a field that a line leaves out has its default, and one that is written by hand is a difference', async () => {
    const line = { provided_id: 'whole', name: 'Whole' };
    await calls().carryOut('set=whole', {
      ...line,
      properties: { a: 1 },
      mapping: { s: 'd' },
      valid_until: '2050-01-01T00:00:00Z',
      suspended: true,
    });
    expect(await calls().carryOut('set=whole', line)).toMatchObject({ counts: { update: 1 } });
    expect(await read('whole')).toMatchObject({
      properties: {},
      mapping: {},
      valid_until: null,
      suspended_at: null,
      managed_by: 'whole',
    });
    await service.api.put({ user_group_id: 'whole', name: 'By hand' });
    expect((await read('whole')).managed_by).toBe('whole');
    expect(await calls().plan('set=whole', line)).toMatchObject({
      changes: [{ differences: [{ pointer: '/name', was: 'By hand', is: 'Whole' }] }],
    });
  });

  test('a group of another set or of none is a conflict, until it is adopted', async () => {
    await service.api.put({ user_group_id: 'by hand', name: 'Hand' });
    await calls().carryOut('set=other', { provided_id: 'of other', name: 'Other' });
    const lines = [
      { provided_id: 'by hand', name: 'Hand' },
      { provided_id: 'of other', name: 'Other' },
      { provided_id: 'new one', name: 'New' },
    ];
    const refused = await calls().plan('set=mine', ...lines);
    expect(refused).toMatchObject({
      counts: { create: 1, conflict: 2 },
      conflicts: [
        { provided_id: 'by hand', line: 1, managed_by: null },
        { provided_id: 'of other', line: 2, managed_by: 'other' },
      ],
    });
    expect(codesOf(await calls().apply(refused.id))).toEqual(['plan_in_conflict']);
    expect((await read('by hand')).managed_by).toBe(null);
    const adopting = await calls().plan('set=mine&adopt=true', ...lines);
    expect(adopting.changes.map(({ differences }) => differences)).toEqual([
      [{ pointer: '/managed_by', was: null, is: 'mine' }],
      [{ pointer: '/managed_by', was: 'other', is: 'mine' }],
      undefined,
    ]);
    expect(codesOf(await calls().apply(adopting.id))).toEqual([200]);
    expect(await calls().plan('set=mine', ...lines)).toMatchObject({ counts: { unchanged: 3 } });
    expect(await calls().plan('set=other&prune=true', lines[2]!)).toMatchObject({
      counts: { conflict: 1, suspend: 0 },
    });
  });

  test('the membership is in responses of v1 alone, and its changes are in the history and the audit log', async () => {
    const contract = await service.api.put({ user_group_id: 'member', name: 'M' });
    await calls().carryOut('set=members&adopt=true', { provided_id: 'member', name: 'M' });
    const after = await service.api.get({ user_group_id: 'member', properties: {} });
    expect(Object.keys(after.body.user_group)).toEqual([
      'team_id',
      'token',
      'name',
      'provided_id',
      'properties',
    ]);
    expect(after.body.user_group.token).toBe(contract.body.user_group.token);
    const list = await service.api.call('GET', '/api/v1/user-groups?name_prefix=M');
    expect(list.body.user_groups).toMatchObject([{ provided_id: 'member', managed_by: 'members' }]);
    const { body } = await service.api.call('GET', '/api/v1/user-groups/member/versions');
    expect(body.versions).toMatchObject([
      { version: 2, change: 'update', changed: ['managed_by'] },
      { version: 1, change: 'create' },
    ]);
    const [event] = (
      await service.api.call('GET', '/api/v1/audit-events?types=user_group.update&limit=1')
    ).body.audit_events;
    expect(event).toMatchObject({
      before: { managed_by: null },
      after: { managed_by: 'members' },
      details: { plan: expect.any(Number), set: 'members' },
    });
  });

  test('prune suspends, deletes only if asked, and has a ceiling', async () => {
    const groups = Array.from({ length: 30 }, (_, n) => ({ provided_id: `p${n}`, name: `P${n}` }));
    await calls().carryOut('set=pruned', ...groups);
    const kept = groups.slice(7);
    const refused = await calls().send('set=pruned&prune=true', ...kept);
    expect([refused.status, refused.body.code, refused.body.detail]).toEqual([
      422,
      'prune_refused',
      'No line names 7 of the 30 groups of the set; a plan takes at most 6 of them out of use. If they shall go, send max_prune=7.',
    ]);
    const empty = await calls().sendText('set=pruned&prune=true&max_prune=30', '\n');
    expect(empty.body.code).toBe('prune_refused');
    expect((await calls().plan('set=pruned')).counts).toMatchObject({ unchanged: 30 });
    await calls().carryOut('set=pruned&prune=true&max_prune=7', ...kept);
    expect(await read('p0')).toMatchObject({ status: 'suspended', managed_by: 'pruned' });
    const again = await calls().plan('set=pruned&prune=true', ...kept);
    expect(again.counts).toMatchObject({ suspend: 0, unchanged: 30 });
    // A line that names a suspended group again resumes it.
    expect(await calls().plan('set=pruned', groups[0]!)).toMatchObject({
      changes: [{ differences: [{ pointer: '/suspended', was: true, is: false }] }],
    });
    const deleting = 'set=pruned&prune=true&on_prune=delete';
    expect((await calls().send(deleting, ...kept)).body.code).toBe('prune_refused');
    await calls().carryOut(`${deleting}&max_prune=7`, ...kept);
    expect((await service.api.call('GET', '/api/v1/user-groups/p0')).status).toBe(404);
    const few = await calls().plan(deleting, ...kept.slice(4));
    expect(few.counts).toMatchObject({ delete: 4 });
  });

  test('a line with a token, an unknown field or an id of another line is refused by name', async () => {
    const before = await service.query('SELECT 1 FROM user_group_plan');
    const answer = await calls().sendText(
      'set=faulty',
      [
        '{"provided_id":"a","name":"A","token":"legacy-0123456789012345"}',
        '',
        '{"provided_id":"b","name":"B","propertes":{}}',
        '{"provided_id":"b2"}',
        '{"provided_id":"c","name":"C","properties":{"big":9007199254740993}}',
        '{"provided_id":"d","name":"D"}',
        '{"provided_id":"d","name":"D"}',
        '{"provided_id":"e",',
        '{"provided_id":"f","name":"F","user_group_id":"g"}',
        '{"name":"G"}',
        '{"provided_id":"h","name":"H","properties":{"a":1,"a":2}}',
      ].join('\n'),
    );
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map(({ pointer, code }) => [pointer, code])).toEqual([
      ['/1/token', 'unknown'],
      ['/3/propertes', 'unknown'],
      ['/4/name', 'required'],
      ['/5/properties/big', 'lossy_number'],
      ['/7/provided_id', 'repeated'],
      ['/8', 'not_acceptable'],
      ['/9/user_group_id', 'not_acceptable'],
      ['/10/provided_id', 'required'],
      ['/11', 'not_acceptable'],
    ]);
    expect(answer.body.errors[0]!.detail).toMatch(/^A plan takes no token/);
    expect(answer.text).not.toContain('legacy-');
    expect(await service.query('SELECT 1 FROM user_group_plan')).toEqual(before);
  });

  test('an id that no new group can have is refused with its line, like other faults', async () => {
    const answer = await calls().send(
      'set=dots',
      { provided_id: 'dots', name: 'D' },
      { provided_id: '..', name: 'D' },
      { provided_id: 'a/./b', name: 'D' },
    );
    expect(answer.status).toBe(422);
    expect(answer.body.errors.map(({ pointer }) => pointer)).toEqual([
      '/2/provided_id',
      '/3/provided_id',
    ]);
  });

  test('a set has a name, and an unknown parameter is refused', async () => {
    const line = { provided_id: 'x', name: 'X' };
    for (const query of [
      '',
      'set=',
      'set=a%20b',
      'set=-a',
      `set=${'a'.repeat(64)}`,
      'set=a&set=b',
      'set=a&dry_run=true',
      'set=a&prune=yes',
      'set=a&max_prune=-1',
      'set=a&on_prune=forget',
    ]) {
      expect(codesOf(await calls().send(query, line))).toEqual(['validation_failed']);
    }
  });

  test('what the rules of the workspace refuse is refused with its line', async () => {
    const settings = '/api/v1/workspace';
    await service.api.call('PATCH', settings, {
      variables: [{ name: 'plan', type: 'string', required: true, is_secret: true }],
    });
    const line = { provided_id: 'ruled', name: 'Ruled' };
    const answer = await calls().send(
      'set=ruled',
      { ...line, provided_id: 'ok', properties: { plan: 'a' } },
      line,
    );
    expect(answer.body.errors).toMatchObject([{ pointer: '/2/properties/plan', code: 'required' }]);
    await calls().carryOut('set=ruled', { ...line, properties: { plan: 'hidden 1' } });
    const plan = await calls().send('set=ruled', { ...line, properties: { plan: 'hidden 2' } });
    expect(planOf(plan)).toMatchObject({
      changes: [
        { differences: [{ pointer: '/properties/plan', was: '[secret]', is: '[secret]' }] },
      ],
    });
    expect(plan.text).not.toContain('hidden');
    const { id } = planOf(plan);
    await service.api.call('PATCH', settings, { variables: [] });
    expect(codesOf(await calls().apply(id))).toEqual(['plan_stale']);
  });

  test('long values are cut, and of many differences fifty are shown', async () => {
    const line = { provided_id: 'long', name: 'Long' };
    await calls().carryOut('set=long', line);
    const names = Array.from({ length: 60 }, (_, n) => [`n${n}`, '😀'.repeat(n === 0 ? 150 : 1)]);
    const plan = await calls().plan('set=long', { ...line, properties: Object.fromEntries(names) });
    const [change] = plan.changes;
    expect(change!.differences).toHaveLength(50);
    expect(change!.more_differences).toBe(10);
    const shown = change!.differences![0]!.is as string;
    expect(shown.isWellFormed()).toBe(true);
    expect(shown.length).toBeLessThanOrEqual(201);
  });

  test('a plan needs both scopes, and no restricted API token gets one', async () => {
    const writer = new PlanCalls(service.clientOf(await service.issueToken(['user-groups:write'])));
    const reader = new PlanCalls(service.clientOf(await service.issueToken(['user-groups:read'])));
    const line = { provided_id: 'scoped', name: 'S' };
    expect(codesOf(await writer.send('set=s', line), await reader.send('set=s', line))).toEqual([
      'insufficient_scope',
      'insufficient_scope',
    ]);
    const { id } = await calls().plan('set=s', line);
    const foreign = new PlanCalls(
      service.clientOf(await service.issueToken(['user-groups:write'], 'foreign')),
    );
    expect(codesOf(await reader.apply(id), await foreign.apply(id))).toEqual([
      'insufficient_scope',
      'plan_not_found',
    ]);
    expect(codesOf(await writer.apply(id))).toEqual([200]);
  });
});
