import { scopes } from '../../src/platform/common/access/caller.ts';
import type { Answer, ApiClient } from '../support/api/api-client.ts';
import { callOf, describeOperations } from '../support/api/every-operation.ts';
import { exportGroups, importGroups, linesOf } from '../support/api/lines.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';

const PATH = '/api/v1/api-tokens';
const GROUPS = '/api/v1/user-groups';
const where = { environment: 'staging' };

/** Every operation that is bound to user groups. A new operation is refused until it is declared, and stands here. */
const BOUND = [
  'GET /api/user',
  'PUT /api/user',
  'POST /api/user',
  'GET /api/v1/user-groups',
  'GET /api/v1/user-groups/{id}',
  'PUT /api/v1/user-groups/{id}',
  'PATCH /api/v1/user-groups/{id}',
  'DELETE /api/v1/user-groups/{id}',
  'POST /api/v1/user-groups/{id}/suspend',
  'POST /api/v1/user-groups/{id}/resume',
  'GET /api/v1/user-groups/{id}/view',
  'GET /api/v1/user-groups/{id}/versions',
  'GET /api/v1/user-groups/{id}/versions/{version}',
  'POST /api/v1/user-groups/{id}/versions/{version}/restore',
  'GET /api/v1/user-groups/{id}/limits',
  'GET /api/v1/user-groups/{id}/usage',
  'GET /api/v1/user-groups/{id}/tokens',
  'GET /api/v1/user-groups/{id}/tokens/current',
  'POST /api/v1/user-groups/{id}/tokens/rotate',
  'POST /api/v1/user-groups/{id}/tokens/{generation}/revoke',
  'POST /api/v1/user-groups/{id}/embed-tokens',
  'POST /api/v1/user-groups/{id}/rename',
  'POST /api/v1/user-groups/import',
  'POST /api/v1/user-groups/export',
  'POST /api/v1/user-groups/actions',
  'POST /api/v1/introspect',
  'GET /api/v1/forward-auth',
  'POST /api/v1/api-tokens',
  'GET /api/v1/workspace/identity',
];

