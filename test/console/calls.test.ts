import { connect } from 'node:net';
import { Metrics } from '../../src/platform/metrics/metrics.ts';
import type { Scope } from '../../src/platform/common/access/caller.ts';
import { keySetPath, NO_WORKSPACE } from '../support/api/workspace-keys.ts';
import type { Answer } from '../support/api/api-client.ts';
import { ConsoleBrowser, OWN_PAGE, signedIn } from '../support/console/console.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { withFrozenBuckets } from '../support/time/frozen-buckets.ts';
import { readUntil } from '../support/time/until.ts';

withFrozenBuckets();

const LIMIT = 20;

onEachDatabase((kind) => {
  const service = withService(kind);
  const limited = withService(kind, { RATE_LIMIT_PER_MINUTE: String(LIMIT) });
  const off = withService(kind, { CONSOLE: 'off' });
  let browser: ConsoleBrowser;

  beforeAll(async () => {
    browser = await signedIn(service);
  });

  const browserWith = async (...scopes: Scope[]) =>
    signedIn(service, await service.issueToken(scopes));

  test('the interface behaves below /console/api as it does below /api', async () => {
    const group = { user_group_id: 'seen', name: 'Seen', properties: { a: 1 } };
    const put = await browser.call('PUT', '/console/api/user', group);
    expect([put.status, put.body.user_group.name]).toEqual([200, 'Seen']);
    const override = { 'X-HTTP-Method-Override': 'GET' };
    const got = await browser.call('POST', '/console/api/user', group, override);
    expect(got.body).toEqual((await service.api.get(group)).body);
    expect((await browser.call('GET', '/console/api/user/', group)).status).toBe(200);
    for (const [method, path, body] of [
      ['GET', '/v1/user-groups/seen', undefined],
      ['GET', '/v1/user-groups?limit=1&name_prefix=Se', undefined],
      ['GET', '/v1/user-groups?limit=0', undefined],
      ['GET', '/v1/user-groups/none', undefined],
      ['GET', '/v1/none', undefined],
      ['POST', '/v1/workspace', {}],
      ['PATCH', '/v1/workspace', { mapping_policy: 'x' }],
      ['PUT', '/user', '{'],
      ['PATCH', '/user', {}],
    ] as const) {
      const own = await browser.call(method, `/console/api${path}`, body);
      const other = await service.api.call(method, `/api${path}`, body);
      expect([path, own.status, withoutId(own)]).toEqual([path, other.status, withoutId(other)]);
      expect(own.headers['allow']).toBe(other.headers['allow']);
    }
    const imported = await browser.call(
      'POST',
      '/console/api/v1/user-groups/import',
      '{"user_group_id":"line","name":"Line"}\n',
      { 'Content-Type': 'application/x-ndjson' },
    );
    expect([imported.status, imported.text]).toEqual([200, expect.stringContaining('created')]);
  });

  test('HEAD answers what GET would, without a body; on the path of the contract it is refused', async () => {
    for (const path of ['/console/session', '/console/sessions', '/console/api/v1/workspace']) {
      const { status, text } = await browser.call('HEAD', path);
      expect([path, status, text]).toEqual([path, 200, '']);
    }
    const { status, headers } = await browser.call('HEAD', '/console/api/user');
    expect([status, headers['allow']]).toEqual([405, 'GET, PUT, POST']);
    expect((await browser.call('HEAD', '/console/session/watch')).headers['content-type']).toMatch(
      /^text\/event-stream/,
    );
  });

  test('the cookie opens nothing but the console, and an API token nothing of it', async () => {
    const cookie = browser.cookie!;
    for (const path of ['/api/user', '/api/v1/workspace', '/api/v1/user-groups']) {
      const answer = await browser.call('GET', path, { user_group_id: 'x' });
      expect([path, answer.status, answer.body.code]).toEqual([path, 401, 'credentials_missing']);
    }
    const paths = ['/console/session', '/console/sessions', '/console/api/v1/workspace'];
    for (const path of [...paths, '/console/session/watch', '/console/api/user']) {
      for (const scheme of ['Token', 'Bearer']) {
        const headers = { ...OWN_PAGE, Authorization: `${scheme} ${service.bootstrapToken}` };
        const body = { user_group_id: 'x' };
        const answer = await service.clientOf(undefined).call('GET', path, body, headers);
        expect([path, answer.status, answer.body.code]).toEqual([path, 401, 'session_missing']);
        expect(answer.headers['www-authenticate']).toBe('Session realm="console"');
        const both = { ...headers, Authorization: 'Token wrong', Cookie: cookie };
        const signed = await service.clientOf(undefined).call('HEAD', path, undefined, both);
        expect([path, signed.status]).toEqual([path, path.endsWith('/user') ? 405 : 200]);
      }
    }
  });

  test('what is not the cookie of a session opens nothing', async () => {
    const [name, secret] = browser.cookie!.split('=') as [string, string];
    const other = `${secret.startsWith('A') ? 'B' : 'A'}${secret.slice(1)}`;
    for (const [cookie, code] of [
      [`${name}=${other}`, 'session_ended'],
      [`${name}=`, 'session_missing'],
      [`${name}=${secret}x`, 'session_missing'],
      [`${name}="${secret}"`, 'session_missing'],
      [`x${name}=${secret}`, 'session_missing'],
      [`__Host-${name}=${secret}`, 'session_missing'],
      [`${name}=${service.bootstrapToken}`, 'session_missing'],
    ]) {
      const headers = { ...OWN_PAGE, Cookie: cookie! };
      const answer = await service
        .clientOf(undefined)
        .call('GET', '/console/session', undefined, headers);
      expect([cookie, answer.status, answer.body.code]).toEqual([cookie, 401, code]);
    }
    const among = { Cookie: `a=b; ${name}=old; ${browser.cookie!};c` };
    expect((await browser.call('GET', '/console/session', undefined, among)).status).toBe(200);
  });

  test('a session does what its API token may, and nothing else', async () => {
    const reader = await browserWith('user-groups:read');
    const group = { user_group_id: 'seen', name: 'Another' };
    expect((await reader.call('GET', '/console/api/v1/user-groups')).status).toBe(200);
    for (const answer of [
      await reader.call('PUT', '/console/api/user', group),
      await reader.call('GET', '/console/api/v1/api-tokens'),
    ]) {
      expect([answer.status, answer.body.code]).toEqual([403, 'insufficient_scope']);
    }
  });

  test('what is done in the console is recorded as done by the API token', async () => {
    const writer = await browserWith('user-groups:write');
    const [, { session }] = await writer.session();
    await writer.call('PUT', '/console/api/v1/user-groups/told', { name: 'Told' });
    const { body } = await service.api.call(
      'GET',
      '/api/v1/audit-events?types=user_group.create&limit=1',
    );
    expect(body.audit_events).toMatchObject([
      { object: { id: 'told' }, actor: { type: 'api_token', api_token_id: session.api_token.id } },
    ]);
    await writer.call('GET', '/console/api/v1/audit-events');
    const { audit_events } = await untilRecorded();
    expect(audit_events).toMatchObject([
      { actor: { type: 'api_token', api_token_id: session.api_token.id } },
    ]);

    async function untilRecorded(): Promise<Answer['body']> {
      for (;;) {
        const query = `?types=authorization.refuse&api_token_id=${session.api_token.id}`;
        const answer = await service.api.call('GET', `/api/v1/audit-events${query}`);
        if (answer.body.audit_events.length > 0) return answer.body;
      }
    }
  });

  test('calls of the console and of the API count towards the limit of the same API token', async () => {
    const token = await limited.issueToken(['user-groups:read']);
    const one = await signedIn(limited, token);
    const left = ({ headers }: Answer) =>
      Number(/"api-token";r=(\d+)/.exec(String(headers['ratelimit']))![1]);
    expect(left(await one.call('GET', '/console/api/v1/user-groups'))).toBe(LIMIT - 2);
    expect(left(await limited.clientOf(token).call('GET', '/api/v1/user-groups'))).toBe(LIMIT - 3);
    expect(left(await one.call('GET', '/console/session'))).toBe(LIMIT - 4);
    for (let calls = LIMIT - 4; calls > 0; calls--) {
      expect((await one.call('GET', '/console/api/v1/user-groups')).status).toBe(200);
    }
    const answer = await one.call('GET', '/console/api/v1/user-groups');
    expect([answer.status, answer.body.code]).toEqual([429, 'rate_limited']);
    expect((await new ConsoleBrowser(limited).signIn(token)).status).toBe(429);
    // Nothing keeps anybody from signing out.
    expect((await one.signOut()).status).toBe(200);
  });

  test('a call of the console has the route of the API in the metrics', async () => {
    const before = await count();
    await browser.call('GET', '/console/api/v1/user-groups/seen');
    // It is counted when its response has been sent.
    expect(await readUntil(before + 1, count)).toBe(before + 1);

    async function count(): Promise<number> {
      const text = await service.app.get(Metrics).registry.metrics();
      const line = /^http_request_duration_seconds_count\{(.*)\} (\d+)$/gm;
      return [...text.matchAll(line)]
        .filter(
          ([, labels]) =>
            labels!.includes('route="/api/v1/user-groups/:id"') && labels!.includes('method="GET"'),
        )
        .reduce((sum, [, , number]) => sum + Number(number), 0);
    }
  });

  test('no spelling of a path below the console reaches anything else', async () => {
    const targets = [
      '/console/api/../health/live',
      '/console/api/../../health/live',
      '/console/api/..%2f..%2fhealth/live',
      '/console/api/%2e%2e/health/live',
      '/console/api/..;/health/live',
      '/console/api/./v1/workspace',
      '/console/api//v1/workspace',
      '/console/api/v1//workspace',
      '/console/api/v1/workspace/',
      '/console//api/v1/workspace',
      '//console/api/v1/workspace',
      '/console%2fapi/v1/workspace',
      '/console/api%2fv1/workspace',
      '/console/%61pi/v1/workspace',
      '/Console/api/v1/workspace',
      '/console/API/v1/workspace',
      '/console/apix/v1/workspace',
      '/console/api',
      '/console/api/',
      '/console/api?x=/v1/workspace',
      '/console/api/console/session',
      '/console/api/console/api/v1/workspace',
      '/console/api/api/v1/workspace',
      '/console/api/docs',
      '/console/api/health/live',
      `/console/api${keySetPath(NO_WORKSPACE)}`,
      '/console/sessionx',
      '/console/session/',
      '/console/sessions/',
      '/console/session/../sessions',
      '/console/../api/v1/workspace',
      '/console/assets/../index.html',
      '/console/assets/..%2findex.html',
      '/console/x',
    ];
    for (const target of targets) {
      for (const spelling of [target, `http://127.0.0.1${target}`]) {
        expect([spelling, await statusOf(spelling)]).toEqual([spelling, 404]);
      }
    }
    expect(await statusOf('http://127.0.0.1/console/api/v1/workspace')).toBe(200);
    // An id keeps its spelling, and is decoded as below /api.
    const id = encodeURIComponent('.../v1/workspace');
    await service.api.put({ user_group_id: '.../v1/workspace', name: 'Odd' });
    const { body } = await browser.call('GET', `/console/api/v1/user-groups/${id}`);
    expect(body.user_group.name).toBe('Odd');
  });

  /** The status of a GET by the browser whose target is sent as it is spelled. */
  function statusOf(target: string): Promise<number> {
    return new Promise((resolve, reject) => {
      const socket = connect(service.port, '127.0.0.1', () => {
        socket.end(
          `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nCookie: ${browser.cookie!}\r\nSec-Fetch-Site: same-origin\r\nConnection: close\r\n\r\n`,
        );
      });
      let text = '';
      socket.on('data', (chunk) => (text += chunk.toString('latin1')));
      socket.on('error', reject);
      socket.on('end', () => {
        resolve(Number(text.split(' ')[1]));
      });
    });
  }

  test('a method that a path does not have is told as everywhere', async () => {
    for (const [method, path, allow] of [
      ['PUT', '/console/session', 'POST, GET, HEAD, DELETE'],
      ['POST', '/console/sessions', 'GET, HEAD'],
      ['POST', '/console/session/watch', 'GET, HEAD'],
      ['GET', '/console/sessions/1', 'DELETE'],
      ['PUT', '/console/api/v1/api-tokens', 'GET, HEAD, POST'],
    ] as const) {
      const { status, headers } = await browser.call(method, path);
      expect([path, status, headers['allow']]).toEqual([path, 405, allow]);
    }
  });

  test('CONSOLE=off: there is nothing below /console, and the root leads to the docs', async () => {
    const headers = { ...OWN_PAGE, Authorization: `Token ${off.bootstrapToken}` };
    for (const [method, path] of [
      ['GET', '/console'],
      ['GET', '/console/'],
      ['GET', '/console/assets/x.js'],
      ['POST', '/console/session'],
      ['GET', '/console/session'],
      ['GET', '/console/sessions'],
      ['GET', '/console/session/watch'],
      ['GET', '/console/api/v1/workspace'],
      ['PUT', '/console/api/user'],
    ] as const) {
      const body = method === 'GET' ? undefined : { api_token: off.bootstrapToken };
      const answer = await off.clientOf(undefined).call(method, path, body, headers);
      expect([path, answer.status, answer.body.code]).toEqual([path, 404, 'route_not_found']);
    }
    const root = await off.clientOf(undefined).call('GET', '/');
    expect([root.status, root.headers['location']]).toEqual([302, 'docs']);
  });
});

function withoutId({ body }: Answer): object {
  return { ...body, request_id: undefined };
}
