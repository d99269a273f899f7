import { describeOperations } from '../support/api/every-operation.ts';
import { scopes } from '../../src/platform/common/access/caller.ts';
import { ReservedIdExpiry } from '../../src/features/rename/reserved-id-expiry.ts';
import { DAY_MS } from '../../src/platform/common/time.ts';
import { exportGroups, IMPORT, importGroups, linesOf, toLines } from '../support/api/lines.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { passTime } from '../support/time/fake-time.ts';
import { untilAfter } from '../support/time/until.ts';

const AUDIENCE = { audience: 'https://dashboards.example.com' };
const pathOf = (id: string) => `/api/v1/user-groups/${encodeURIComponent(id)}`;

/** Every call that names a group in its path. */
const BY_PATH: [method: string, rest: string, body?: object][] = [
  ['GET', ''],
  ['GET', `?at=${new Date().toISOString()}`],
  ['PUT', '', { name: 'twin' }],
  ['PATCH', '', { name: 'twin' }],
  ['DELETE', ''],
  ['POST', '/suspend'],
  ['POST', '/resume'],
  ['POST', '/rename', { provided_id: 'third' }],
  ['GET', '/view'],
  ['GET', '/usage'],
  ['GET', '/limits'],
  ['PUT', '/limits', {}],
  ['GET', '/versions'],
  ['GET', '/versions/1'],
  ['POST', '/versions/1/restore'],
  ['GET', '/tokens'],
  ['GET', '/tokens/current'],
  ['POST', '/tokens/rotate', {}],
  ['POST', '/tokens/1/revoke'],
  ['POST', '/embed-tokens', AUDIENCE],
];

test('every operation that names a group in its path is called by a former id', async () => {
  const called = BY_PATH.map(([method, rest]) => {
    const [path] = rest.split('?');
    return `${method} ${path!.replace('/versions/1', '/versions/{version}').replace('/tokens/1', '/tokens/{generation}')}`;
  });
  const start = '/api/v1/user-groups/{id}';
  const operations = (await describeOperations())
    .filter(({ path }) => path.startsWith(start))
    .map(({ method, path }) => `${method} ${path.slice(start.length)}`);
  expect([...new Set(called)].sort()).toEqual(operations.sort());
});

