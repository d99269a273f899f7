import { connect } from 'node:net';
import packageJson from '../../package.json' with { type: 'json' };
import { generateToken } from '../../src/platform/common/secret/secrets.ts';
import { ApiClient } from '../support/api/api-client.ts';
import {
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { freePort } from '../system/lab/ports.mjs';
import {
  BOOTSTRAP_TOKEN,
  type RunningServer,
  startOwnServer,
} from '../support/process/processes.ts';
import { until } from '../support/time/until.ts';

onEachDatabase((kind) => {
  let database: TestDatabase;
  let server: RunningServer;
  let metricsPort: number;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    metricsPort = await freePort();
    server = await startOwnServer({
      ...database.env,
      METRICS_PORT: String(metricsPort),
      TRUST_PROXY: '1',
      LOG_LEVEL: 'trace',
    });
  });

  afterAll(async () => {
    expect(await server.stop()).toBe(0);
    await database.drop();
  });

  const requestLines = () =>
    server
      .output()
      .split('\n')
      .filter((line) => line.includes('"msg":"request"'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);

  /** The line of a request is written when its answer has gone out, which may be after it came in. */
  async function lineOf(id: string): Promise<Record<string, unknown>> {
    const find = () => requestLines().find(({ request_id }) => request_id === id);
    await until(() => find() !== undefined);
    return find()!;
  }

  test('a process that was never asked to introspect listens for no changes, and says nothing of it', async () => {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(text).not.toMatch(/^change_channel_up /m);
  });

  test('each request is one line that says who asked what, with which result', async () => {
    await server.api.get({ user_group_id: 'g', name: 'G' }, { 'X-Request-Id': 'logged' });
    expect(await lineOf('logged')).toMatchObject({
      level: 'info',
      method: 'GET',
      path: '/api/user',
      status: 200,
      ms: expect.any(Number),
      address: '127.0.0.1',
      workspace_id: 1,
      api_token_id: 1,
    });
    expect(requestLines().filter(({ request_id }) => request_id === 'logged')).toHaveLength(1);
  });

  test('a refusal says its code, and a call that is part of a trace names it', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01';
    await server.api.get({}, { traceparent, 'X-Request-Id': 'traced' });
    expect(await lineOf('traced')).toMatchObject({
      status: 422,
      code: 'validation_failed',
      trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
      parent_id: '00f067aa0ba902b7',
    });
    await server.api.get({}, { traceparent: 'forged\t', 'X-Request-Id': 'untraced' });
    expect(await lineOf('untraced')).not.toHaveProperty('trace_id');
  });

  test('no text of a caller is the format of a line', async () => {
    const path = '/%s%d%j%o%%';
    await server.api.send({ method: 'GET', path, headers: { 'X-Request-Id': 'format' } });
    expect(await lineOf('format')).toMatchObject({ msg: 'request', path, method: 'GET' });
  });

  test('a probe is no news, unless its answer is no', async () => {
    const probe = { method: 'GET', path: '/health/ready', headers: { 'X-Request-Id': 'probe' } };
    expect((await server.api.send(probe)).status).toBe(200);
    expect((await lineOf('probe'))['level']).toBe('debug');
    const wrong = { method: 'POST', path: '/health/ready', headers: { 'X-Request-Id': 'no' } };
    expect((await server.api.send(wrong)).status).toBe(405);
    expect((await lineOf('no'))['level']).toBe('info');
  });

  test('no line holds a client secret, right or wrong, plain or in base64', async () => {
    const path = '/api/v1/introspect';
    const anybody = new ApiClient(server.baseUrl);
    const headers = { 'Content-Type': 'application/x-www-form-urlencoded' };
    const secrets = [BOOTSTRAP_TOKEN, 'a-wrong-secret-of-no-known-form', '%E0%A4%A-not-encoded'];
    for (const secret of secrets) {
      const basic = `Basic ${Buffer.from(`id:${secret}`).toString('base64')}`;
      const form = `token=x&client_id=id&client_secret=${secret}`;
      await anybody.call('POST', path, 'token=x', { ...headers, Authorization: basic });
      await anybody.call('POST', path, form, headers);
      await anybody.call('POST', `${path}?${form}`, form, { ...headers, Authorization: basic });
      await anybody.call('POST', path, { client_secret: secret });
    }
    await server.api.send({ method: 'GET', path: '/', headers: { 'X-Request-Id': 'asked' } });
    await lineOf('asked');
    for (const secret of secrets) {
      const inBase64 = Buffer.from(`id:${secret}`).toString('base64');
      for (const text of [secret, inBase64, encodeURIComponent(secret)]) {
        expect(server.output()).not.toContain(text);
      }
    }
  });

  test('the address is the one that the trusted proxy saw', async () => {
    const forwarded = { 'X-Forwarded-For': '203.0.113.9, 198.51.100.7', 'X-Request-Id': 'proxied' };
    await server.api.get({ user_group_id: 'g' }, forwarded);
    expect((await lineOf('proxied'))['address']).toBe('198.51.100.7');
  });

  test('what a proxy reports of the client and is no address is logged once', async () => {
    const token = generateToken('ugt');
    for (const client of [`_hidden ${token}`, 'unknown', 'unknown']) {
      await server.api.get({ user_group_id: 'g' }, { 'X-Forwarded-For': client });
    }
    await server.api.get({ user_group_id: 'g' }, { 'X-Request-Id': 'behind' });
    await lineOf('behind');
    const lines = server
      .output()
      .split('\n')
      .filter((line) => line.includes('X-Forwarded-For'))
      .map((line) => JSON.parse(line) as object);
    expect(lines).toMatchObject([{ level: 'warn', client: '_hidden ugt_[redacted]' }]);
  });

  test('no line holds a token, wherever a caller puts it', async () => {
    const { body } = await server.api.get({ user_group_id: 'secret', name: 'S' });
    const { token } = body.user_group;
    await server.api.post({ current_token: token }, { 'X-Request-Id': 'rotation' });
    await server.api.send({ method: 'GET', path: `/${token}?t=${token}` });
    const embedToken = (
      await server.api.call('POST', '/api/v1/user-groups/secret/embed-tokens', { audience: 'a' })
    ).body.embed_token.token;
    for (const text of [embedToken, embedToken.slice(0, -20), `x${embedToken}`]) {
      await server.api.send({ method: 'GET', path: `/${text}?t=${text}` });
    }
    await server.api.get({}, { Authorization: `Token ${embedToken}` });
    await server.api.get({}, { 'X-Request-Id': token });
    await server.api.get({}, { Authorization: `Token ${token}` });
    await server.api.send({ method: 'GET', path: '/', headers: { 'X-Request-Id': 'last' } });
    await lineOf('last');
    await server.api.send({ method: 'GET', path: `/${token.replace('_', '%5F')}` });
    await server.api.send({ method: 'GET', path: `/${BOOTSTRAP_TOKEN}` });
    const encoded = (text: string) =>
      [...Buffer.from(text)].map((byte) => `%${byte.toString(16)}`).join('');
    const hidden = [token, BOOTSTRAP_TOKEN].flatMap((text) => [
      encoded(text),
      encoded(encoded(text)),
      encoded(encoded(encoded(text))).slice(0, 8000),
      encoded(text).replaceAll('%', `%${'25'.repeat(20)}`),
    ]);
    for (const text of hidden) await server.api.send({ method: 'GET', path: `/${text}` });
    await server.api.send({ method: 'GET', path: '/', headers: { 'X-Request-Id': 'very-last' } });
    await lineOf('very-last');
    expect(server.output()).not.toContain(token.slice(4));
    expect(server.output()).toContain('ugt_[redacted]');
    expect(server.output()).not.toContain(embedToken.slice(-86, -40));
    expect(server.output()).toContain('/eyJ[redacted]');
    for (const text of hidden) expect(server.output()).not.toContain(text.slice(0, 60));
    // It has no form by which it could be known.
    expect(server.output()).not.toContain(BOOTSTRAP_TOKEN);
  });

  test('metrics count requests by route template and status, on a port of their own', async () => {
    await server.api.get({ user_group_id: 'g' });
    await server.api.send({ method: 'GET', path: '/some/unknown/path' });
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(text).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/api\/user",status="200"\} \d+/,
    );
    expect(text).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="none",status="404"\} \d+/,
    );
    expect(text).not.toContain('/some/unknown/path');
    expect(text).toContain('process_cpu_seconds_total');
    const onApi = await server.api.send({ method: 'GET', path: '/metrics' });
    expect(onApi.status).toBe(404);
  });

  test('the metrics tell how often an introspection was answered from memory', async () => {
    const { body } = await server.api.get({ user_group_id: 'counted', name: 'C' });
    const { token } = body.user_group;
    let text = '';
    // The first introspections of a process find no memory: it begins to follow the changes with them.
    await until(async () => {
      await server.api.introspect(token);
      text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
      return /^user_group_snapshots_total\{result="hit"\} [1-9]/m.test(text);
    });
    expect(text).toMatch(/^user_group_snapshots_total\{result="miss"\} [1-9]/m);
    // On the embedded database there is no channel.
    expect(/^change_channel_up [01]$/m.test(text)).toBe(kind === 'postgres');
  });

  test('the metrics count introspections, rotations and refusals, and say the version', async () => {
    const { body } = await server.api.get({ user_group_id: 'metered', name: 'M' });
    const { token } = body.user_group;
    const before = await values();
    await server.api.introspect(token);
    await server.api.post({ current_token: token }, { 'Idempotency-Key': 'metered' });
    await server.api.post({ current_token: token }, { 'Idempotency-Key': 'metered' });
    await server.api.call('POST', '/api/v1/user-groups/metered/tokens/rotate', {});
    await server.api.introspect(token);
    await server.apiOf('uga_wrong').get({});
    await server.apiOf('uga_wrong').get({});
    const after = await values();
    const more = (name: string) => after(name) - before(name);
    expect(more('introspections_total{result="active"}')).toBe(1);
    expect(more('introspections_total{result="inactive"}')).toBe(1);
    expect(more('token_rotations_total')).toBe(2);
    expect(more('http_problems_total{code="api_token_invalid"}')).toBe(2);
    expect(after(`user_group_service_info{version="${packageJson.version}"}`)).toBe(1);
    expect(after('nodejs_eventloop_lag_p99_seconds')).toBeGreaterThan(0);
  });

  test('the metrics tell the connections to PostgreSQL', async () => {
    const value = await values();
    const states = ['busy', 'idle', 'waiting'].map((state) =>
      value(`database_connections{state="${state}"}`),
    );
    const [busy, idle] = states as [number, number];
    expect(busy + idle > 0).toBe(kind === 'postgres');
    expect(busy + idle).toBeLessThanOrEqual(10);
  });

  /** The samples of now by name and labels; 0 where there is none. */
  async function values(): Promise<(name: string) => number> {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    const samples = text.split('\n').map((line) => line.split(/ (?=\S+$)/));
    return (name) => Number(samples.find(([sample]) => sample === name)?.[1] ?? 0);
  }

  test.each([
    ['an unknown path', 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n', 404, 'route_not_found'],
    ['another method', 'POST /metrics HTTP/1.1\r\nHost: x\r\n\r\n', 405, 'method_not_allowed'],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n', 405, 'method_not_allowed'],
    ['garbage', 'GARBAGE\r\n\r\n', 400, 'request_malformed'],
    ['no host', 'GET /metrics HTTP/1.1\r\n\r\n', 400, 'request_malformed'],
    [
      'an expectation',
      'GET /metrics HTTP/1.1\r\nHost: x\r\nExpect: a\r\n\r\n',
      417,
      'expectation_failed',
    ],
  ])('the metrics port answers %s as the API does', async (_name, bytes, status, code) => {
    const onApi = await answerTo(Number(new URL(server.baseUrl).port), bytes);
    const onMetrics = await answerTo(metricsPort, bytes);
    expect(onMetrics).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
    expect(onMetrics).toContain(`"code":"${code}"`);
    expect(onMetrics).toMatch(/^content-security-policy: default-src 'none'/im);
    const words = (text: string) => text.split('\r\n\r\n')[1]!.replace(/"request_id":"[^"]*"/, '');
    if (code !== 'method_not_allowed') expect(words(onMetrics)).toBe(words(onApi));
  });

  test('malformed HTTP is counted by code, and logged once a minute with its number', async () => {
    const { port } = new URL(server.baseUrl);
    const before = await values();
    for (let round = 0; round < 7; round++) await answerTo(Number(port), 'GARBAGE\r\n\r\n');
    await answerTo(Number(port), `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`);
    await answerTo(Number(port), 'GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n');
    const after = await values();
    const more = (code: string) => {
      const sample = `http_malformed_total{code="${code}"}`;
      return after(sample) - before(sample);
    };
    expect(more('request_malformed')).toBe(8);
    expect(more('headers_too_large')).toBe(1);
    expect(more('request_timeout')).toBe(0);
    const lines = () => server.output().match(/"msg":"malformed HTTP"/g) ?? [];
    // A line can be written after the response has arrived.
    await until(() => lines().length > 0);
    // Each of the two ports has a line of its own.
    expect(lines().length).toBeLessThanOrEqual(2);
  });
});

/** Sends these bytes to the port. @returns the whole response */
function answerTo(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    let text = '';
    socket.on('data', (chunk) => (text += chunk.toString()));
    socket.on('error', reject);
    socket.on('close', () => {
      resolve(text);
    });
  });
}
