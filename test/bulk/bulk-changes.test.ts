import { scopes } from '../../src/platform/common/access/scopes.ts';
import { UserGroupList } from '../../src/core/user-group/resource/user-group-list.ts';
import type { Answer } from '../support/api/api-client.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { linesOf } from '../support/api/lines.ts';
import { until } from '../support/time/until.ts';
import { withService } from '../support/test-service.ts';

const ACTIONS = '/api/v1/user-groups/actions';

onEachDatabase((kind) => {
  const service = withService(kind);

  const change = (body: object, query = ''): Promise<Answer> =>
    service.api.call('POST', ACTIONS + query, body);
  const tokenOf = async (user_group_id: string) =>
    (await service.api.get({ user_group_id })).body.user_group.token;
  const statusOf = async (id: string) =>
    (
      (await service.api.call('GET', `/api/v1/user-groups/${encodeURIComponent(id)}`)).body
        .user_group as {
        status?: string;
      }
    ).status;
  const create = async (prefix: string, count: number, properties = {}) => {
    const ids = Array.from({ length: count }, (_, n) => `${prefix} ${n}`);
    for (const user_group_id of ids) {
      await service.api.put({ user_group_id, name: user_group_id, properties });
    }
    return ids;
  };

  test('the groups of ids are suspended and resumed in their order; one that is unknown affects no other', async () => {
    const [one, two] = await create('by id', 2);
    const ids = [two!, 'nobody', one!];
    const lines = linesOf(await change({ action: 'suspend', ids }));
    const { detail } = lines[2]!;
    expect(lines).toEqual([
      { started: { action: 'suspend', started_at: expect.any(String) } },
      { success: 1, provided_id: two, result: 'changed' },
      { success: 0, provided_id: 'nobody', status: 404, code: 'user_group_not_found', detail },
      { success: 1, provided_id: one, result: 'changed' },
      { summary: { changed: 2, unchanged: 0, failed: 1, complete: true } },
    ]);
    expect(await statusOf(one!)).toBe('suspended');
    const again = linesOf(await change({ action: 'suspend', ids: [one] }));
    expect(again[1]).toEqual({ success: 1, provided_id: one, result: 'unchanged' });
    await change({ action: 'resume', ids: [one] });
    expect(await statusOf(one!)).toBe('active');
  });

  test('of more groups than a page, those that pass the filters are rotated, each once', async () => {
    const ids = await create('leaked', 230, { region: 'leaked' });
    const [other] = await create('safe', 1);
    const before = new Map(
      await Promise.all(ids.map(async (id) => [id, await tokenOf(id)] as const)),
    );
    const otherToken = await tokenOf(other!);
    const query = '?property_name=region&property_value=leaked';
    const lines = linesOf(await change({ action: 'rotate', grace_period_seconds: 60 }, query));
    expect(lines.at(-1)!.summary).toEqual({
      changed: 230,
      unchanged: 0,
      failed: 0,
      complete: true,
    });
    const issued = lines.slice(1, -1);
    expect(issued.map(({ provided_id }) => provided_id)).toEqual(ids);
    for (const { provided_id, token } of issued.slice(0, 3)) {
      expect(token).not.toBe(before.get(provided_id));
      expect(await tokenOf(provided_id)).toBe(token);
      expect(await service.api.introspect(before.get(provided_id)!)).toMatchObject({
        active: true,
      });
    }
    expect(await tokenOf(other!)).toBe(otherToken);
    // Goes on after a response that was cut off.
    const { started_at } = lines[0]!.started;
    const rest = linesOf(await change({ action: 'rotate', issued_before: started_at }, query));
    expect(rest.at(-1)!.summary).toEqual({ changed: 0, unchanged: 230, failed: 0, complete: true });
    expect(await tokenOf(ids[0]!)).toBe(issued[0]!.token);
  });

  test('the groups of the start are changed, whatever the clocks that created them said, and none that comes later', async () => {
    await create('at the start', 3);
    const nextYear = `${new Date().getFullYear() + 1}-01-01T00:00:00Z`;
    const setTime = `UPDATE user_group SET created_at = ${Date.parse(nextYear)} WHERE provided_id = 'at the start 0'`;
    await changeDatabase(service.database, setTime);
    const list = service.app.get(UserGroupList);
    const readPage = list.page.bind(list);
    jest.spyOn(list, 'page').mockImplementationOnce(async (...of) => {
      await create('at the start, but later', 1);
      return readPage(...of);
    });
    const lines = linesOf(await change({ action: 'suspend' }, '?name_prefix=at+the+start'));
    expect(lines.slice(1, -1).map(({ provided_id }) => provided_id)).toEqual(
      [0, 1, 2].map((n) => `at the start ${n}`),
    );
    expect(lines.at(-1)!.summary).toEqual({ changed: 3, unchanged: 0, failed: 0, complete: true });
  });

  test('a rotation without a grace period ends the old tokens, and two at once leave a token that works', async () => {
    const ids = await create('contested', 20);
    const old = await tokenOf(ids[0]!);
    const both = await Promise.all([
      change({ action: 'rotate', ids }),
      change({ action: 'rotate', ids }),
    ]);
    for (const answer of both) {
      expect(linesOf(answer).at(-1)!.summary).toMatchObject({ failed: 0, complete: true });
    }
    expect(await service.api.introspect(old)).toEqual({ active: false });
    for (const id of ids) {
      expect(await service.api.introspect(await tokenOf(id))).toMatchObject({ active: true });
    }
  });

  test('all groups of the workspace, and none of another, are deleted, with an audit event for each', async () => {
    const other = service.clientOf(await service.issueToken([...scopes], 'bulk'));
    await other.put({ user_group_id: 'theirs', name: 'Theirs' });
    await create('gone', 3);
    const lines = linesOf(await change({ action: 'delete', all: true }));
    const { changed, failed } = lines.at(-1)!.summary;
    expect([changed, failed]).toEqual([lines.length - 2, 0]);
    expect((await service.api.call('GET', '/api/v1/user-groups')).body.user_groups).toEqual([]);
    expect((await other.get({ user_group_id: 'theirs' })).status).toBe(200);
    const { audit_events } = (
      await service.api.call('GET', '/api/v1/audit-events?types=user_group.delete&limit=200')
    ).body;
    expect(audit_events[0]).toMatchObject({ details: { bulk: true } });
  });

  test('a group that passes the filters and is then changed is not deleted; one that is named is', async () => {
    const ids = await create('listed', 3, { region: 'listed' });
    const list = service.app.get(UserGroupList);
    const readPage = list.page.bind(list);
    jest.spyOn(list, 'page').mockImplementationOnce(async (...of) => {
      const page = await readPage(...of);
      await service.api.put({ user_group_id: ids[1], name: 'Changed meanwhile' });
      return page;
    });
    const lines = linesOf(
      await change({ action: 'delete' }, '?property_name=region&property_value=listed'),
    );
    expect(lines.slice(1)).toEqual([
      { success: 1, provided_id: ids[0], result: 'changed' },
      expect.objectContaining({
        success: 0,
        provided_id: ids[1],
        status: 412,
        code: 'precondition_failed',
      }),
      { success: 1, provided_id: ids[2], result: 'changed' },
      { summary: { changed: 2, unchanged: 0, failed: 1, complete: true } },
    ]);
    expect((await service.api.get({ user_group_id: ids[1]! })).body.user_group.name).toBe(
      'Changed meanwhile',
    );
    const named = linesOf(await change({ action: 'delete', ids: [ids[1]] }));
    expect(named.at(-1)!.summary).toMatchObject({ changed: 1, failed: 0 });
  });

  test.each([
    ['incomplete', 'delete', true],
    ['active', 'suspend', false],
  ])(
    'a group listed as %s is left as it is if the rules change before its %s',
    async (status, action, isRequired) => {
      const require = async (is: boolean) => {
        const variables = is ? [{ name: 'needed', type: 'string', required: true }] : [];
        expect((await service.api.call('PATCH', '/api/v1/workspace', { variables })).status).toBe(
          200,
        );
      };
      const [id] = await create(`judged ${status}`, 1);
      const query = `?status=${status}&search=judged`;
      const isListed = async (by: string) =>
        (await service.api.call('GET', `/api/v1/user-groups${by}`)).text.includes(id!);
      await require(isRequired);
      await until(() => isListed(query));
      const list = service.app.get(UserGroupList);
      const readPage = list.page.bind(list);
      jest.spyOn(list, 'page').mockImplementationOnce(async (...of) => {
        const page = await readPage(...of);
        await require(!isRequired);
        return page;
      });
      const [, line] = linesOf(await change({ action }, query));
      await require(false);
      expect(line).toMatchObject({
        success: 0,
        provided_id: id,
        status: 412,
        code: 'precondition_failed',
      });
      expect(await statusOf(id!)).toBe('active');
      const active = '?status=active&search=judged';
      await until(() => isListed(active));
      expect(linesOf(await change({ action }, active))[1]).toMatchObject({ result: 'changed' });
      await change({ action: 'delete' }, '?search=judged');
    },
  );

  test.each([
    [{ action: 'suspend' }, '', '/ids', 'required'],
    [{ action: 'suspend' }, '?search=&name_prefix=', '/ids', 'required'],
    [{ action: 'suspend', all: false }, '', '/ids', 'required'],
    [{ action: 'suspend', ids: ['a'], all: true }, '', '/ids', 'not_acceptable'],
    [{ action: 'suspend', ids: ['a'] }, '?status=active', '/ids', 'not_acceptable'],
    [{ action: 'suspend', ids: [] }, '', '/ids', 'empty'],
    [{ action: 'suspend', ids: ['a', 'a'] }, '', '/ids/1', 'repeated'],
    [{ action: 'suspend', ids: ['a', 7] }, '', '/ids/1', 'type'],
    [{ action: 'rename', all: true }, '', '/action', 'not_acceptable'],
    [{ all: true }, '', '/action', 'required'],
    [
      { action: 'suspend', all: true, grace_period_seconds: 5 },
      '',
      '/grace_period_seconds',
      'not_acceptable',
    ],
    [
      { action: 'delete', all: true, issued_before: '2030-01-01T00:00:00Z' },
      '',
      '/issued_before',
      'not_acceptable',
    ],
    [
      { action: 'rotate', all: true, issued_before: 'noon' },
      '',
      '/issued_before',
      'not_acceptable',
    ],
    [{ action: 'suspend', all: true, everything: true }, '', '/everything', 'unknown'],
    [{ action: 'suspend', all: true }, '?statu=active', undefined, 'unknown'],
    [{ action: 'suspend' }, '?property_value=x', undefined, 'required'],
  ])('refuses %j %s', async (body, query, pointer, code) => {
    const { status, body: problem } = await change(body, query);
    expect([status, problem.errors[0]]).toMatchObject([422, { ...(pointer && { pointer }), code }]);
  });

  test('needs user-groups:write, tokens:rotate to rotate, and user-groups:read without ids', async () => {
    const reader = await service.issueToken(['user-groups:read']);
    const writer = await service.issueToken(['user-groups:write']);
    const call = (token: string, action: string) =>
      service.clientOf(token).call('POST', ACTIONS, { action, ids: ['a'] });
    expect((await call(reader, 'suspend')).body).toMatchObject({ code: 'insufficient_scope' });
    expect((await call(writer, 'rotate')).body).toMatchObject({ code: 'insufficient_scope' });
    expect((await call(writer, 'suspend')).status).toBe(200);
    const [id] = await create('secret', 1, { key: 'k9' });
    const both = await service.issueToken(['user-groups:write', 'user-groups:read']);
    for (const [body, query] of [
      [{ action: 'resume', all: true }, ''],
      [{ action: 'resume' }, '?property_name=key&property_value=k9'],
    ] as const) {
      const found = (token: string) => service.clientOf(token).call('POST', ACTIONS + query, body);
      expect((await found(writer)).body).toMatchObject({ code: 'insufficient_scope' });
      expect((await found(both)).text).toContain(id);
    }
  });
});
