import { AuditRetention } from '../../../src/core/audit/audit-retention.ts';
import { UserGroupHistoryRetention } from '../../../src/core/user-group/history/history-retention.ts';
import type { Answer } from '../../support/api/api-client.ts';
import { onEachDatabase } from '../../support/database/databases.ts';
import { importGroups } from '../../support/api/lines.ts';
import { TestWorkspace } from '../../support/registry.ts';
import { withService } from '../../support/test-service.ts';
import { passTime } from '../../support/time/fake-time.ts';
import { untilAfter } from '../../support/time/until.ts';

const DAY_MS = 86_400_000;

onEachDatabase((kind) => {
  const service = withService(kind);
  const full = {
    mapping: { sales: 'warehouse', billing: 42 },
    properties: { region: 'EMEA', nested: { a: 1, b: [1] } },
  };

  const create = async (fields: object = full) => {
    const group = await service.api.create(fields);
    return { ...group, versions: `${group.path}/versions` };
  };
  const call = async (
    method: string,
    path: string,
    body?: object,
    headers?: Record<string, string>,
  ) => {
    const answer = await service.api.call(method, path, body, headers);
    if (answer.status >= 300) throw new Error(answer.text);
    return answer;
  };
  const patch = (path: string, body: object) => call('PATCH', path, body);
  const list = async (path: string, query = '') =>
    (await call('GET', `${path}${query}`)).body.versions;
  const get = async (path: string) => (await call('GET', path)).body;
  const brief = async (path: string) =>
    (await list(path)).map(({ version, change, changed, ended_by }) => [
      version,
      change,
      changed,
      ended_by,
    ]);
  const failure = ({ status, body }: Answer) => [status, body.code];
  const countRows = async () =>
    (await service.query<{ n: number }>('SELECT count(*) AS n FROM user_group_version'))[0]!;

  test('a creation, a look-up, a rotation and a refused write leave no version', async () => {
    const before = await countRows();
    const { token, id, path } = await create();
    await service.api.get({ user_group_id: id, name: id });
    await service.api.rotate(token);
    const refused = await service.api.call('PATCH', path, { name: '' });
    const late = await service.api.call('PATCH', path, { name: 'x' }, { 'If-Match': '"0.9"' });
    expect([refused.status, late.status]).toEqual([422, 412]);
    expect(await countRows()).toEqual(before);
    expect(await brief(`${path}/versions`)).toEqual([[1, 'create', [], null]]);
  });

  test('a version names who has made it to callers that may read the audit log, and the one that it restores', async () => {
    const { path, versions, id } = await create();
    const issued = await call('POST', '/api/v1/api-tokens', {
      name: 'backend of versions',
      scopes: ['user-groups:write', 'user-groups:read'],
    });
    const { id: number, token } = issued.body.api_token;
    const backend = service.clientOf(token);
    await backend.call('PATCH', path, { name: 'Second' });
    await call('POST', `${path}/suspend`);
    await call('POST', `${versions}/1/restore`);
    await importGroups(service.api, { provided_id: id, name: 'Imported', suspended: false });
    const own = { type: 'api_token', api_token_id: 1, name: 'bootstrap' };
    const other = { type: 'api_token', api_token_id: number, name: 'backend of versions' };
    const authors = async () => (await list(versions)).map(({ author }) => author);
    expect(await authors()).toEqual([own, own, own, other, own]);
    const restored = (await list(versions)).map(({ restored_version: from }) => from);
    expect(restored).toEqual([undefined, 1, undefined, undefined, undefined]);
    expect((await get(`${versions}/2`)).version.author).toEqual(other);

    await call('PATCH', `/api/v1/api-tokens/${number}`, { name: 'renamed' });
    expect((await authors())[3]).toEqual({ ...other, name: 'renamed' });

    const { body } = await backend.call('GET', versions);
    expect(body.versions.map(({ restored_version: from }) => from)).toEqual(restored);
    for (const version of body.versions) expect(version).not.toHaveProperty('author');
  });

  test('each of many versions has its own author, also of the groups that had the id before', async () => {
    const { path, versions, id } = await create();
    for (let version = 2; version <= 12; version++) await patch(path, { name: `v${version}` });
    await call('DELETE', path);
    await service.api.put({ user_group_id: id, name: 'Again' });
    const authors = async () =>
      (await list(versions)).map(({ version, author }) => [version, author?.type ?? author]);
    const all = [1, ...Array.from({ length: 12 }, (_, index) => 12 - index)];
    expect(await authors()).toEqual(all.map((version) => [version, 'api_token']));
  });

  test('each kind of write leaves the state that it replaced, exactly', async () => {
    const { path, versions, id, teamId } = await create();
    const states = [(await get(path)).user_group];
    const write = async (work: () => Promise<unknown>) => {
      await work();
      states.unshift((await get(path)).user_group);
    };
    await write(() => patch(path, { name: 'Second', properties: { region: null, seats: 4 } }));
    await write(() => service.api.put({ user_group_id: id, mapping: { sales: 7 } }));
    await write(() => call('POST', `${path}/suspend`));
    await write(() =>
      importGroups(service.api, { provided_id: id, name: 'Imported', suspended: false }),
    );
    await write(() => call('POST', `${path}/suspend`));
    await write(() => call('POST', `${path}/resume`));
    await write(() => call('PUT', path, { name: 'Replaced' }));

    expect(await brief(versions)).toEqual([
      [8, 'update', ['name', 'mapping', 'properties'], null],
      [7, 'resume', ['suspended'], 'change'],
      [6, 'suspend', ['suspended'], 'change'],
      [5, 'update', ['name', 'suspended'], 'change'],
      [4, 'suspend', ['suspended'], 'change'],
      [3, 'update', ['mapping'], 'change'],
      [2, 'update', ['name', 'properties'], 'change'],
      [1, 'create', [], 'change'],
    ]);
    const all = await list(versions);
    for (const [index, { version, recorded_at, replaced_at }] of all.entries()) {
      const state = states[index]!;
      const { name, mapping, properties, status, reasons, suspended_at } = state;
      expect((await get(`${versions}/${version}`)).version).toEqual({
        ...all[index],
        team_id: teamId,
        name,
        mapping,
        properties,
        status,
        reasons,
        valid_until: null,
        suspended_at,
      });
      expect(recorded_at).toBe(state.updated_at);
      expect(replaced_at).toBe(states[index - 1]?.updated_at ?? null);
    }
  });

  test('a version has the status of the group at its end, by the requirements of that time', async () => {
    const own = await TestWorkspace.create(service, 'judged');
    const { api } = own;
    const { path } = await api.create({ properties: { plan: 'pro' } });
    const step = async (work: () => Promise<Answer>) => {
      expect((await work()).status).toBe(200);
      // Events within a millisecond have no order.
      await untilAfter();
    };
    const status = async (version: number) => {
      const { version: read } = (await api.call('GET', `${path}/versions/${version}`)).body;
      return [read.status, ...read.reasons.map(({ code, pointer }) => `${pointer} ${code}`)];
    };
    await step(() => api.call('PATCH', path, { properties: { plan: null } }));
    expect(await status(2)).toEqual(['active']);
    await step(() => own.set({ variables: [{ name: 'plan', type: 'string', required: true }] }));
    expect(await status(2)).toEqual(['incomplete', '/properties/plan required']);
    await step(() => api.call('PATCH', path, { properties: { plan: 'pro' } }));
    await step(() => own.set({ variables: [] }));
    await step(() => api.call('PATCH', path, { valid_until: '2020-01-01T00:00:00Z' }));
    await step(() => api.call('POST', `${path}/suspend`));
    expect([
      await status(1),
      await status(2),
      await status(3),
      await status(4),
      await status(5),
    ]).toEqual([
      ['active'],
      ['incomplete', '/properties/plan required'],
      ['active'],
      ['expired', '/valid_until expired'],
      ['suspended', 'undefined suspended', '/valid_until expired'],
    ]);
  });

  test('the difference of two versions names each place, also one that every object inherits', async () => {
    const { path, versions } = await create();
    const properties = { region: 'APAC', nested: { a: 1, b: null, 'c/d~': 2 }, constructor: 'x' };
    await patch(path, { name: 'Other', mapping: { billing: null, new: 1 }, properties });
    await call('POST', `${path}/suspend`);
    expect((await get(`${versions}/3?compare_with=1`)).differences).toEqual([
      { pointer: '/name', was: expect.any(String), is: 'Other' },
      { pointer: '/mapping/billing', was: 42 },
      { pointer: '/mapping/new', is: 1 },
      { pointer: '/properties/region', was: 'EMEA', is: 'APAC' },
      { pointer: '/properties/nested/b', was: [1] },
      { pointer: '/properties/nested/c~1d~0', is: 2 },
      { pointer: '/properties/constructor', is: 'x' },
      { pointer: '/suspended', was: false, is: true },
    ]);
    expect((await get(`${versions}/3?compare_with=3`)).differences).toEqual([]);
    expect(failure(await service.api.call('GET', `${versions}/3?compare_with=9`))).toEqual([
      404,
      'user_group_version_not_found',
    ]);
  });

  test('pages go through all versions once, newest first', async () => {
    const { path, versions } = await create();
    for (let n = 2; n <= 7; n++) await patch(path, { name: `Name ${n}` });
    const seen: unknown[] = [];
    for (let query = '?limit=3'; ;) {
      const { body } = await call('GET', `${versions}${query}`);
      seen.push(...body.versions.map(({ version, change }) => [version, change]));
      if (!body.has_more) break;
      query = `?limit=3&cursor=${body.next_cursor}`;
    }
    expect(seen).toEqual([...[7, 6, 5, 4, 3, 2].map((n) => [n, 'update']), [1, 'create']]);
  });

  test('many writers at once leave one version for each write, without gaps', async () => {
    const { path, versions } = await create({});
    const names = Array.from({ length: 40 }, (_, index) => `Writer ${index}`);
    await Promise.all(names.map((name) => patch(path, { properties: { [name]: true } })));
    const all = await list(versions);
    expect(all.map(({ version }) => version)).toEqual(
      Array.from({ length: 41 }, (_, index) => 41 - index),
    );
    const sizes: number[] = [];
    for (const { version } of all) {
      sizes.push(Object.keys((await get(`${versions}/${version}`)).version.properties).length);
    }
    expect(sizes).toEqual(all.map(({ version }) => version - 1));
    for (const [index, { recorded_at }] of all.slice(0, -1).entries()) {
      expect(all[index + 1]!.replaced_at).toBe(recorded_at);
    }
  });

  test('restoring writes the content of a version, and keeps the token and the suspension', async () => {
    const { path, versions, token, id } = await create();
    await patch(path, { name: 'Other', mapping: null, properties: null });
    await call('POST', `${path}/suspend`);
    const { headers, body: present } = await call('GET', path);
    const restored = await call('POST', `${versions}/1/restore`, undefined, {
      'If-Match': headers['etag'] as string,
    });
    expect(restored.body.user_group).toEqual({
      ...present.user_group,
      name: id,
      ...full,
      updated_at: restored.body.user_group.updated_at,
    });
    expect((await call('GET', path)).headers['etag']).toBe(restored.headers['etag']);
    expect((await get(`${path}/tokens/current`)).user_group.token).toBe(token);
    const late = { 'If-Match': headers['etag'] as string };
    expect(
      failure(await service.api.call('POST', `${versions}/1/restore`, undefined, late)),
    ).toEqual([412, 'precondition_failed']);
    const events = `/api/v1/audit-events?object_id=${encodeURIComponent(id)}&types=user_group.update`;
    const [event] = (await get(events)).audit_events;
    expect(event).toMatchObject({ details: { restored_version: 1 }, after: { name: id } });
    // A version with the current content adds no version.
    await call('POST', `${versions}/1/restore`);
    expect((await list(versions)).length).toBe(4);
  });

  test('a deleted group keeps its versions, and is created again with another token', async () => {
    const { path, versions, token, id, teamId } = await create();
    await patch(path, { name: 'Last' });
    await call('POST', `${path}/suspend`);
    await call('DELETE', path);
    expect(await brief(versions)).toEqual([
      [3, 'suspend', ['suspended'], 'deletion'],
      [2, 'update', ['name'], 'change'],
      [1, 'create', [], 'change'],
    ]);
    expect((await get(`${versions}/3`)).version).toMatchObject({ name: 'Last', ...full });
    const present = await service.api.call('POST', `${versions}/3/restore`, undefined, {
      'If-Match': '*',
    });
    expect(failure(present)).toEqual([412, 'precondition_failed']);

    const restored = await call('POST', `${versions}/3/restore`, undefined, {
      'If-None-Match': '*',
    });
    expect([restored.status, restored.headers['location']]).toEqual([201, path]);
    const { user_group: group } = restored.body;
    expect(group).toMatchObject({
      provided_id: id,
      name: 'Last',
      ...full,
      suspended_at: expect.any(String),
    });
    expect(group.team_id).not.toBe(teamId);
    expect(restored.text).not.toContain('ugt_');
    await call('POST', `${path}/resume`);
    const fresh = (await get(`${path}/tokens/current`)).user_group.token;
    expect(fresh).not.toBe(token);
    expect([await service.api.isActive(token), await service.api.isActive(fresh)]).toEqual([
      false,
      true,
    ]);

    expect((await list(versions)).map(({ team_id, version }) => [team_id, version])).toEqual([
      [group.team_id, 2],
      [group.team_id, 1],
      [teamId, 3],
      [teamId, 2],
      [teamId, 1],
    ]);
    expect((await list(versions, `?team_id=${teamId}`)).length).toBe(3);
    expect((await get(`${versions}/2?team_id=${teamId}`)).version.team_id).toBe(teamId);
    expect((await get(`${versions}/2`)).version.team_id).toBe(group.team_id);
    expect((await service.api.call('GET', `${versions}/3`)).status).toBe(404);
  });

  test('a deletion beside rotations keeps each token that was issued', async () => {
    for (let round = 0; round < 40; round++) {
      const { path, versions, teamId } = await create({});
      const rotate = () => service.api.call('POST', `${path}/tokens/rotate`, {});
      const [deleted, ...rotated] = await Promise.all([
        service.api.call('DELETE', path),
        rotate(),
        rotate(),
        rotate(),
      ]);
      expect(deleted.status).toBe(200);
      const issued = 1 + rotated.filter(({ status }) => status === 200).length;
      const [row] = await service.query<{ tokens: string }>(
        `SELECT tokens FROM user_group_version WHERE user_group_id = ${teamId}`,
      );
      const kept = JSON.parse(row!.tokens) as [
        generation: number,
        lastFour: string,
        created: number,
        retired: number,
      ][];
      const generations = kept.map(([generation]) => generation).sort();
      expect(generations).toEqual(Array.from({ length: issued }, (_, index) => index + 1));
      expect((await list(versions)).length).toBe(1);
    }
  });

  test('a group of another workspace has no history, in the words of one that never was', async () => {
    const { path, versions } = await create();
    await patch(path, { name: 'Other' });
    const deleted = await create();
    await call('DELETE', deleted.path);
    const other = service.clientOf(
      await service.issueToken(['user-groups:read', 'user-groups:write'], 'another'),
    );
    const paths = [versions, deleted.versions, '/api/v1/user-groups/never/versions'];
    const texts: unknown[] = [];
    for (const one of paths) {
      for (const [method, end] of [
        ['GET', ''],
        ['GET', '/1'],
        ['GET', '/1?compare_with=2'],
        ['POST', '/1/restore'],
      ] as const) {
        const { status, body } = await other.call(method, `${one}${end}`);
        texts.push([status, body.code, body.detail]);
      }
    }
    expect(new Set(texts.map((text) => JSON.stringify(text))).size).toBe(1);
    expect(texts[0]).toEqual([404, 'user_group_not_found', expect.any(String)]);
  });

  test('what no query means is refused', async () => {
    const { versions } = await create();
    for (const query of ['?team_id=0', '?team_id=x', '?limit=0', '?cursor=x', '?version=1']) {
      expect([query, (await service.api.call('GET', `${versions}${query}`)).status]).toEqual([
        query,
        422,
      ]);
    }
    expect((await service.api.call('GET', `${versions}/1?compare_with=-1`)).status).toBe(422);
    for (const version of ['0', '2', 'x', '99999999999']) {
      expect(failure(await service.api.call('GET', `${versions}/${version}`))).toEqual([
        404,
        'user_group_version_not_found',
      ]);
    }
    const reader = service.clientOf(await service.issueToken(['user-groups:read']));
    expect((await reader.call('POST', `${versions}/1/restore`)).status).toBe(403);
  });

  test('replaced states go after HISTORY_RETENTION_DAYS, the present one never', async () => {
    const { path, versions } = await create();
    await patch(path, { name: 'Second' });
    passTime(200 * DAY_MS);
    await patch(path, { name: 'Third' });
    passTime(170 * DAY_MS);
    await service.app.get(UserGroupHistoryRetention).sweep();
    expect(await brief(versions)).toEqual([
      [3, 'update', ['name'], null],
      [2, null, [], 'change'],
    ]);
    passTime(200 * DAY_MS);
    await service.app.get(UserGroupHistoryRetention).sweep();
    expect(await brief(versions)).toEqual([[3, null, [], null]]);
  });

  test('the author of a version is unknown once its audit event is removed', async () => {
    const years = 3000 * DAY_MS;
    // The database removes no event before its own clock lets it.
    passTime(-years);
    const { path, versions } = await create();
    passTime(years);
    await patch(path, { name: 'Second' });
    expect((await list(versions)).map(({ author }) => author?.name)).toEqual([
      'bootstrap',
      'bootstrap',
    ]);
    await service.app.get(AuditRetention).sweep();
    expect((await list(versions)).map(({ author }) => author?.name ?? author)).toEqual([
      'bootstrap',
      null,
    ]);
  });
});
