import type { ApiClient } from '../support/api/api-client.ts';
import { recordRoundTrips } from '../support/database/database-traffic.ts';
import { changeDatabase, onEachDatabase } from '../support/database/databases.ts';
import { importGroups, linesOf } from '../support/api/lines.ts';
import { TestWorkspace } from '../support/registry.ts';
import { withService } from '../support/test-service.ts';
import { until, untilAfter } from '../support/time/until.ts';

const PATH = '/api/v1/user-groups';
const DETAIL =
  'Its token was ended together with all others of the workspace. Rotate it, and the group has a fresh one (the next GET or PUT /api/user does so, too).';

interface Shown {
  provided_id: string;
  status: string;
  reasons: { code: string; detail: string }[];
}

/** Without `before` all tokens end, and otherwise those of an earlier time. */
async function end(api: ApiClient, body: object = {}) {
  await untilAfter();
  const sent = { kinds: ['user_group_token'], reason: 'drill', ...body };
  expect((await api.call('POST', '/api/v1/workspace/end-tokens', sent)).status).toBe(200);
}

onEachDatabase((kind) => {
  const roundTrips = recordRoundTrips();
  const service = withService(kind);
  let count = 0;

  const start = async (...ids: string[]) => {
    const workspace = await TestWorkspace.create(service, `ended ${++count}`);
    const { api } = workspace;
    for (const id of ids) await workspace.put(id, { properties: { plan: 'pro' } });
    // Nothing that follows may depend on the scope of administrators.
    const reader = service.clientOf(await service.issueToken(['user-groups:read'], workspace.name));
    const show = async (id: string) =>
      (await reader.call('GET', `${PATH}/${id}`)).body.user_group as unknown as Shown;
    const list = async (query: string) => {
      const { body } = await reader.call('GET', `${PATH}?${query}`);
      return (body.user_groups as unknown as Shown[]).map(({ provided_id: id, status }) => [
        id,
        status,
      ]);
    };
    const seen = async (id: string) => {
      const { view } = (await reader.call('GET', `${PATH}/${id}/view`)).body as unknown as {
        view: Shown;
      };
      return [(await show(id)).status, view.status];
    };
    return { workspace, api, reader, show, list, seen };
  };

  test('a group whose token was ended says so everywhere, to a caller without the scope admin', async () => {
    const { api, show, list, seen } = await start('a', 'b');
    const other = await start('theirs');
    const { headers } = await api.call('GET', `${PATH}/a`);
    await end(api);
    expect(await show('a')).toMatchObject({
      status: 'no_valid_token',
      reasons: [{ code: 'tokens_ended', detail: DETAIL }],
    });
    expect(await seen('a')).toEqual(['no_valid_token', 'no_valid_token']);
    expect(await list('')).toEqual([
      ['a', 'no_valid_token'],
      ['b', 'no_valid_token'],
    ]);
    expect(await other.list('')).toEqual([['theirs', 'active']]);
    const version = await api.call('GET', `${PATH}/a/versions/1`);
    expect(version.body).toMatchObject({ version: { status: 'no_valid_token' } });
    const again = await api.call('GET', `${PATH}/a`, undefined, {
      'If-None-Match': String(headers['etag']),
    });
    expect(again.status).toBe(200);
    // A write that issues no token leaves the status, and says it.
    const patched = await api.call(
      'PATCH',
      `${PATH}/a`,
      { name: 'other' },
      { 'If-Match': String(headers['etag']) },
    );
    expect([patched.status, patched.body.user_group.status]).toEqual([200, 'no_valid_token']);
    const replaced = await api.call('PUT', `${PATH}/a`, { name: 'another' });
    expect(replaced.body.user_group.status).toBe('no_valid_token');
  });

  test('another token heals the group: by GET, PUT, a rotation, or an import with a token', async () => {
    const ids = ['get', 'put', 'changed', 'rotated', 'by action', 'imported'];
    const { api, list, seen } = await start(...ids, 'left');
    await end(api);
    await api.get({ user_group_id: 'get' });
    await api.put({ user_group_id: 'put' });
    await api.put({ user_group_id: 'changed', name: 'other' });
    await api.call('POST', `${PATH}/rotated/tokens/rotate`);
    await api.call('POST', `${PATH}/actions`, { action: 'rotate', ids: ['by action'] });
    await importGroups(api, {
      user_group_id: 'imported',
      name: 'I',
      token: 'token-of-another-system-2',
    });
    for (const id of ids) {
      expect([id, ...(await seen(encodeURIComponent(id)))]).toEqual([id, 'active', 'active']);
    }
    expect(await list('status=no_valid_token')).toEqual([['left', 'no_valid_token']]);
  });

  test('tokens that were ended by their time are among them, later ones are not', async () => {
    const { workspace, api, list } = await start('early');
    await untilAfter();
    const before = new Date().toISOString();
    await workspace.put('late');
    await end(api, { before });
    expect(await list('')).toEqual([
      ['early', 'no_valid_token'],
      ['late', 'active'],
    ]);
    expect(await list('status=active')).toEqual([['late', 'active']]);
  });

  test('it comes after incomplete and before unresolved, and no filter has a group twice', async () => {
    const ids = ['suspended', 'expired', 'incomplete', 'unresolved', 'healthy', 'healed'];
    const { workspace, api, show, list } = await start(...ids);
    await workspace.schema('sales');
    await workspace.dataSource('lake');
    for (const id of ['unresolved', 'healed']) {
      await api.call('PATCH', `${PATH}/${id}`, { mapping: { sales: 'lake' } });
    }
    await api.call('POST', `${PATH}/suspended/suspend`);
    await api.call('PATCH', `${PATH}/expired`, { valid_until: '2020-01-01T00:00:00Z' });
    await api.call('PATCH', `${PATH}/incomplete`, { properties: null });
    await workspace.set({ mapping_policy: 'registered' });
    await changeDatabase(
      service.database,
      `UPDATE data_source_mapping SET registered_data_source_id = NULL WHERE user_group_id IN (
         SELECT g.id FROM user_group g JOIN workspace w ON w.id = g.workspace_id WHERE w.name = '${workspace.name}')`,
    );
    await workspace.set({ variables: [{ name: 'plan', type: 'string', required: true }] });
    await until(
      async () =>
        (await list('status=incomplete')).length === 1 &&
        (await list('status=unresolved')).length === 2,
    );
    await end(api);
    await api.call('POST', `${PATH}/healed/tokens/rotate`);
    const codes = async (id: string) => (await show(id)).reasons.map(({ code }) => code);
    expect([await codes('incomplete'), await codes('unresolved')]).toEqual([
      ['required', 'tokens_ended'],
      ['tokens_ended', 'unknown_data_source'],
    ]);
    const expected = [
      ['suspended', 'suspended'],
      ['expired', 'expired'],
      ['incomplete', 'incomplete'],
      ['unresolved', 'no_valid_token'],
      ['healthy', 'no_valid_token'],
      ['healed', 'unresolved'],
    ];
    const found: string[][] = [];
    for (let cursor = ''; ;) {
      const { body } = await api.call('GET', `${PATH}?sort=status&limit=1${cursor}`);
      found.push(
        ...(body.user_groups as unknown as Shown[]).map(({ provided_id: id, status }) => [
          id,
          status,
        ]),
      );
      // eslint-disable-next-line @typescript-eslint/no-unnecessary-condition -- absent on the last page
      if (body.next_cursor === undefined) break;
      cursor = `&cursor=${body.next_cursor}`;
    }
    expect(found).toEqual(expected);
    for (const status of [
      'suspended',
      'expired',
      'incomplete',
      'no_valid_token',
      'unresolved',
      'active',
    ]) {
      const own = expected.filter(([, one]) => one === status);
      expect(await list(`status=${status}`)).toEqual(own);
      const { body } = await api.call(
        'GET',
        `${PATH}?status=${status}&count=true&sort=-created_at`,
      );
      expect([status, body]).toMatchObject([status, { total: { count: own.length, exact: true } }]);
    }
  });

  test('the action on those without a valid token spares a group that has got another one', async () => {
    const { api, list } = await start('healed', 'left');
    await end(api);
    const healed = (await api.get({ user_group_id: 'healed' })).body.user_group.token;
    const lines = linesOf(
      await api.call('POST', `${PATH}/actions?status=no_valid_token`, { action: 'rotate' }),
    );
    expect(lines.slice(1)).toMatchObject([
      { provided_id: 'left', result: 'changed' },
      { summary: { changed: 1, unchanged: 0, failed: 0, complete: true } },
    ]);
    expect(await api.isActive(healed)).toBe(true);
    expect(await list('status=no_valid_token')).toEqual([]);
  });

  test('a workspace that has ended no token reads none for its lists, and one statement for the filter', async () => {
    const { reader } = await start('a', 'b');
    roundTrips.length = 0;
    expect(
      (await reader.call('GET', `${PATH}?status=no_valid_token&count=true`)).body,
    ).toMatchObject({
      user_groups: [],
      total: { count: 0, exact: true },
    });
    expect(roundTrips.flat().filter((sql) => sql.includes('AS "isMatch"'))).toEqual([]);
  });

  test('the few among more groups than a page are found by one call', async () => {
    const { api, list } = await start();
    const lines = Array.from({ length: 2100 }, (_, at) => ({
      user_group_id: `${at}`,
      name: 'Many',
    }));
    await importGroups(api, ...lines);
    await end(api);
    const { body } = await api.call('GET', `${PATH}?status=no_valid_token&count=true&limit=1`);
    expect(body).toMatchObject({ total: { count: 2100, exact: true } });
    await changeDatabase(
      service.database,
      `UPDATE user_group_token SET epoch = 1, created_at = ${Date.now() + 1000}
       WHERE user_group_id NOT IN (SELECT id FROM user_group WHERE provided_id IN ('7', '2099'))
         AND workspace_id = (SELECT id FROM workspace WHERE name = 'ended ${count}')`,
    );
    expect(await list('status=no_valid_token&sort=name')).toEqual([
      ['7', 'no_valid_token'],
      ['2099', 'no_valid_token'],
    ]);
    expect((await list('sort=status&limit=3')).map(([, status]) => status)).toEqual([
      'no_valid_token',
      'no_valid_token',
    ]);
  });
});
