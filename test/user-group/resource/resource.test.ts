import { request } from 'node:http';
import { ReplaceUserGroupRequest } from '../../../src/core/user-group/resource/dto/user-group-resource.dto.ts';
import { fieldsOf } from '../../../src/platform/common/json/to-dto.ts';
import { changeDatabase, onEachDatabase } from '../../support/database/databases.ts';
import { processorMs } from '../../support/process/processor-time.ts';
import { type TestService, withService } from '../../support/test-service.ts';

const PATH = '/api/v1/user-groups';
const pathOf = (id: string) => `${PATH}/${encodeURIComponent(id)}`;

onEachDatabase((kind) => {
  const service = withService(kind);
  let count = 0;

  const full = {
    name: 'Full',
    mapping: { sales: 'warehouse', billing: 42 },
    properties: { region: 'EMEA', nested: { a: 1, b: [1, null] } },
  };
  const create = async (body: object = full) => {
    const id = `group ${++count}`;
    const answer = await service.api.call('PUT', pathOf(id), body);
    expect(answer.status).toBe(201);
    return { id, path: pathOf(id), group: answer.body.user_group };
  };
  const tagOf = async (path: string) =>
    (await service.api.call('GET', path)).headers['etag'] as string;
  const eventsOf = async (id: string) =>
    (
      await service.api.call(
        'GET',
        `/api/v1/audit-events?object_type=user_group&object_id=${encodeURIComponent(id)}`,
      )
    ).body.audit_events;
  const rows = async (id: string) =>
    service.query(`SELECT * FROM user_group WHERE provided_id = '${id}'`);

  test('PUT creates with 201 and a Location, which GET answers the same, without a token', async () => {
    const id = `group ${++count}`;
    const created = await service.api.call('PUT', pathOf(id), full);
    expect([created.status, created.headers['location']]).toEqual([201, pathOf(id)]);
    expect(created.body).toEqual({
      success: 1,
      user_group: {
        team_id: expect.any(Number),
        provided_id: id,
        ...full,
        valid_until: null,
        managed_by: null,
        status: 'active',
        reasons: [],
        suspended_at: null,
        created_at: expect.stringMatching(/Z$/),
        updated_at: created.body.user_group.created_at,
      },
    });
    const read = await service.api.call('GET', created.headers['location'] as string);
    expect([read.status, read.body]).toEqual([200, created.body]);
    expect(read.text).not.toContain('ugt_');
    expect(read.headers).toMatchObject({
      etag: expect.stringMatching(/^"\d+\.1"$/),
      'cache-control': 'no-store, no-transform',
    });
  });

  test('PUT replaces: what is not sent is emptied, and the token stays', async () => {
    const { path, group } = await create();
    const token = await service.api.call('GET', `${path}/tokens/current`);
    const replaced = await service.api.call('PUT', path, { name: 'Bare' });
    expect([replaced.status, replaced.headers['location']]).toEqual([200, undefined]);
    expect(replaced.body.user_group).toEqual({
      ...group,
      name: 'Bare',
      mapping: {},
      properties: {},
      updated_at: expect.any(String),
    });
    expect((await service.api.call('GET', path)).body).toEqual(replaced.body);
    expect((await service.api.call('GET', `${path}/tokens/current`)).body.user_group).toEqual({
      ...token.body.user_group,
      name: 'Bare',
    });
  });

  test('every field of a PUT is emptied by one without it, and stays in the history', async () => {
    const fields = { ...full, valid_until: '2999-01-01T00:00:00.000Z' };
    const names = fieldsOf(ReplaceUserGroupRequest).filter((name) => name !== 'user_group_id');
    expect(Object.keys(fields).sort()).toEqual(names.toSorted());
    const { path } = await create(fields);
    const replaced = await service.api.call('PUT', path, { name: 'Bare' });
    const { mapping, properties, valid_until } = replaced.body.user_group;
    expect({ mapping, properties, valid_until }).toEqual({
      mapping: {},
      properties: {},
      valid_until: null,
    });
    const first = await service.api.call('GET', `${path}/versions/1`);
    expect(first.body).toMatchObject({ version: fields });
  });

  test('the current token is that of the contract, without an ETag', async () => {
    const { id, path } = await create();
    const answer = await service.api.call('GET', `${path}/tokens/current`, undefined, {
      'If-None-Match': '*',
    });
    const { body } = await service.api.get({ user_group_id: id });
    expect([answer.status, answer.body]).toEqual([
      200,
      { success: 1, user_group: body.user_group },
    ]);
    expect(answer.headers).not.toHaveProperty('etag');
  });

  test('a PUT or PATCH that changes nothing writes nothing', async () => {
    const { id, path } = await create();
    const before = await rows(id);
    const tag = await tagOf(path);
    for (const [method, body] of [
      ['PUT', { ...full, mapping: { billing: 42, sales: 'warehouse' } }],
      ['PUT', { ...full, user_group_id: id }],
      ['PATCH', {}],
      ['PATCH', { name: 'Full', properties: { region: 'EMEA', absent: null } }],
    ] as const) {
      expect((await service.api.call(method, path, body)).status).toBe(200);
    }
    expect(await rows(id)).toEqual(before);
    expect(await tagOf(path)).toBe(tag);
    expect(await eventsOf(id)).toHaveLength(1);
  });

  test('a write of the contract changes the ETag, a rotation does not', async () => {
    const { id, path } = await create();
    const first = await tagOf(path);
    await service.api.put({ user_group_id: id, properties: { other: true } });
    const second = await tagOf(path);
    await service.api.call('POST', `${path}/tokens/rotate`, {});
    expect([second === first, await tagOf(path)]).toEqual([false, second]);
  });

  test.each<[string, (tag: string) => Record<string, string>, number]>([
    ['its ETag', (tag) => ({ 'If-None-Match': tag }), 304],
    ['its ETag, made weak by a proxy', (tag) => ({ 'If-None-Match': `W/${tag}` }), 304],
    ['a list with its ETag', (tag) => ({ 'If-None-Match': `"a,b", ,W/"",${tag}` }), 304],
    ['any state', () => ({ 'If-None-Match': '*' }), 304],
    ['another ETag', () => ({ 'If-None-Match': '"x"' }), 200],
    ['a moment', () => ({ 'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' }), 200],
    ['If-Match of its ETag', (tag) => ({ 'If-Match': tag }), 200],
    ['If-Match of another', () => ({ 'If-Match': '"x"' }), 412],
  ])('GET and HEAD with %s', async (_name, headersOf, status) => {
    const { path } = await create();
    const tag = await tagOf(path);
    for (const method of ['GET', 'HEAD']) {
      const answer = await service.api.call(method, path, undefined, headersOf(tag));
      expect([method, answer.status]).toEqual([method, status]);
      if (status !== 412) expect(answer.headers['etag']).toBe(tag);
      if (status === 304 || method === 'HEAD') expect(answer.text).toBe('');
      expect(answer.headers['cache-control']).toBe(
        status === 412 ? 'no-store' : 'no-store, no-transform',
      );
    }
  });

  describe.each(['PUT', 'PATCH', 'DELETE'])('%s with a precondition', (method) => {
    const body = method === 'DELETE' ? undefined : { name: 'Changed' };

    test.each<[string, (tag: string) => Record<string, string>, boolean]>([
      ['its ETag', (tag) => ({ 'If-Match': tag }), true],
      ['any state', () => ({ 'If-Match': '*' }), true],
      ['a list with its ETag', (tag) => ({ 'If-Match': `"x",, ${tag} ,` }), true],
      ['a state that it is not in', () => ({ 'If-None-Match': '"x", W/"y"' }), true],
      ['another ETag', () => ({ 'If-Match': '"x"' }), false],
      ['its ETag, made weak by a proxy', (tag) => ({ 'If-Match': `W/${tag}` }), true],
      ['a weak ETag of another state', () => ({ 'If-Match': 'W/"x"' }), false],
      ['none, though it is there', () => ({ 'If-None-Match': '*' }), false],
      ['not its state', (tag) => ({ 'If-None-Match': `W/${tag}` }), false],
      ['both, one of which fails', (tag) => ({ 'If-Match': tag, 'If-None-Match': tag }), false],
    ])('%s', async (_name, headersOf, isDone) => {
      const { id, path } = await create();
      const before = await rows(id);
      const answer = await service.api.call(method, path, body, headersOf(await tagOf(path)));
      if (isDone) {
        expect([answer.status, answer.body.success]).toEqual([200, 1]);
        expect(await rows(id)).not.toEqual(before);
      } else {
        expect([answer.status, answer.body.code]).toEqual([412, 'precondition_failed']);
        expect(await rows(id)).toEqual(before);
      }
    });

    test.each(['x', '', '"', '"a" "b"', '"a', 'W/', "'a'", '*, "a"', '"a"x', 'w/"a"', `" "`])(
      'that is malformed (%j) is refused',
      async (text) => {
        const { id, path } = await create();
        const before = await rows(id);
        for (const name of ['If-Match', 'If-None-Match']) {
          const answer = await service.api.call(method, path, body, { [name]: text });
          expect([answer.status, answer.body.code]).toEqual([400, 'precondition_malformed']);
        }
        expect(await rows(id)).toEqual(before);
      },
    );

    test('a very long list is judged quickly', async () => {
      const { path } = await create();
      for (const list of [
        `${'"a",'.repeat(3000)}x`,
        `"a"${' ,'.repeat(6000)}x`,
        `"a"${' '.repeat(12_000)}x`,
      ]) {
        const judge = async () =>
          expect((await service.api.call(method, path, body, { 'If-Match': list })).status).toBe(
            400,
          );
        expect(await processorMs(judge)).toBeLessThan(1000);
      }
    });
  });

  test('PUT with If-Match creates nothing, and of what is absent PATCH and DELETE are told first', async () => {
    const path = pathOf(`absent ${++count}`);
    for (const tag of ['*', '"x"']) {
      const headers = { 'If-Match': tag };
      const put = await service.api.call('PUT', path, { name: 'n' }, headers);
      expect([put.status, put.body.code]).toEqual([412, 'precondition_failed']);
      for (const method of ['PATCH', 'DELETE', 'GET']) {
        const answer = await service.api.call(
          method,
          path,
          method === 'PATCH' ? {} : undefined,
          headers,
        );
        expect([method, answer.status, answer.body.code]).toEqual([
          method,
          404,
          'user_group_not_found',
        ]);
      }
    }
    const created = await service.api.call('PUT', path, { name: 'n' }, { 'If-None-Match': '*' });
    expect(created.status).toBe(201);
  });

  test.each([
    [{}, '/name', 'required'],
    [{ name: null }, '/name', 'type'],
    [{ name: '' }, '/name', 'empty'],
    [{ name: 'n', propertis: {} }, '/propertis', 'unknown'],
    [{ name: 'n', token: 'x' }, '/token', 'unknown'],
    [{ name: 'n', user_group_id: 'another' }, '/user_group_id', 'not_acceptable'],
    [{ name: 'n', mapping: { a: 1.5 } }, '/mapping/a', 'type'],
    [{ name: 'n', properties: [] }, '/properties', 'type'],
    ['{"name":"n","properties":{"a":9007199254740993}}', '/properties/a', 'lossy_number'],
    ['{"name":"n","properties":{"a":"\\u0000"}}', '/properties/a', 'nul_character'],
  ])('PUT of %j is refused', async (body, pointer, code) => {
    const path = pathOf(`refused ${++count}`);
    const { status, body: problem } = await service.api.call('PUT', path, body);
    expect([status, problem.errors[0]]).toEqual([
      422,
      { pointer, code, detail: expect.any(String) },
    ]);
    expect((await service.api.call('GET', path)).status).toBe(404);
  });

  describe('PATCH', () => {
    test.each<[string, object | string, object]>([
      [
        'sets and removes members',
        { properties: { region: null, seats: 3 } },
        { properties: { nested: { a: 1, b: [1, null] }, seats: 3 } },
      ],
      [
        'merges objects, also removing inside',
        { properties: { nested: { a: null, c: { d: null, e: 1 } } } },
        { properties: { region: 'EMEA', nested: { b: [1, null], c: { e: 1 } } } },
      ],
      [
        'replaces an array as a whole',
        { properties: { nested: { b: [null] } } },
        { properties: { region: 'EMEA', nested: { a: 1, b: [null] } } },
      ],
      [
        'replaces a scalar by an object',
        { properties: { region: { a: null, b: 1 } } },
        { properties: { region: { b: 1 }, nested: { a: 1, b: [1, null] } } },
      ],
      [
        'removes and sets entries of the mapping',
        { mapping: { sales: null, hr: 7 } },
        { mapping: { billing: 42, hr: 7 } },
      ],
      [
        'empties what is null',
        { mapping: null, properties: null },
        { mapping: {}, properties: {} },
      ],
      ['renames', { name: 'Renamed' }, { name: 'Renamed' }],
    ])('%s', async (_name, patch, changed) => {
      for (const type of ['application/merge-patch+json', 'application/json; charset=utf-8']) {
        const { path, group } = await create();
        const answer = await service.api.call('PATCH', path, patch, { 'Content-Type': type });
        expect(answer.body).toEqual({
          success: 1,
          user_group: { ...group, ...changed, updated_at: expect.any(String) },
        });
        const read = await service.api.call('GET', path);
        expect([read.body, read.headers['etag']]).toEqual([answer.body, answer.headers['etag']]);
      }
    });

    test('takes keys such as __proto__ for what they are', async () => {
      const { path } = await create({ name: 'n', properties: { keep: 1 } });
      await service.api.call(
        'PATCH',
        path,
        '{"properties":{"__proto__":{"a":1},"constructor":2,"toString":{"x":1}},"mapping":{"__proto__":"evil"}}',
      );
      const first = await service.api.call('GET', path);
      expect(first.text).toContain(
        '"mapping":{"__proto__":"evil"},"properties":{"keep":1,"__proto__":{"a":1},"constructor":2,"toString":{"x":1}}',
      );
      await service.api.call(
        'PATCH',
        path,
        '{"properties":{"__proto__":{"b":2},"constructor":null,"toString":null,"valueOf":null},"mapping":{"__proto__":null}}',
      );
      const second = await service.api.call('GET', path);
      expect(second.text).toContain(
        '"mapping":{},"properties":{"keep":1,"__proto__":{"a":1,"b":2}}',
      );
    });

    test.each<[object | string, string, string]>([
      [{ name: null }, '/name', 'type'],
      [{ nam: 'x' }, '/nam', 'unknown'],
      [{ user_group_id: 'x' }, '/user_group_id', 'unknown'],
      [{ properties: [] }, '/properties', 'type'],
      [{ mapping: 'x' }, '/mapping', 'type'],
      [{ mapping: { a: {} } }, '/mapping/a', 'type'],
      [{ mapping: { '': 'x' } }, '/mapping/', 'empty'],
      [{ properties: { big: 'x'.repeat(16_000) } }, '/properties', 'too_large'],
      [
        {
          mapping: Object.fromEntries(
            Array.from({ length: 199 }, (_, index) => [`s${index}`, index]),
          ),
        },
        '/mapping',
        'too_many',
      ],
      ['{"properties":{"a":1e400}}', '/properties/a', 'lossy_number'],
      ['[]', '', 'type'],
      ['null', '', 'type'],
    ])('of %.60j is refused', async (patch, pointer, code) => {
      const { id, path } = await create({ ...full, properties: { filling: 'x'.repeat(1000) } });
      const before = await rows(id);
      const { status, body } = await service.api.call('PATCH', path, patch);
      expect([status, body.errors[0]]).toEqual([
        422,
        { pointer, code, detail: expect.any(String) },
      ]);
      expect(await rows(id)).toEqual(before);
    });

    test('what does not fit beside what it removes is accepted when the result fits', async () => {
      const { path } = await create({ name: 'n', properties: { old: 'x'.repeat(16_000) } });
      const answer = await service.api.call('PATCH', path, {
        properties: { old: null, new: 'y'.repeat(16_000) },
      });
      expect(answer.status).toBe(200);
    });

    test('of another media type names those that would do', async () => {
      const { path } = await create();
      for (const type of [
        'application/json-patch+json',
        'text/plain',
        'application/merge-patch+json; charset=latin1',
      ]) {
        const answer = await service.api.call('PATCH', path, {}, { 'Content-Type': type });
        expect([answer.status, answer.headers['accept-patch']]).toEqual([
          415,
          'application/merge-patch+json, application/json',
        ]);
      }
      const put = await service.api.call('PUT', path, full, {
        'Content-Type': 'application/merge-patch+json',
      });
      expect([put.status, put.headers['accept-patch']]).toEqual([415, undefined]);
    });
  });

  test('DELETE removes all of it, ends its tokens, and says what it was', async () => {
    const { id, path, group } = await create();
    const first = await service.api.get({ user_group_id: id });
    const { token } = first.body.user_group;
    const rotated = await service.api.post(
      { current_token: token, grace_period_seconds: 600 },
      { 'Idempotency-Key': `delete-${kind}` },
    );
    const deleted = await service.api.call('DELETE', path);
    expect([deleted.status, deleted.body]).toEqual([200, { success: 1 }]);
    for (const table of ['user_group_token', 'data_source_mapping', 'idempotency_key']) {
      expect(
        await service.query(`SELECT 1 FROM ${table} WHERE user_group_id = ${group.team_id}`),
      ).toEqual([]);
    }
    for (const one of [token, rotated.body.user_group.token]) {
      expect(await service.api.introspect(one)).toEqual({ active: false });
      expect((await service.api.post({ current_token: one })).body.code).toBe('token_not_found');
    }
    const again = await service.api.call('DELETE', path);
    expect([again.status, again.body.code]).toEqual([404, 'user_group_not_found']);
    const [event, ...others] = await eventsOf(id);
    expect(event).toMatchObject({
      action: 'user_group.delete',
      before: { name: full.name, mapping: full.mapping, properties: full.properties },
      details: { team_id: group.team_id },
    });
    expect(others.map(({ action }) => action)).toEqual([
      'user_group_token.rotate',
      'user_group.create',
    ]);
    const anew = await service.api.call('PUT', path, full);
    expect([anew.status, anew.body.user_group.team_id === group.team_id]).toEqual([201, false]);
  });

  test('a suspended group is not introspected until it is resumed; everything else goes on', async () => {
    const { id, path } = await create();
    const { token } = (await service.api.get({ user_group_id: id })).body.user_group;
    const tag = await tagOf(path);
    const suspended = await service.api.call('POST', `${path}/suspend`);
    expect([suspended.status, suspended.body.user_group.suspended_at]).toEqual([
      200,
      expect.stringMatching(/Z$/),
    ]);
    expect(await service.api.introspect(token)).toEqual({ active: false });
    expect(await tagOf(path)).not.toBe(tag);
    expect((await service.api.call('POST', `${path}/suspend`)).body).toEqual(suspended.body);
    expect((await service.api.get({ user_group_id: id, name: 'Full' })).body.user_group.token).toBe(
      token,
    );
    expect(
      (await service.api.call('PATCH', path, { properties: { a: 1 } })).body.user_group
        .suspended_at,
    ).toBe(suspended.body.user_group.suspended_at);
    const rotated = await service.api.post({ current_token: token, grace_period_seconds: 60 });
    const next = rotated.body.user_group.token;
    expect([await service.api.introspect(token), await service.api.introspect(next)]).toEqual([
      { active: false },
      { active: false },
    ]);
    const resumed = await service.api.call('POST', `${path}/resume`);
    expect([resumed.status, resumed.body.user_group.suspended_at]).toEqual([200, null]);
    expect((await service.api.call('POST', `${path}/resume`)).body).toEqual(resumed.body);
    expect([
      (await service.api.introspect(token)).active,
      (await service.api.introspect(next)).active,
    ]).toEqual([true, true]);
    const actions = (await eventsOf(id))
      .map(({ action }) => action)
      .filter((action) => /suspend|resume/.test(action));
    expect(actions).toEqual(['user_group.resume', 'user_group.suspend']);
  });

  test('a group whose token cannot be shown can be read, written and deleted; the contract stores nothing', async () => {
    const { id, path, group } = await create();
    const sql = `UPDATE user_group_token SET key_id = 'gone' WHERE user_group_id = ${group.team_id}`;
    await changeDatabase(service.database, sql);
    const refused = await service.api.put({ user_group_id: id, name: 'by the contract' });
    expect([refused.status, refused.body.code]).toEqual([503, 'token_unreadable']);
    expect((await service.api.call('GET', path)).body.user_group).toEqual(group);
    expect(await eventsOf(id)).toHaveLength(1);
    const patched = await service.api.call('PATCH', path, { name: 'by the resource' });
    expect([patched.status, patched.body.user_group.name]).toEqual([200, 'by the resource']);
    expect((await service.api.call('GET', `${path}/tokens/current`)).status).toBe(503);
    expect((await service.api.call('DELETE', path)).status).toBe(200);
  });

  test('each path has its methods, and says so', async () => {
    const { path } = await create();
    for (const [where, allowed] of [
      [PATH, 'GET, HEAD'],
      [path, 'GET, HEAD, PUT, PATCH, DELETE'],
      [`${path}/suspend`, 'POST'],
      [`${path}/resume`, 'POST'],
      [`${path}/tokens/current`, 'GET, HEAD'],
    ] as const) {
      for (const method of ['OPTIONS', 'TRACE', 'POST', 'GET'].filter(
        (one) => !allowed.includes(one),
      )) {
        const { status, headers, body } = await service.api.call(method, where);
        expect([where, method, status, body.code, headers['allow']]).toEqual([
          where,
          method,
          405,
          'method_not_allowed',
          allowed,
        ]);
      }
      if (!allowed.includes('HEAD')) continue;
      const head = await service.api.call('HEAD', where);
      expect([where, head.status, head.text]).toEqual([where, 200, '']);
    }
  });

  test.each([
    ['slashes', 'a/b//c/'],
    ['what looks encoded', '%2F%00%FF+%'],
    ['dots with a slash', '.../..a/b..'],
    ['names of routes', 'tokens'],
    ['query and fragment', 'a?b=c#d;e'],
    ['spaces', '  a b  '],
    ['quotes and backslashes', `"'\\<>&`],
    ['text of two directions', 'א\u202eب'],
    ['decomposed letters', 'e\u0301'],
    ['the largest code point', '\u{10ffff}'],
    ['255 astral code points', '🚀'.repeat(255)],
  ])('an id of %s goes round: PUT, Location, GET, PATCH, DELETE', async (_name, id) => {
    // Sends the path unchanged: a URL would resolve the dots.
    const send = (method: string, path: string, body?: object) =>
      rawCall(service, method, path, body);
    const encoded = [...Buffer.from(id)]
      .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
      .join('');
    const created = await send('PUT', `${PATH}/${encoded}`, { name: 'n' });
    expect(created.status).toBe(201);
    const location = created.location!;
    const read = await send('GET', location);
    expect([read.status, read.body.user_group?.provided_id]).toEqual([200, id]);
    expect((await send('GET', `${location}/tokens/current`)).body.user_group?.provided_id).toBe(id);
    expect((await service.api.get({ user_group_id: id })).body.user_group.team_id).toBe(
      read.body.user_group?.team_id,
    );
    expect((await send('PATCH', location, { name: 'm' })).body.user_group?.name).toBe('m');
    expect((await send('POST', `${location}/suspend`)).status).toBe(200);
    expect((await send('DELETE', location)).status).toBe(200);
    expect((await send('GET', location)).status).toBe(404);
  });

  test.each([
    ['%00', 404, 422],
    ['a%0Ab', 404, 422],
    ['%C2%85', 404, 422],
    ['x'.repeat(256), 404, 422],
    ['%F0%9F%9A%80'.repeat(256), 404, 422],
    ['%FF', 400, 400],
    ['%ED%A0%80', 400, 400],
    ['%', 400, 400],
    ['%zz', 400, 400],
  ])(
    'the path %.20s names nothing, and nothing can be created there',
    async (segment, absent, creating) => {
      for (const [method, rest] of [
        ['GET', ''],
        ['PATCH', ''],
        ['DELETE', ''],
        ['POST', '/suspend'],
        ['POST', '/resume'],
        ['GET', '/tokens/current'],
      ] as const) {
        const answer = await rawCall(
          service,
          method,
          `${PATH}/${segment}${rest}`,
          method === 'PATCH' ? {} : undefined,
        );
        expect([method, rest, answer.status]).toEqual([method, rest, absent]);
      }
      const put = await rawCall(service, 'PUT', `${PATH}/${segment}`, { name: 'n' });
      expect([put.status, put.body.success]).toEqual([creating, 0]);
    },
  );
});

interface RawResponse {
  status: number;
  location: string | undefined;
  body: { success: number; user_group?: { team_id: number; provided_id: string; name: string } };
}

/** A call whose path is sent as it is. */
function rawCall(
  service: TestService,
  method: string,
  path: string,
  body?: object,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const payload = body === undefined ? undefined : JSON.stringify(body);
    const outgoing = request({
      host: '127.0.0.1',
      port: service.port,
      method,
      path,
      headers: {
        Authorization: `Token ${service.bootstrapToken}`,
        ...(payload !== undefined && {
          'Content-Type': 'application/json',
          'Content-Length': Buffer.byteLength(payload),
        }),
      },
    });
    outgoing.on('error', reject);
    outgoing.on('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => (text += chunk));
      response.on('end', () => {
        const { statusCode = 0, headers } = response;
        resolve({ status: statusCode, location: headers.location, body: JSON.parse(text) });
      });
    });
    outgoing.end(payload);
  });
}
