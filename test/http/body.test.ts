import { request } from 'node:http';
import { connect } from 'node:net';
import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';

onEachDatabase((kind) => {
  const service = withService(kind);

  const group = { user_group_id: 'g', name: 'G' };

  test.each(['GET', 'PUT'])(
    '%s takes a body by Content-Length, chunked, and with a trailing slash',
    async (method) => {
      for (const chunked of [false, true]) {
        for (const path of ['/api/user', '/api/user/', '/api/user?x=1']) {
          const answer = await service.api.send({ method, path, chunked, body: group });
          expect([answer.status, answer.body.success]).toEqual([200, 1]);
        }
      }
    },
  );

  test.each(['GET', 'PUT', 'POST'])('%s without a body is told why', async (method) => {
    const answer = await service.api.send({ method });
    expect([answer.status, answer.body.code]).toEqual([400, 'body_missing']);
    expect(answer.body.detail).toMatch(/fetch.*PUT.*X-HTTP-Method-Override: GET/);
    const empty = await service.api.send({ method, body: '' });
    expect(empty.body.code).toBe('body_missing');
    const emptyChunked = await service.api.send({ method, body: '', chunked: true });
    expect(emptyChunked.body.code).toBe('body_missing');
  });

  test('a body whose fields are all optional may be omitted', async () => {
    const { path } = await service.api.create();
    const issued = await service.api.call('POST', '/api/v1/api-tokens', {
      name: 'n',
      scopes: ['audit:read'],
    });
    const endpoint = await service.api.call('POST', '/api/v1/webhook-endpoints', {
      url: 'https://example.com/',
    });
    const apiToken = `/api/v1/api-tokens/${issued.body.api_token.id}/rotate`;
    const secret = `/api/v1/webhook-endpoints/${endpoint.body.webhook_endpoint.id}/roll-secret`;
    for (const [at, created] of [
      [`${path}/tokens/rotate`, 200],
      [apiToken, 201],
      [secret, 201],
    ] as const) {
      const { status, body } = await service.api.call('POST', at);
      expect([at, status, body.success]).toEqual([at, created, 1]);
    }
    for (const sent of [{ body: '' }, { body: '', chunked: true }]) {
      const { status } = await service.api.send({
        method: 'POST',
        path: `${path}/tokens/rotate`,
        ...sent,
      });
      expect(status).toBe(200);
    }
  });

  test('a change without its body is refused, although each of its fields is optional', async () => {
    const { path } = await service.api.create();
    for (const at of [path, '/api/v1/workspace']) {
      const { status, body } = await service.api.call('PATCH', at);
      expect([status, body.code]).toEqual([400, 'body_missing']);
    }
  });

  test('a page in a browser can send the GET as POST', async () => {
    const override = { 'X-HTTP-Method-Override': 'GET' };
    const answer = await service.api.post({ user_group_id: 'override', name: 'O' }, override);
    expect(answer.body).toMatchObject({ success: 1, new_user_group: true });
    const readOnly = service.clientOf(await service.issueToken(['tokens:rotate']));
    const refused = await readOnly.post(group, override);
    expect(refused.body.detail).toContain('user-groups:read');
  });

  test.each(['PUT', 'DELETE', 'HEAD', 'POST', ''])('the override %j is refused', async (method) => {
    const answer = await service.api.post(
      { current_token: 'x' },
      { 'X-HTTP-Method-Override': method },
    );
    expect([answer.status, answer.body.code]).toEqual([405, 'method_not_allowed']);
  });

  test.each([
    ['text/plain', 415],
    ['application/x-www-form-urlencoded', 415],
    ['application/json; charset=latin1', 415],
    ['application/json; charset=utf-16', 415],
    ['application/jsonx', 415],
    ['nonsense', 415],
    ['', 415],
    ['application/json', 200],
    ['Application/JSON;charset="UTF-8"', 200],
    ['application/json; charset=utf-8; q=1', 200],
  ])('the media type %j gives %d', async (type, status) => {
    const answer = await service.api.get(group, { 'Content-Type': type });
    expect(answer.status).toBe(status);
    if (status === 415) expect(answer.body.code).toBe('media_type_unsupported');
  });

  test('a body without a media type or with a content encoding is refused', async () => {
    const encoded = await service.api.get(group, { 'Content-Encoding': 'gzip' });
    expect([encoded.status, encoded.body.code]).toEqual([415, 'media_type_unsupported']);
    const untyped = await raw(
      service.port,
      `GET /api/user HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${service.bootstrapToken}\r\nContent-Length: 2\r\nConnection: close\r\n\r\n{}`,
    );
    expect(untyped).toMatch(/^HTTP\/1.1 415 /);
  });

  test('bytes that are not UTF-8 are refused and nothing is stored', async () => {
    const body = Buffer.concat([
      Buffer.from('{"user_group_id":"latin1","name":"caf'),
      Buffer.from([0xe9]),
      Buffer.from('"}'),
    ]);
    const answer = await service.api.get(body);
    expect([answer.status, answer.body.code]).toEqual([400, 'body_not_utf8']);
    expect((await service.api.get({ user_group_id: 'latin1' })).status).toBe(404);
  });

  test.each([
    ['{"user_group_id":"x"', 400, 'json_malformed'],
    ['{"user_group_id":"x","user_group_id":"y"}', 400, 'json_duplicate_key'],
    ['{"user_group_id":"x","properties":{"a":1,"a":2}}', 400, 'json_duplicate_key'],
    ['[]', 422, 'validation_failed'],
    ['null', 422, 'validation_failed'],
    ['"text"', 422, 'validation_failed'],
    ['1', 422, 'validation_failed'],
    ['['.repeat(5000), 422, 'validation_failed'],
    ['{"user_group_id":"x","unknown":"\\u0000"}', 422, 'validation_failed'],
    ['{"user_group_id":"x","\\ud800":1}', 422, 'validation_failed'],
  ])('%.60s is refused', async (body, status, code) => {
    const answer = await service.api.get(body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test.each<[string, object, string, string]>([
    ['no id', { name: 'n' }, '/user_group_id', 'required'],
    ['a null id', { user_group_id: null }, '/user_group_id', 'type'],
    ['a number as id', { user_group_id: 7 }, '/user_group_id', 'type'],
    ['an empty id', { user_group_id: '' }, '/user_group_id', 'empty'],
    ['an id of 256 code points', { user_group_id: 'é'.repeat(256) }, '/user_group_id', 'too_long'],
    [
      'a control character in an id',
      { user_group_id: 'a\nb' },
      '/user_group_id',
      'control_character',
    ],
    ['DEL in an id', { user_group_id: 'a\u007f' }, '/user_group_id', 'control_character'],
    ['a null name', { user_group_id: 'x', name: null }, '/name', 'type'],
    ['an object as name', { user_group_id: 'x', name: {} }, '/name', 'type'],
    ['an empty name', { user_group_id: 'x', name: '' }, '/name', 'empty'],
    ['a name of 256 emoji', { user_group_id: 'x', name: '🚀'.repeat(256) }, '/name', 'too_long'],
    ['NUL in a name', { user_group_id: 'x', name: 'a\0' }, '/name', 'nul_character'],
    ['half a pair in a name', { user_group_id: 'x', name: '\ud800' }, '/name', 'lone_surrogate'],
    ['a list as properties', { user_group_id: 'x', properties: [] }, '/properties', 'type'],
    ['a string as properties', { user_group_id: 'x', properties: '{}' }, '/properties', 'type'],
    [
      '17 levels of properties',
      { user_group_id: 'x', properties: nested(17) },
      '/properties',
      'too_deep',
    ],
    [
      '17 KiB of properties',
      { user_group_id: 'x', properties: { t: 'x'.repeat(17_000) } },
      '/properties',
      'too_large',
    ],
    [
      'NUL in a property key',
      { user_group_id: 'x', properties: { 'a\0b': 1 } },
      '/properties',
      'nul_character',
    ],
    ['a list as mapping', { user_group_id: 'x', mapping: [] }, '/mapping', 'type'],
    ['an empty schema id', { user_group_id: 'x', mapping: { '': 1 } }, '/mapping/', 'empty'],
    [
      'a long schema id',
      { user_group_id: 'x', mapping: { ['k'.repeat(256)]: 1 } },
      '/mapping',
      'too_long',
    ],
    [
      'a fraction as data source',
      { user_group_id: 'x', mapping: { s: 1.5 } },
      '/mapping/s',
      'type',
    ],
    ['true as data source', { user_group_id: 'x', mapping: { s: true } }, '/mapping/s', 'type'],
    ['null as data source', { user_group_id: 'x', mapping: { s: null } }, '/mapping/s', 'type'],
    [
      'an object as data source',
      { user_group_id: 'x', mapping: { 'a/b': {} } },
      '/mapping/a~1b',
      'type',
    ],
    ['201 mapping entries', { user_group_id: 'x', mapping: entries(201) }, '/mapping', 'too_many'],
  ])('%s is named in errors', async (_name, body, pointer, code) => {
    const answer = await service.api.put({ name: 'n', ...body });
    expect([answer.status, answer.body.code]).toEqual([422, 'validation_failed']);
    expect(answer.body.errors).toContainEqual({ pointer, code, detail: expect.any(String) });
    expect((await service.api.get({ user_group_id: 'x' })).status).toBe(404);
  });

  test.each([
    [
      '255 code points of four bytes as name and id',
      { user_group_id: '🚀'.repeat(255), name: '🚀'.repeat(255) },
    ],
    ['16 levels of properties', { user_group_id: 'deep', name: 'n', properties: nested(16) }],
    ['200 mapping entries', { user_group_id: 'wide', name: 'n', mapping: entries(200) }],
    [
      'exactly 16 KiB of properties',
      { user_group_id: 'full', name: 'n', properties: { t: 'x'.repeat(16_384 - 8) } },
    ],
    ['a control character in a name', { user_group_id: 'ctl', name: 'a\tb' }],
    [
      'any text as data source',
      { user_group_id: 'any', name: 'n', mapping: { a: '', b: 'x'.repeat(5000), c: '\n' } },
    ],
    [
      'the largest exact integers',
      { user_group_id: 'int', name: 'n', mapping: { a: 2 ** 53 - 1, b: 1 - 2 ** 53 } },
    ],
  ])('%s are accepted', async (_name, body) => {
    const answer = await service.api.get(body);
    expect([answer.status, answer.body.success]).toEqual([200, 1]);
    const again = await service.api.get(body);
    expect(again.body.user_group).toEqual(answer.body.user_group);
  });

  test.each(['9007199254740993', '1e400', '0.1000000000000000055511151231257827', '-1e-400'])(
    'the number %s is refused in properties and mapping, and ignored elsewhere',
    async (number) => {
      const inProperties = await service.api.get(
        `{"user_group_id":"n","name":"n","properties":{"a":[${number}]}}`,
      );
      expect(inProperties.body.errors).toEqual([
        expect.objectContaining({ pointer: '/properties/a/0', code: 'lossy_number' }),
      ]);
      const inMapping = await service.api.get(
        `{"user_group_id":"n","name":"n","mapping":{"a":${number}}}`,
      );
      expect(inMapping.status).toBe(422);
      const deepKey = `{"user_group_id":"n","name":"n","properties":{"${'k'.repeat(300)}":${number}}}`;
      expect((await service.api.get(deepKey)).status).toBe(422);
      const manyIgnored = `{"user_group_id":"n","name":"n","ignored":[${Array(50).fill(number).join()}],"properties":{"a":${number}}}`;
      expect((await service.api.get(manyIgnored)).status).toBe(422);
      const ignored = await service.api.get(
        `{"user_group_id":"ignored ${number}","name":"n","x":${number}}`,
      );
      expect(ignored.status).toBe(200);
    },
  );

  test.each([256 * 1024, 20 * 1024 * 1024])(
    'a body with %d bytes of filling is refused, and the refusal arrives',
    async (filling) => {
      const body = JSON.stringify({ ...group, filling: 'x'.repeat(filling) });
      for (const chunked of [false, true]) {
        const answer = await service.api.send({ method: 'PUT', body, chunked });
        expect([answer.status, answer.body.code]).toEqual([413, 'body_too_large']);
      }
    },
  );

  test('a body of exactly the limit is read', async () => {
    const start = '{"user_group_id":"limit","name":"n","filling":"';
    const body = `${start}${'x'.repeat(256 * 1024 - start.length - 2)}"}`;
    expect(Buffer.byteLength(body)).toBe(256 * 1024);
    expect((await service.api.put(body)).status).toBe(200);
    expect((await service.api.put(`${body} `)).status).toBe(413);
  });

  test('a body that ends early is not stored', async () => {
    const body = '{"user_group_id":"cut","name":"Cut"}';
    await new Promise<void>((resolve) => {
      const outgoing = request(`${service.baseUrl}/api/user`, {
        method: 'PUT',
        headers: {
          Authorization: `Token ${service.bootstrapToken}`,
          'Content-Type': 'application/json',
          'Content-Length': body.length + 10,
        },
      });
      outgoing.on('error', () => undefined);
      outgoing.on('close', resolve);
      outgoing.write(body);
      // The service has begun to read, and waits for the rest.
      service.app.getHttpServer().once('request', () => setImmediate(() => outgoing.destroy()));
    });
    expect((await service.api.get({ user_group_id: 'cut' })).status).toBe(404);
  });
});

function nested(levels: number): object {
  return levels === 1 ? {} : { a: nested(levels - 1) };
}

function entries(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index}`, index]));
}

/** Sends bytes as they are and gives the whole answer. */
function raw(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('end', () => {
      resolve(text);
    });
    socket.on('error', reject);
  });
}