onEachDatabase((kind) => {
  const service = withService(kind);
  let count = 0;
  const newId = () => `renamed ${++count}`;

  const rename = (id: string, to: string, headers: Record<string, string> = {}) =>
    service.api.call('POST', `${pathOf(id)}/rename`, { provided_id: to }, headers);
  const renamed = async (fields: object = {}) => {
    const group = await service.api.create(fields);
    const to = newId();
    const answer = await rename(group.id, to);
    expect([answer.status, answer.text]).toEqual([200, answer.text]);
    return { ...group, to, answer };
  };
  const groupsOf = (...ids: string[]) =>
    service.query<{ id: number; provided_id: string }>(
      `SELECT id, provided_id FROM user_group WHERE provided_id IN (${ids.map((id) => `'${id}'`).join(', ')})`,
    );

  test('a renamed group keeps its team_id, content and token', async () => {
    const { teamId, token, id, to, answer } = await renamed({
      mapping: { sales: 'warehouse' },
      properties: { region: 'EMEA' },
    });
    expect(answer.body.user_group).toMatchObject({
      team_id: teamId,
      provided_id: to,
      name: id,
      mapping: { sales: 'warehouse' },
      properties: { region: 'EMEA' },
      status: 'active',
    });
    const read = await service.api.call('GET', pathOf(to));
    expect(read.body).toEqual(answer.body);
    expect(read.headers['etag']).toBe(answer.headers['etag']);
    const looked = await service.api.get({ user_group_id: to });
    expect(looked.body.user_group).toMatchObject({ team_id: teamId, token, provided_id: to });
    expect(await service.api.introspect(token)).toMatchObject({ active: true, sub: to });
  });

  test.each(BY_PATH.map(([method, rest, body]) => ({ method, rest, body })))(
    '$method $rest by the former id says the new one',
    async ({ method, rest, body }) => {
      const { id, to } = await renamed();
      const answer = await service.api.call(method, pathOf(id) + rest, body);
      expect(answer.status).toBe(409);
      expect(answer.body).toMatchObject({
        success: 0,
        status: 409,
        code: 'user_group_renamed',
        renamed_to: to,
        detail: `The user group "${id}" has the id "${to}" now.`,
      });
      expect(await groupsOf(id)).toEqual([]);
    },
  );

  test.each([
    ['looks up', 'GET', {}],
    ['creates or looks up', 'GET', { name: 'twin' }],
    ['writes', 'PUT', { name: 'twin' }],
    ['writes without a name', 'PUT', {}],
  ])(
    'the contract says the new id to a call that %s by the former one',
    async (_, method, rest) => {
      const { id, to } = await renamed();
      const answer = await service.api.send({ method, body: { user_group_id: id, ...rest } });
      expect(answer.status).toBe(409);
      expect(answer.body).toMatchObject({
        success: 0,
        code: 'user_group_renamed',
        renamed_to: to,
      });
      expect(await groupsOf(id)).toEqual([]);
    },
  );

  test('a line of an import, and of its dry run, is refused with the new id', async () => {
    const { id, to } = await renamed();
    const line = { provided_id: id, name: 'twin' };
    const refused = { success: 0, status: 409, code: 'user_group_renamed', renamed_to: to };
    for (const query of ['', '?dry_run=true']) {
      const answer = await service.api.send({
        method: 'POST',
        path: `${IMPORT}${query}`,
        body: toLines(line, { provided_id: newId(), name: 'other' }),
        headers: { 'Content-Type': 'application/x-ndjson' },
      });
      const [first, second] = linesOf(answer);
      expect(first).toMatchObject({ provided_id: id, ...refused });
      expect(second).toMatchObject({ success: 1, result: 'created' });
    }
    expect((await importGroups(service.api, line))[0]).toMatchObject(refused);
    expect(await groupsOf(id)).toEqual([]);
  });

  test('an export has the new id, and its line can be imported', async () => {
    const { token, to } = await renamed();
    const line = (await exportGroups(service.api)).find((one) => one.token === token)!;
    expect(line).toMatchObject({ provided_id: to });
    expect((await importGroups(service.api, line))[0]).toMatchObject({ result: 'unchanged' });
  });

  test('a bulk change by the former id is refused for that group alone', async () => {
    const { id, to } = await renamed();
    const other = await service.api.create();
    const lines = linesOf(
      await service.api.call('POST', '/api/v1/user-groups/actions', {
        action: 'suspend',
        ids: [id, other.id],
      }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ provided_id: id, code: 'user_group_renamed', renamed_to: to }),
    );
    expect(lines).toContainEqual(
      expect.objectContaining({ provided_id: other.id, result: 'changed' }),
    );
  });

  test('of a chain each former id says the last one', async () => {
    const { id, to } = await renamed();
    const last = newId();
    expect((await rename(to, last)).status).toBe(200);
    for (const former of [id, to]) {
      const { body } = await service.api.call('GET', pathOf(former));
      expect(body).toMatchObject({ code: 'user_group_renamed', renamed_to: last });
    }
  });

  test('a group can have its former id back, which reserves the other one', async () => {
    const { id, to, teamId } = await renamed();
    expect((await rename(to, id)).body.user_group).toMatchObject({
      team_id: teamId,
      provided_id: id,
    });
    expect((await service.api.call('GET', pathOf(id))).status).toBe(200);
    expect((await service.api.call('GET', pathOf(to))).body).toMatchObject({ renamed_to: id });
  });

  test('the id that the group has changes nothing', async () => {
    const { id, path } = await service.api.create();
    const before = await service.api.call('GET', path);
    const answer = await rename(id, id);
    expect([answer.status, answer.headers['etag']]).toEqual([200, before.headers['etag']]);
    expect(answer.body).toEqual(before.body);
  });

  test('an id that another group has, or has had, is refused', async () => {
    const other = await renamed();
    const { id, path } = await service.api.create();
    for (const taken of [other.id, other.to]) {
      expect(await rename(id, taken)).toMatchObject({
        status: 409,
        body: { code: 'user_group_id_taken' },
      });
    }
    expect((await service.api.call('GET', path)).status).toBe(200);
  });

  test.each([
    [{}, 'required'],
    [{ provided_id: '' }, 'empty'],
    [{ provided_id: 7 }, 'type'],
    [{ provided_id: 'a/../b' }, 'not_acceptable'],
    [{ provided_id: 'a\u0007' }, 'control_character'],
    [{ provided_id: 'x'.repeat(256) }, 'too_long'],
  ])('the new id %j is refused', async (body, code) => {
    const { path } = await service.api.create();
    const answer = await service.api.call('POST', `${path}/rename`, body);
    expect(answer).toMatchObject({
      status: 422,
      body: { errors: [{ pointer: '/provided_id', code }] },
    });
  });

  test('after 30 days the former id is free, and the reservation is removed', async () => {
    const { id, to, teamId } = await renamed();
    passTime(30 * DAY_MS - 60_000);
    expect((await service.api.call('GET', pathOf(id))).status).toBe(409);
    await service.app.get(ReservedIdExpiry).sweep();
    expect((await service.api.call('GET', pathOf(id))).status).toBe(409);
    passTime(120_000);
    expect((await service.api.call('GET', pathOf(id))).status).toBe(404);
    const created = await service.api.put({ user_group_id: id, name: 'another' });
    expect(created.status).toBe(200);
    expect(created.body.user_group.team_id).not.toBe(teamId);
    // An expired reservation gives way to that of another group.
    const next = newId();
    expect((await rename(id, next)).status).toBe(200);
    expect((await service.api.call('GET', pathOf(id))).body.code).toBe('user_group_renamed');
    expect((await rename(to, newId())).status).toBe(200);
    passTime(31 * DAY_MS);
    await service.app.get(ReservedIdExpiry).sweep();
    expect(await service.query('SELECT * FROM reserved_id')).toEqual([]);
  });

  test('a deleted group leaves its former ids to others', async () => {
    const { id, to } = await renamed();
    expect((await service.api.call('DELETE', pathOf(to))).status).toBe(200);
    expect((await service.api.call('GET', pathOf(id))).body.code).toBe('user_group_not_found');
    expect((await service.api.put({ user_group_id: id, name: 'another' })).status).toBe(200);
  });

  test('an id is reserved in its workspace alone', async () => {
    const { id } = await renamed();
    const other = service.clientOf(await service.issueToken([...scopes], 'other'));
    expect((await other.put({ user_group_id: id, name: 'of the other' })).status).toBe(200);
  });

  test('If-Match performs it only on the state that it names', async () => {
    const { id, path } = await service.api.create();
    const tag = (await service.api.call('GET', path)).headers['etag'] as string;
    await service.api.call('PATCH', path, { name: 'changed' });
    const to = newId();
    expect(await rename(id, to, { 'If-Match': tag })).toMatchObject({
      status: 412,
      body: { code: 'precondition_failed' },
    });
    const present = (await service.api.call('GET', path)).headers['etag'] as string;
    expect((await rename(id, to, { 'If-Match': present })).status).toBe(200);
  });

  test('a repeated call with an Idempotency-Key gets the first response', async () => {
    const { id } = await service.api.create();
    const to = newId();
    const key = { 'Idempotency-Key': `rename-${kind}-${count}` };
    const first = await rename(id, to, key);
    const repeated = await rename(id, to, key);
    expect([first.status, repeated.status]).toEqual([200, 200]);
    expect([repeated.body, repeated.headers['etag']]).toEqual([first.body, first.headers['etag']]);
    expect((await rename(id, newId(), key)).body.code).toBe('idempotency_key_reused');
    expect((await rename(id, to)).body.code).toBe('user_group_renamed');
  });

  test('an embed token is accepted with the new id as its sub', async () => {
    const { id, path } = await service.api.create();
    const { embed_token } = (await service.api.call('POST', `${path}/embed-tokens`, AUDIENCE)).body;
    const to = newId();
    await rename(id, to);
    expect(await service.api.introspect(embed_token.token)).toMatchObject({
      active: true,
      sub: to,
    });
    const inspected = await service.api.call('POST', '/api/v1/tokens/inspect', {
      token: embed_token.token,
    });
    expect(inspected.body).toMatchObject({ inspection: { accepted: true } });
    await service.api.call('DELETE', pathOf(to));
    expect((await service.api.introspect(embed_token.token)).active).toBe(false);
  });

  test('its versions go with it, and the rename is one of them', async () => {
    const { id, path } = await service.api.create();
    const before = new Date().toISOString();
    await untilAfter(Date.parse(before));
    await service.api.call('PATCH', path, { name: 'second' });
    const to = newId();
    await rename(id, to);
    await service.api.call('PATCH', pathOf(to), { name: 'fourth' });
    const { versions } = (await service.api.call('GET', `${pathOf(to)}/versions`)).body;
    expect(versions.map(({ version, change }) => [version, change])).toEqual([
      [4, 'update'],
      [3, 'rename'],
      [2, 'update'],
      [1, 'create'],
    ]);
    expect(versions.map(({ author }) => author?.type)).toEqual(Array(4).fill('api_token'));
    const pages = await service.api.call('GET', `${pathOf(to)}/versions?limit=2`);
    const rest = await service.api.call(
      'GET',
      `${pathOf(to)}/versions?limit=2&cursor=${encodeURIComponent(pages.body.next_cursor)}`,
    );
    expect([...pages.body.versions, ...rest.body.versions].map(({ version }) => version)).toEqual([
      4, 3, 2, 1,
    ]);
    const past = await service.api.call('GET', `${pathOf(to)}?at=${before}`);
    expect(past.body.user_group).toMatchObject({ provided_id: to, name: id });
    const restored = await service.api.call('POST', `${pathOf(to)}/versions/2/restore`);
    expect(restored.body.user_group).toMatchObject({ name: 'second', provided_id: to });
  });

  test('its versions precede those of a deleted group that had the id', async () => {
    const old = await service.api.create();
    const deleted = await service.api.create({ name: 'deleted' });
    await service.api.call('DELETE', deleted.path);
    expect((await rename(old.id, deleted.id)).status).toBe(200);
    const { versions } = (await service.api.call('GET', `${deleted.path}/versions`)).body;
    expect(versions.map(({ team_id, version }) => [team_id, version])).toEqual([
      [old.teamId, 2],
      [old.teamId, 1],
      [deleted.teamId, 1],
    ]);
    const pages: unknown[] = [];
    for (let query = '?limit=1'; query !== '';) {
      const { body } = await service.api.call('GET', `${deleted.path}/versions${query}`);
      pages.push(...body.versions.map(({ team_id, version }) => [team_id, version]));
      query = body.has_more ? `?limit=1&cursor=${encodeURIComponent(body.next_cursor)}` : '';
    }
    expect(pages).toEqual(versions.map(({ team_id, version }) => [team_id, version]));
    const first = await service.api.call('GET', `${deleted.path}/versions/1`);
    expect(first.body.version).toMatchObject({ team_id: old.teamId, name: old.id });
  });

  test('the audit log and the events say both ids', async () => {
    const { id, to, teamId } = await renamed();
    const { body } = await service.api.call(
      'GET',
      `/api/v1/audit-events?types=user_group.rename&object_id=${encodeURIComponent(to)}`,
    );
    expect(body.audit_events).toMatchObject([
      {
        action: 'user_group.rename',
        object: { type: 'user_group', id: to },
        before: { provided_id: id },
        after: { provided_id: to },
        details: { team_id: teamId, version: 2 },
      },
    ]);
    const events = await service.api.call(
      'GET',
      '/api/v1/events?types=user_group.rename&limit=1000',
    );
    const last = (events.body as unknown as { events: { id: string }[] }).events.at(-1);
    expect(last).toMatchObject({
      id: body.audit_events[0]!.id,
      type: 'user_group.rename',
      user_group: { team_id: teamId, provided_id: to, previous_provided_id: id, version: 2 },
    });
  });

  test('views that a renderer reports by the former id are counted for the group', async () => {
    const { id, to } = await renamed();
    const report = await service.api.call('POST', '/api/v1/usage/batches', {
      batch_id: `views of ${id}`,
      views: [{ sub: id, count: 3, at: new Date().toISOString() }],
    });
    expect(report.body).toMatchObject({ batch: { counted: 3, unknown: [] } });
    const usage = await service.api.call('GET', `${pathOf(to)}/usage`);
    const { usage: days } = usage.body as unknown as { usage: { views: number }[] };
    expect(days.reduce((sum, { views }) => sum + views, 0)).toBe(3);
  });

  describe('a restricted API token', () => {
    const restricted = async (user_groups: object) => {
      const issued = await service.api.call('POST', '/api/v1/api-tokens', {
        name: 'restricted',
        scopes,
        user_groups,
      });
      return service.clientOf(issued.body.api_token.token);
    };

    test('cannot move a group out of its ids', async () => {
      const { id, path } = await service.api.create();
      const [inside, outside] = [newId(), newId()];
      const api = await restricted({ ids: [id, inside] });
      const renameTo = (to: string, from = path) =>
        api.call('POST', `${from}/rename`, { provided_id: to });
      expect(await renameTo(outside)).toMatchObject({
        status: 403,
        body: { code: 'outside_token_scope' },
      });
      expect((await renameTo(inside)).status).toBe(200);
      expect(await api.call('GET', path)).toMatchObject({
        status: 409,
        body: { renamed_to: inside },
      });
    });

    test('learns nothing of a group that has left its ids', async () => {
      const { id, to } = await renamed();
      const absent = newId();
      const api = await restricted({ ids: [id, absent] });
      const calls = BY_PATH.filter(([method]) => method !== 'PUT');
      for (const [method, rest, body] of calls) {
        const [wanted, former] = await Promise.all(
          [absent, id].map(async (one) => {
            const answer = await api.call(method, pathOf(one) + rest, body);
            return [answer.status, answer.body.code, answer.body.detail];
          }),
        );
        expect([method, rest, former]).toEqual([method, rest, wanted]);
      }
      const twin = await api.call('PUT', pathOf(id), { name: 'twin' });
      expect([twin.status, twin.body.code]).toEqual([403, 'outside_token_scope']);
      expect(await groupsOf(id)).toEqual([]);
      expect(await groupsOf(to)).toHaveLength(1);
    });

    test('does not learn whose the new id is', async () => {
      const hidden = await renamed({ properties: { tenant: 'hidden' } });
      const { id } = await service.api.create({ properties: { tenant: 'seen' } });
      const api = await restricted({ where: { tenant: 'seen' } });
      for (const taken of [hidden.id, hidden.to]) {
        const answer = await api.call('POST', `${pathOf(id)}/rename`, { provided_id: taken });
        expect([answer.status, answer.body.code]).toEqual([403, 'outside_token_scope']);
      }
    });
  });
});
