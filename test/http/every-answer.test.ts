import { connect } from 'node:net';
import type { Answer } from '../support/api/api-client.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { type TestService, withService } from '../support/test-service.ts';

onEachDatabase((kind) => {
  const service = withService(kind);

  const group = { user_group_id: 'g', name: 'G' };

  test.each<[string, (service: TestService) => Promise<Answer>, number, string | undefined]>([
    ['a success', ({ api }) => api.get(group), 200, undefined],
    [
      'an unknown route',
      ({ api }) => api.send({ method: 'GET', path: '/nope' }),
      404,
      'route_not_found',
    ],
    [
      'below the route',
      ({ api }) => api.send({ method: 'GET', path: '/api/user/1' }),
      404,
      'route_not_found',
    ],
    [
      'a path that cannot be decoded',
      ({ api }) => api.send({ method: 'GET', path: '/%E0%A4%A' }),
      404,
      'route_not_found',
    ],
    ['401', ({ clientOf }) => clientOf(undefined).get(group), 401, 'credentials_missing'],
    [
      '404 of a group',
      ({ api }) => api.get({ user_group_id: 'nobody' }),
      404,
      'user_group_not_found',
    ],
    ['DELETE', ({ api }) => api.send({ method: 'DELETE' }), 405, 'method_not_allowed'],
    ['PATCH', ({ api }) => api.send({ method: 'PATCH', body: group }), 405, 'method_not_allowed'],
    ['OPTIONS', ({ api }) => api.send({ method: 'OPTIONS' }), 405, 'method_not_allowed'],
    ['TRACE', ({ api }) => api.send({ method: 'TRACE' }), 405, 'method_not_allowed'],
    ['PROPFIND', ({ api }) => api.send({ method: 'PROPFIND' }), 405, 'method_not_allowed'],
    ['413', ({ api }) => api.put('x'.repeat(300_000)), 413, 'body_too_large'],
    [
      '415',
      ({ api }) => api.put(group, { 'Content-Type': 'text/xml' }),
      415,
      'media_type_unsupported',
    ],
    ['417', ({ api }) => api.put(group, { Expect: 'the-unexpected' }), 417, 'expectation_failed'],
    ['422', ({ api }) => api.put({}), 422, 'validation_failed'],
    [
      '431',
      ({ api }) => api.get(group, { 'X-Long': 'x'.repeat(20_000) }),
      431,
      'headers_too_large',
    ],
  ])('%s is JSON with success, and safe to cache nowhere', async (_name, call, status, code) => {
    const answer = await call(service);
    expect(answer.status).toBe(status);
    expectCommonHeaders(answer);
    if (code === undefined) {
      expect(answer.body.success).toBe(1);
      expect(answer.headers['content-type']).toBe('application/json; charset=utf-8');
    } else {
      expectProblem(answer, status, code);
    }
  });

  test('HEAD is refused, without a body, and creates nothing', async () => {
    const answer = await service.api.send({
      method: 'HEAD',
      body: { user_group_id: 'head', name: 'H' },
    });
    expect([answer.status, answer.text, answer.headers['allow']]).toEqual([
      405,
      '',
      'GET, PUT, POST',
    ]);
    expectCommonHeaders(answer);
    expect((await service.api.get({ user_group_id: 'head' })).status).toBe(404);
  });

  test('no condition turns an answer into a 304', async () => {
    await service.api.get(group);
    for (const [name, value] of [
      ['If-None-Match', '*'],
      ['If-Modified-Since', 'Fri, 01 Jan 2100 00:00:00 GMT'],
    ] as const) {
      const answer = await service.api.get(group, { [name]: value });
      expect([answer.status, answer.body.success]).toEqual([200, 1]);
    }
  });

  test('the files of the docs page are whole, uncached, and never a defect', async () => {
    for (const headers of [
      {},
      { Range: 'bytes=999999999-' },
      { 'If-Match': '"x"' },
      { 'If-None-Match': '*' },
      { 'If-Modified-Since': 'Fri, 01 Jan 2100 00:00:00 GMT' },
    ] as Record<string, string>[]) {
      const answer = await fetch(`${service.baseUrl}/docs/swagger-ui.css`, { headers });
      expect([answer.status, (await answer.text()).length > 100_000]).toEqual([200, true]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
      for (const name of ['etag', 'last-modified', 'x-powered-by']) {
        expect(answer.headers.get(name)).toBeNull();
      }
    }
  });

  test('a request id is echoed when it is harmless, and made when it is not', async () => {
    const given = await service.api.put({}, { 'X-Request-Id': 'abc-123.x:y_z' });
    expect([given.headers['x-request-id'], given.body.request_id]).toEqual([
      'abc-123.x:y_z',
      'abc-123.x:y_z',
    ]);
    for (const id of ['x'.repeat(65), 'with space', '<script>', '']) {
      const answer = await service.api.put({}, { 'X-Request-Id': id });
      expect(answer.body.request_id).toMatch(/^[0-9a-f-]{36}$/);
      expect(answer.headers['x-request-id']).toBe(answer.body.request_id);
    }
  });

  test.each([
    ['garbage', 'GARBAGE\r\n\r\n', 400],
    ['an unknown method', 'FOO /api/user HTTP/1.1\r\nHost: x\r\n\r\n', 400],
    ['a broken header', 'GET / HTTP/1.1\r\nHost: x\r\nbroken header\r\n\r\n', 400],
    ['HTTP/0.9', 'GET /health/live\r\n\r\n', 400],
    ['no host', 'GET / HTTP/1.1\r\nConnection: close\r\n\r\n', 400],
    ['two hosts', 'GET /api/user HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n', 400],
    [
      'two credentials',
      'GET /api/user HTTP/1.1\r\nHost: x\r\nAuthorization: Token a\r\nAuthorization: Token b\r\n\r\n',
      400,
    ],
    [
      'chunks in HTTP/1.0',
      'PUT /api/user HTTP/1.0\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
      400,
    ],
    [
      'two lengths',
      'PUT /api/user HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nContent-Length: 3\r\n\r\n{}',
      400,
    ],
    [
      'a length and chunks',
      'PUT /api/user HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    ['a negative length', 'PUT /api/user HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n', 400],
    ['a header that never ends', `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}`, 431],
    ['TLS on the plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', 400],
    ['CONNECT', 'CONNECT example.com:443 HTTP/1.1\r\nHost: x\r\n\r\n', 405],
  ])('malformed HTTP (%s) is answered as JSON', async (_name, bytes, status) => {
    const answer = await rawAnswer(service.port, bytes);
    expect(answer.status).toBe(status);
    expectCommonHeaders(answer);
    expectProblem(answer, status, answer.body.code);
  });

  test('garbage after a request does not replace the answer to it', async () => {
    const body = JSON.stringify({ user_group_id: 'pipelined', name: 'P' });
    const answer = await rawAnswer(
      service.port,
      `PUT /api/user HTTP/1.1\r\nHost: x\r\nAuthorization: Token ${service.bootstrapToken}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}GARBAGE\r\n\r\n`,
    );
    expect([answer.status, answer.body.success]).toEqual([200, 1]);
    expect(answer.body.user_group.provided_id).toBe('pipelined');
  });
});

function expectCommonHeaders({ headers }: Answer): void {
  expect(headers).toMatchObject({
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'content-security-policy':
      "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'x-request-id': expect.stringMatching(/./),
  });
  expect(headers).not.toHaveProperty('etag');
  expect(headers).not.toHaveProperty('x-powered-by');
}

function expectProblem({ body, headers }: Answer, status: number, code: string): void {
  expect(headers['content-type']).toBe('application/problem+json; charset=utf-8');
  expect(body).toMatchObject({
    success: 0,
    type: `urn:problem-type:user-group-service:${code}`,
    title: expect.any(String),
    status,
    detail: expect.any(String),
    code,
    request_id: headers['x-request-id'],
  });
}

function rawAnswer(port: number, bytes: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(bytes, 'latin1')));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', reject);
    socket.on('end', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      const [statusLine = '', ...lines] = head.split('\r\n');
      const headers = Object.fromEntries(
        lines.map((line) => {
          const colon = line.indexOf(':');
          return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
        }),
      );
      resolve({
        status: Number(statusLine.split(' ')[1]),
        headers,
        text: body,
        body: JSON.parse(body),
      });
    });
  });
}