onEachDatabase((kind) => {
  const service = withService(kind);
  const issue = (api: ApiClient, body: object) =>
    api.call('POST', PATH, { name: 'restricted', scopes, ...body });
  const restricted = async (user_groups: object) =>
    service.clientOf((await issue(service.api, { user_groups })).body.api_token.token);
  const staging = (fields: object = {}) => service.api.create({ properties: where, ...fields });
  const idsOf = ({ body }: Answer) =>
    (body as unknown as { user_groups: { provided_id: string }[] }).user_groups.map(
      ({ provided_id }) => provided_id,
    );

  test('every operation that is not bound to user groups is refused', async () => {
    const api = await restricted({ where });
    const operations = (await describeOperations()).filter(({ scopes }) => scopes.length > 0);
    const any = (await describeOperations()).filter(({ path }) => path.endsWith('/identity'));
    const admitted: string[] = [];
    for (const operation of [...operations, ...any]) {
      const { body } = await api.send(callOf(operation));
      if ((body as Answer['body'] | undefined)?.code !== 'token_restricted') {
        admitted.push(`${operation.method} ${operation.path}`);
      }
    }
    expect(admitted.sort()).toEqual(BOUND.toSorted());
    for (const [query, body] of [
      ['', { all: true }],
      ['?property_name=environment', {}],
    ] as const) {
      const filtered = await api.call('POST', `${GROUPS}/actions${query}`, {
        action: 'suspend',
        ...body,
      });
      expect(filtered.body.code).toBe('token_restricted');
    }
  });

  test.each([
    ['ids', (id: string) => ({ ids: [id, 'not yet'] })],
    ['properties', () => ({ where })],
  ])('another group does not exist for a token for certain %s', async (_by, rangeOf) => {
    const own = await staging();
    const other = await service.api.create({ properties: { environment: 'production' } });
    const api = await restricted(rangeOf(own.id));
    const calls: [string, string, object?][] = [
      ['GET', ''],
      ['GET', `?at=${new Date().toISOString()}`],
      ['PATCH', '', { name: 'x' }],
      ['DELETE', ''],
      ['POST', '/suspend'],
      ['POST', '/resume'],
      ['GET', '/view'],
      ['GET', '/versions'],
      ['GET', '/versions/1'],
      ['POST', '/versions/1/restore'],
      ['GET', '/usage'],
      ['GET', '/limits'],
      ['GET', '/tokens'],
      ['GET', '/tokens/current'],
      ['POST', '/tokens/rotate', {}],
      ['POST', '/tokens/1/revoke'],
      ['POST', '/embed-tokens', { audience: 'https://dashboards.example.com' }],
    ];
    const said = async (id: string, [method, rest, body]: [string, string, object?]) => {
      const path = `${GROUPS}/${encodeURIComponent(id)}${rest}`;
      const { status, text } = await api.call(method, path, body);
      const problem = { ...(JSON.parse(text) as object), request_id: '', instance: '' };
      return { call: `${method} ${rest}`, status, problem };
    };
    const found = await service.api.call('GET', other.path);
    for (const call of calls) {
      const absent = await said('none', call);
      expect(absent.status).toBe(404);
      expect(await said(other.id, call)).toEqual(absent);
    }
    for (const look of [{ user_group_id: other.id }, { user_group_id: 'none' }]) {
      expect((await api.get(look)).body).toMatchObject({ code: 'user_group_not_found' });
    }
    const ids = { action: 'delete', ids: [other.id, 'none'] };
    expect(linesOf(await api.call('POST', `${GROUPS}/actions`, ids))).toMatchObject([
      {},
      { provided_id: other.id, code: 'user_group_not_found' },
      { provided_id: 'none', code: 'user_group_not_found' },
      {},
    ]);
    expect((await api.post({ current_token: other.token })).body.code).toBe('token_not_found');
    expect(await api.introspect(other.token)).toEqual({ active: false });
    const embed = { audience: 'https://dashboards.example.com' };
    const issued = await service.api.call('POST', `${other.path}/embed-tokens`, embed);
    const { token } = issued.body.embed_token;
    expect(await api.introspect(token)).toEqual({ active: false });
    expect(await service.api.isActive(token)).toBe(true);
    expect((await service.api.call('GET', other.path)).text).toBe(found.text);
    expect(await service.api.isActive(other.token)).toBe(true);

    expect(await api.isActive(own.token)).toBe(true);
    expect((await api.call('GET', own.path)).status).toBe(200);
    expect((await api.call('GET', `${own.path}/versions`)).status).toBe(200);
    expect((await api.call('GET', `${own.path}/usage`)).status).toBe(200);
    expect((await api.get({ user_group_id: own.id })).body.user_group.token).toBe(own.token);
    const { body } = await api.post({ current_token: own.token });
    expect(await api.isActive(body.user_group.token)).toBe(true);
  });

  test('lists, totals, searches and exports have the groups of the range alone', async () => {
    const region = `region of ${kind}`;
    const groups = [
      { user_group_id: `${region} 1`, name: 'one', properties: { environment: region, seats: 1 } },
      { user_group_id: `${region} 2`, name: 'two', properties: { environment: region, seats: 2 } },
      { user_group_id: `${region} 3`, name: 'one', properties: { environment: 'other', seats: 1 } },
      { user_group_id: `${region} 4`, name: 'four', properties: { environment: [region] } },
    ];
    await importGroups(service.api, ...groups);
    const ids = [`${region} 1`, `${region} 2`];
    const ranges: [object, string[]][] = [
      [{ where: { environment: region } }, ids],
      [{ where: { environment: region, seats: 2 } }, ids.slice(1)],
      [{ where: { environment: region, seats: '2' } }, []],
      [{ ids: [...ids, 'none'] }, ids],
    ];
    for (const [range, seen] of ranges) {
      const api = await restricted(range);
      for (const sort of ['created_at', '-name', 'status']) {
        const listed = await api.call('GET', `${GROUPS}?count=true&limit=200&sort=${sort}`);
        expect(idsOf(listed).sort()).toEqual(seen);
        expect(listed.body).toMatchObject({ total: { count: seen.length } });
      }
      const found = await api.call('GET', `${GROUPS}?search=one&count=true`);
      expect(idsOf(found)).toEqual(seen.filter((id) => id.endsWith('1')));
      const lines = await exportGroups(api);
      expect(lines.slice(0, -1).map((line) => line.provided_id)).toEqual(seen);
      expect(lines.at(-1)!.summary).toMatchObject({ exported: seen.length });
    }
  });

  test('no write leads into the range or out of it, and only groups of the range are created', async () => {
    const own = await staging();
    const other = await service.api.create();
    const api = await restricted({ where });
    const outside = { status: 403, body: expect.objectContaining({ code: 'outside_token_scope' }) };
    const before = await service.query('SELECT id, version FROM user_group ORDER BY id');
    const id = encodeURIComponent(own.id);
    for (const write of [
      api.put({ user_group_id: own.id, properties: {} }),
      api.get({ user_group_id: own.id, properties: { environment: 'production' } }),
      api.call('PATCH', `${GROUPS}/${id}`, { properties: { environment: null } }),
      api.call('PUT', `${GROUPS}/${id}`, { name: 'x' }),
      api.put({ user_group_id: other.id, properties: where }),
      api.put({ user_group_id: other.id, name: 'x' }),
      api.put({ user_group_id: 'new', name: 'New' }),
      api.get({ user_group_id: 'new', name: 'New', properties: { environment: ['staging'] } }),
    ]) {
      expect(await write).toMatchObject(outside);
    }
    const lines = await importGroups(
      api,
      { user_group_id: own.id, properties: {} },
      { user_group_id: 'new', name: 'New' },
      { user_group_id: `made on ${kind}`, name: 'Made', properties: where },
    );
    expect(lines.slice(0, 3)).toEqual([
      expect.objectContaining({ code: 'outside_token_scope', status: 403 }),
      expect.objectContaining({ code: 'outside_token_scope', status: 403 }),
      expect.objectContaining({ result: 'created' }),
    ]);
    expect(
      await service.query(`SELECT id, version FROM user_group ORDER BY id LIMIT ${before.length}`),
    ).toEqual(before);
    const named = await restricted({ ids: ['named'] });
    expect((await named.put({ user_group_id: 'unnamed', name: 'x' })).body.code).toBe(
      'outside_token_scope',
    );
    expect((await named.put({ user_group_id: 'named', name: 'x' })).status).toBe(200);
    expect((await named.call('DELETE', `${GROUPS}/named`)).status).toBe(200);
  });

  test('a cursor says nothing of the groups outside of the range, and no caller can make one up', async () => {
    const admin = service.clientOf(await service.issueToken([...scopes], 'of many groups'));
    const groups = Array.from({ length: 1100 }, (_, n) => {
      const name = `Secret ${String(n).padStart(4, '0')}`;
      return { user_group_id: `hidden ${n}`, name, properties: {} };
    });
    await importGroups(admin, ...groups, { user_group_id: 'z', name: 'z', properties: where });
    const list = async (api: ApiClient, cursor = '') => {
      const query = `sort=name&limit=200${cursor && `&cursor=${encodeURIComponent(cursor)}`}`;
      return api.call('GET', `${GROUPS}?${query}`);
    };
    const issued = await issue(admin, { user_groups: { where } });
    const api = service.clientOf(issued.body.api_token.token);
    const first = await list(api);
    const { next_cursor: cursor } = first.body as unknown as { next_cursor: string };
    expect(idsOf(first)).toEqual([]);
    expect(Buffer.from(cursor, 'base64url').toString()).not.toContain('Secret');
    expect(idsOf(await list(api, cursor))).toEqual(['z']);
    const { next_cursor: plain } = (await list(admin)).body as unknown as { next_cursor: string };
    const other = await issue(admin, { user_groups: { where } });
    for (const [by, foreign] of [
      [api, plain],
      [service.clientOf(other.body.api_token.token), cursor],
    ] as const) {
      const { status, body } = await list(by, foreign);
      expect({ status, errors: body.errors }).toMatchObject({
        status: 422,
        errors: [{ parameter: 'cursor' }],
      });
    }
  });

  test('a group that takes the id of another does not open its history', async () => {
    const own = await service.api.create({ properties: { environment: 'production', secret: 1 } });
    const { created_at } = (await service.api.call('GET', own.path)).body.user_group as unknown as {
      created_at: string;
    };
    await service.api.call('DELETE', own.path);
    const api = await restricted({ where });
    expect((await api.call('GET', `${own.path}/versions`)).status).toBe(404);
    const made = await api.put({ user_group_id: own.id, name: 'New', properties: where });
    expect(made.status).toBe(200);
    const listed = await api.call('GET', `${own.path}/versions`);
    const { versions } = listed.body as unknown as { versions: { team_id: number }[] };
    expect(versions.map(({ team_id }) => team_id)).toEqual([made.body.user_group.team_id]);
    expect(listed.text).not.toContain('"author"');
    for (const [method, rest] of [
      ['GET', `/versions?team_id=${own.teamId}`],
      ['GET', `/versions/1?team_id=${own.teamId}`],
      ['POST', `/versions/1/restore?team_id=${own.teamId}`],
      ['GET', `?at=${created_at}`],
    ] as const) {
      expect((await api.call(method, own.path + rest)).body.code).toBe('user_group_not_found');
    }
    const named = await restricted({ ids: [own.id] });
    expect((await named.call('GET', `${own.path}/versions?team_id=${own.teamId}`)).status).toBe(
      200,
    );
  });

  test('a repeated call shows no secret that its API token could not grant any more', async () => {
    const admin = (await issue(service.api, {})).body.api_token;
    const api = service.clientOf(admin.token);
    const headers = { 'Idempotency-Key': `key-on-${kind}` };
    const body = { name: 'any', scopes: ['user-groups:read'] };
    const first = await api.call('POST', PATH, body, headers);
    expect((await api.call('POST', PATH, body, headers)).text).toBe(first.text);
    await service.api.call('PATCH', `${PATH}/${admin.id}`, { user_groups: { where } });
    const again = await api.call('POST', PATH, body, headers);
    expect([again.status, again.body.code]).toEqual([403, 'grant_exceeds_caller']);
  });

  test('a token grants only tokens for as few groups', async () => {
    const api = await restricted({ where });
    const refused = {
      status: 403,
      body: expect.objectContaining({ code: 'grant_exceeds_caller' }),
    };
    for (const body of [
      {},
      { user_groups: null },
      { user_groups: { ids: ['a'] } },
      { user_groups: { where: { environment: 'production' } } },
      { user_groups: { where: { region: 'staging' } } },
    ]) {
      expect(await issue(api, body)).toMatchObject(refused);
    }
    const narrower = { where: { ...where, region: 'EMEA' } };
    const granted = await issue(api, { user_groups: narrower });
    expect(granted.body.api_token).toMatchObject({ user_groups: narrower });
    const ofIds = await restricted({ ids: ['a', 'b'] });
    expect((await issue(ofIds, { user_groups: { ids: ['b'] } })).status).toBe(201);
    expect(await issue(ofIds, { user_groups: { ids: ['b', 'c'] } })).toMatchObject(refused);
  });

  test('a change of the range holds at once, and is in the audit log', async () => {
    const { body } = await issue(service.api, { user_groups: { ids: ['a'] } });
    const { id, token } = body.api_token;
    const api = service.clientOf(token);
    const own = await staging();
    expect((await api.call('GET', own.path)).status).toBe(404);
    const changed = await service.api.call('PATCH', `${PATH}/${id}`, { user_groups: { where } });
    expect(changed.body.api_token).toMatchObject({ user_groups: { where } });
    expect((await api.call('GET', own.path)).status).toBe(200);
    await service.api.call('PATCH', own.path, { properties: { environment: 'production' } });
    expect((await api.call('GET', own.path)).status).toBe(404);
    expect(await api.introspect(own.token)).toEqual({ active: false });
    const events = await service.api.call('GET', `/api/v1/audit-events?types=api_token.update`);
    expect(events.text).toContain('"user_groups":{"where":{"environment":"staging"}}');
    await service.api.call('PATCH', `${PATH}/${id}`, { user_groups: null });
    expect((await api.call('GET', '/api/v1/audit-events')).status).toBe(200);
  });

  test('the last administrator cannot be restricted, and a restricted token is none', async () => {
    const admin = service.clientOf(await service.issueToken([...scopes], 'of one administrator'));
    const own = (await admin.call('GET', PATH)).body.api_tokens[0]!.id;
    expect((await issue(admin, { user_groups: { where } })).status).toBe(201);
    const refused = await admin.call('PATCH', `${PATH}/${own}`, { user_groups: { where } });
    expect([refused.status, refused.body.code]).toEqual([409, 'last_admin_token']);
  });

  test.each([
    [{}, '/user_groups', 'not_acceptable'],
    [{ ids: ['a'], where }, '/user_groups', 'not_acceptable'],
    [{ ids: [] }, '/user_groups/ids', 'empty'],
    [{ ids: ['a', 'a'] }, '/user_groups/ids/1', 'repeated'],
    [{ ids: [''] }, '/user_groups/ids/0', 'empty'],
    [{ where: {} }, '/user_groups/where', 'not_acceptable'],
    [{ where: [] }, '/user_groups/where', 'not_acceptable'],
    [{ where: { a: null } }, '/user_groups/where/a', 'type'],
    [{ where: { a: 'x'.repeat(256) } }, '/user_groups/where/a', 'type'],
    [{ where: { 'a/b': {} } }, '/user_groups/where/a~1b', 'type'],
    [{ property: 'a' }, '/user_groups/property', 'unknown'],
    ['all', '/user_groups', 'type'],
  ])('%j is no range of user groups', async (user_groups, pointer, code) => {
    const { status, body } = await issue(service.api, { user_groups });
    expect({ status, errors: body.errors }).toMatchObject({
      status: 422,
      errors: [{ pointer, code }],
    });
  });

  test('a range has at most a thousand ids', async () => {
    const ids = Array.from({ length: 1000 }, (_, n) => `${n}`);
    const { body } = await issue(service.api, { user_groups: { ids: [...ids, 'more'] } });
    expect(body.errors).toMatchObject([{ pointer: '/user_groups/ids', code: 'too_many' }]);
    const api = await restricted({ ids });
    expect(await importGroups(api, { user_group_id: '999', name: 'last' })).toMatchObject([
      { result: 'created' },
      {},
    ]);
    expect(idsOf(await api.call('GET', GROUPS))).toEqual(['999']);
  });
});
