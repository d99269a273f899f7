import { randomBytes } from 'node:crypto';
import type { AuditEventView } from '../../src/core/audit/dto/audit-event-response.dto.ts';
import { operator, scopes } from '../../src/platform/common/access/caller.ts';
import { WorkspaceSettingsService } from '../../src/features/registry/settings/workspace-settings.service.ts';
import type { Answer, ApiClient } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { noteForeignToken } from '../support/jest/leaks.ts';
import { importGroups } from '../support/api/lines.ts';
import { withService } from '../support/test-service.ts';

onEachDatabase((kind) => {
  const service = withService(kind);
  let api: ApiClient;
  let workspaceId: number;
  let count = 0;

  beforeEach(async () => {
    const name = `workspace ${++count}`;
    api = service.clientOf(await service.issueToken([...scopes], name));
    const [row] = await service.query<{ id: number }>(
      `SELECT id FROM workspace WHERE name = '${name}'`,
    );
    workspaceId = row!.id;
  });

  const setQuota = (quota: number | null) =>
    service.app.get(WorkspaceSettingsService).setUserGroupQuota(operator(workspaceId), quota);
  const countGroups = async () =>
    (await service.query(`SELECT 1 FROM user_group WHERE workspace_id = ${workspaceId}`)).length;
  const put = (user_group_id: string) => api.put({ user_group_id, name: 'Q' });
  const path = (id: string) => `/api/v1/user-groups/${id}`;

  function expectRefused({ status, body }: Pick<Answer, 'status' | 'body'>): void {
    expect([status, body.success, body.code]).toEqual([409, 0, 'user_group_quota_reached']);
  }

  test('the first lines of an import get the last places', async () => {
    await setQuota(250);
    const lines = Array.from({ length: 1000 }, (_, at) => ({ user_group_id: `l${at}`, name: 'L' }));
    const answers = (await importGroups(api, ...lines)).slice(0, lines.length);
    const created = answers.flatMap(({ success }, at) => (success === 1 ? [at] : []));
    expect(created).toEqual(Array.from({ length: 250 }, (_, at) => at));
    expect(await countGroups()).toBe(250);
  });

  test('beyond the quota no group is created by any way, and those there are can be written', async () => {
    await put('a');
    await setQuota(2);
    expect((await put('b')).status).toBe(200);
    expectRefused(await put('c'));
    expectRefused(await api.get({ user_group_id: 'c', name: 'C' }));
    expectRefused(await api.call('PUT', path('c'), { name: 'C' }));
    const [refused, updated] = await importGroups(
      api,
      { user_group_id: 'c', name: 'C' },
      { user_group_id: 'a', name: 'changed' },
    );
    expect(refused).toMatchObject({ status: 409, code: 'user_group_quota_reached' });
    expect(updated).toMatchObject({ result: 'updated' });
    expect((await api.call('PUT', path('b'), { name: 'changed' })).status).toBe(200);
    expect((await api.get({ user_group_id: 'a' })).body.user_group.name).toBe('changed');
    expect(await countGroups()).toBe(2);
    expect((await service.api.put({ user_group_id: `c ${count}`, name: 'C' })).status).toBe(200);
  });

  test('of concurrent writes of one new group none is refused for the room that it takes', async () => {
    for (let round = 1; round <= 5; round++) {
      await setQuota(round);
      const answers = await Promise.all(Array.from({ length: 8 }, () => put(`same ${round}`)));
      expect(answers.map(({ status }) => status)).toEqual(Array(8).fill(200));
      const others = await Promise.all(Array.from({ length: 8 }, (_, n) => put(`beyond ${n}`)));
      for (const refused of others) expectRefused(refused);
    }
  });

  test('the token of a line that is refused can be had by the next', async () => {
    const token = randomBytes(20).toString('hex');
    noteForeignToken(token);
    await put('a');
    await setQuota(1);
    const [refused, updated] = await importGroups(
      api,
      { user_group_id: 'new', name: 'New', token },
      { user_group_id: 'a', name: 'Q', token },
    );
    expect(refused).toMatchObject({ status: 409, code: 'user_group_quota_reached' });
    expect(updated).toMatchObject({ result: 'updated' });
    expect((await api.get({ user_group_id: 'a' })).body.user_group.token).toBe(token);
  });

  test('a group that is deleted makes room for one, and one that was refused takes none', async () => {
    await setQuota(1);
    await put('a');
    expect((await api.call('DELETE', path('a'))).status).toBe(200);
    await api.call('PATCH', '/api/v1/workspace', {
      variables: [{ name: 'region', type: 'string', required: true }],
    });
    expect((await put('b')).status).toBe(422);
    const group = { user_group_id: 'b', name: 'B', properties: { region: 'EU' } };
    expect((await api.put(group)).status).toBe(200);
    expectRefused(await api.put({ ...group, user_group_id: 'c' }));
  });

  test('groups that arrive together do not exceed it, and are counted once', async () => {
    await setQuota(10);
    const answers = await Promise.all([
      ...Array.from({ length: 30 }, (_, n) => put(`together ${n % 15}`)),
      importGroups(
        api,
        ...Array.from({ length: 15 }, (_, n) => ({ user_group_id: `together ${n}`, name: 'Q' })),
      ),
      importGroups(
        api,
        ...Array.from({ length: 15 }, (_, n) => ({ user_group_id: `others ${n}`, name: 'Q' })),
      ),
    ]);
    const statuses = answers.flatMap((answer) => ('status' in answer ? [answer.status] : []));
    expect(statuses.filter((status) => status !== 200 && status !== 409)).toEqual([]);
    expect(await countGroups()).toBe(10);
    const { user_groups: groups } = (await api.call('GET', '/api/v1/user-groups')).body;
    await Promise.all(
      groups.slice(0, 6).map(({ provided_id }) => api.call('DELETE', path(provided_id))),
    );
    const again = await Promise.all(Array.from({ length: 20 }, (_, n) => put(`again ${n}`)));
    expect(again.filter(({ status }) => status === 200)).toHaveLength(6);
    expect(await countGroups()).toBe(10);
  });

  test('a quota below what is there refuses new groups, and none allows any number', async () => {
    await Promise.all(['a', 'b', 'c'].map(put));
    await setQuota(1);
    await api.call('DELETE', path('a'));
    expectRefused(await put('d'));
    await setQuota(null);
    expect((await put('d')).status).toBe(200);
    await setQuota(3);
    expectRefused(await put('e'));
  });

  test('the workspace sees its quota, and cannot set it', async () => {
    const seen = async () => (await api.call('GET', '/api/v1/workspace')).body as unknown;
    expect(await seen()).toMatchObject({ workspace: { user_group_quota: null } });
    await setQuota(5);
    expect(await seen()).toMatchObject({ workspace: { user_group_quota: 5 } });
    const patch = await api.call('PATCH', '/api/v1/workspace', { user_group_quota: 9 });
    expect([patch.status, patch.body.errors[0]]).toMatchObject([
      422,
      { pointer: '/user_group_quota', code: 'unknown' },
    ]);
    const settings = { mapping_policy: 'registered' };
    expect((await api.call('PATCH', '/api/v1/workspace', settings)).body).toMatchObject({
      workspace: { mapping_policy: 'registered', user_group_quota: 5 },
    });
    expect(await seen()).toMatchObject({ workspace: { user_group_quota: 5 } });
    const audit = await api.call('GET', '/api/v1/audit-events?types=workspace.update');
    expect(audit.body.audit_events).toContainEqual(
      expect.objectContaining({
        actor: { type: 'operator' },
        before: { user_group_quota: null },
        after: { user_group_quota: 5 },
      }) as AuditEventView,
    );
  });

  test('without a quota nothing is counted', async () => {
    await put('a');
    await api.call('DELETE', path('a'));
    const [row] = await service.query<{ user_group_count: number | null }>(
      `SELECT user_group_count FROM workspace WHERE id = ${workspaceId}`,
    );
    expect(row!.user_group_count).toBeNull();
  });
});
