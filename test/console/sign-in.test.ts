import { randomBytes, randomNumber } from '../../src/platform/common/secret/random-bytes.ts';
import { ConsoleSessionRepository } from '../../src/features/console/session/console-session.repository.ts';
import { Transactor } from '../../src/platform/database/transactor.ts';
import { passTime } from '../support/time/fake-time.ts';
import {
  ConsoleBrowser,
  type ConsoleBody,
  OWN_PAGE,
  signedIn,
} from '../support/console/console.ts';
import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { withFrozenBuckets } from '../support/time/frozen-buckets.ts';

withFrozenBuckets();

const PATH = '/console/session';
const HOUR_MS = 3_600_000;

onEachDatabase((kind) => {
  const service = withService(kind);
  const secure = withService(kind, { PUBLIC_URL: 'https://groups.example/ops' });
  const limited = withService(kind, { AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE: '3' });

  test('an API token begins a session, which is told with what it may do and when it ends', async () => {
    const browser = new ConsoleBrowser(service);
    const before = Date.now();
    const answer = await browser.signIn(await service.issueToken(['audit:read', 'admin']));
    expect(answer.status).toBe(200);
    const { session, success } = answer.body as ConsoleBody;
    expect(success).toBe(1);
    expect(session).toEqual({
      id: expect.stringMatching(/^\d{1,16}$/),
      workspace: { name: 'default' },
      api_token: { id: expect.any(Number), name: 'test' },
      subject: null,
      scopes: ['audit:read', 'admin'],
      features: expect.arrayContaining(['user-groups', 'webhooks', 'console']),
      created_at: expect.any(String),
      expires_at: expect.any(String),
      idle_expires_at: expect.any(String),
    });
    const createdAt = Date.parse(session.created_at);
    expect(createdAt).toBeGreaterThanOrEqual(before);
    expect(Date.parse(session.expires_at) - createdAt).toBe(12 * HOUR_MS);
    expect(Date.parse(session.idle_expires_at) - createdAt).toBe(HOUR_MS / 2);
    expect(await browser.session()).toEqual([200, { success: 1, session }]);
  });

  test('the cookie holds 256 random bits, and no script, other site or plain connection gets it', async () => {
    const cookies = await Promise.all(
      Array.from({ length: 3 }, async () => {
        const { headers } = await new ConsoleBrowser(secure).signIn(secure.bootstrapToken);
        return headers['set-cookie'];
      }),
    );
    for (const cookie of cookies) {
      expect(cookie).toEqual([
        expect.stringMatching(
          /^__Host-console=[\w-]{43}; Path=\/; Secure; HttpOnly; SameSite=Strict$/,
        ),
      ]);
    }
    expect(new Set(cookies.flat()).size).toBe(3);
    const local = await new ConsoleBrowser(service).signIn(service.bootstrapToken);
    expect(local.headers['set-cookie']).toEqual([
      expect.stringMatching(/^console=[\w-]{43}; Path=\/; HttpOnly; SameSite=Strict$/),
    ]);
    expect(local.headers['cache-control']).toBe('no-store');
  });

  test('the database has the hash of the cookie alone', async () => {
    const browser = await signedIn(service);
    const secret = browser.cookie!.split('=')[1]!;
    const rows = await service.query<object>('SELECT * FROM console_session');
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(secret);
  });

  test('signing out ends the session and takes the cookie away, also without a session', async () => {
    const browser = await signedIn(service);
    const { cookie } = browser;
    const answer = await browser.signOut();
    expect([answer.status, answer.body, answer.headers['set-cookie']]).toEqual([
      200,
      { success: 1 },
      ['console=; Path=/; HttpOnly; SameSite=Strict; Max-Age=0'],
    ]);
    expect(await browser.session()).toMatchObject([401, { code: 'session_missing' }]);
    browser.cookie = cookie;
    expect(await browser.session()).toMatchObject([401, { success: 0, code: 'session_ended' }]);
    expect((await new ConsoleBrowser(service).signOut()).status).toBe(200);
  });

  test('signing in again ends the session that the browser had', async () => {
    const browser = await signedIn(service);
    const { cookie } = browser;
    await browser.signIn(service.bootstrapToken);
    expect(browser.cookie).not.toBe(cookie);
    expect((await browser.session())[0]).toBe(200);
    browser.cookie = cookie;
    expect(await browser.session()).toMatchObject([401, { code: 'session_ended' }]);
  });

  test('a token that is unknown, revoked or expired begins none, in the words of the API', async () => {
    const revoked = await service.issueToken(['admin']);
    await service.revokeToken(revoked);
    const expired = await service.issueToken(['admin'], 'default', HOUR_MS);
    passTime(2 * HOUR_MS);
    try {
      for (const token of ['x', `uga_${'0'.repeat(38)}`, revoked, expired]) {
        const answer = await new ConsoleBrowser(service).signIn(token);
        expect([answer.status, answer.body.code]).toEqual([401, 'api_token_invalid']);
        expect(answer.headers).not.toHaveProperty('set-cookie');
      }
    } finally {
      jest.useRealTimers();
    }
    const { token } = await service.api.create();
    const answer = await new ConsoleBrowser(service).signIn(token);
    expect([answer.status, answer.body.code]).toEqual([401, 'credentials_malformed']);
  });

  test.each([
    [{}, 422, 'validation_failed'],
    [{ api_token: '' }, 422, 'validation_failed'],
    [{ api_token: 7 }, 422, 'validation_failed'],
    [{ api_token: 'x'.repeat(1025) }, 422, 'validation_failed'],
    [{ api_token: 'x', token: 'y' }, 422, 'validation_failed'],
    ['{', 400, 'json_malformed'],
    ['x'.repeat(17_000), 413, 'body_too_large'],
  ])('a body that is no sign-in is refused: %#', async (body, status, code) => {
    const answer = await new ConsoleBrowser(service).call('POST', PATH, body);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
  });

  test('wrong tokens are counted by address, and a right one always passes', async () => {
    const browser = new ConsoleBrowser(limited);
    const statuses: number[] = [];
    for (let attempt = 0; attempt < 5; attempt++) {
      statuses.push((await browser.signIn('wrong')).status);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    expect((await browser.signIn(limited.bootstrapToken)).status).toBe(200);
  });

  test('a token signs in from its own addresses alone', async () => {
    const issued = await service.api.call('POST', '/api/v1/api-tokens', {
      name: 'elsewhere',
      scopes: ['admin'],
      allowed_cidrs: ['192.0.2.0/24'],
    });
    const answer = await new ConsoleBrowser(service).signIn(issued.body.api_token.token);
    expect([answer.status, answer.body.code]).toEqual([403, 'address_not_allowed']);
    expect(answer.headers).not.toHaveProperty('set-cookie');
  });

  test('over plain HTTP it is possible on localhost alone, and the answer says what to set', async () => {
    for (const host of ['localhost:3000', 'LOCALHOST', '127.0.0.1:1', '[::1]:3000']) {
      const answer = await new ConsoleBrowser(service, { Host: host }).signIn(
        service.bootstrapToken,
      );
      expect([host, answer.status]).toEqual([host, 200]);
    }
    const others = ['groups.example', '10.0.0.7:3000', 'localhost.evil.example', '127.0.0.1.x'];
    for (const host of others) {
      const headers = { Host: host, Origin: `http://${host}` };
      const answer = await new ConsoleBrowser(service, headers).signIn(service.bootstrapToken);
      expect([host, answer.status, answer.body.code]).toEqual([host, 403, 'console_not_secure']);
      expect(answer.body.detail).toContain('PUBLIC_URL');
      expect(answer.headers).not.toHaveProperty('set-cookie');
    }
  });

  test('where PUBLIC_URL is https its cookie alone counts, whatever the Host says', async () => {
    const browser = await signedIn(secure);
    expect((await browser.session())[0]).toBe(200);
    browser.cookie = browser.cookie!.replace('__Host-', '');
    expect(await browser.session()).toMatchObject([401, { code: 'session_missing' }]);
  });

  test('who signs in and out is recorded with the API token', async () => {
    const token = await service.issueToken(['admin', 'audit:read']);
    const browser = await signedIn(service, token, { 'User-Agent': 'Browser/1.0' });
    const [, { session }] = await browser.session();
    await browser.signOut();
    const query = `?object_type=console_session&object_id=${session.id}`;
    const { body } = await service.api.call('GET', `/api/v1/audit-events${query}`);
    expect(body.audit_events.map(({ action, actor }) => [action, actor])).toEqual([
      ['console_session.end', expect.objectContaining({ api_token_id: session.api_token.id })],
      ['console_session.begin', expect.objectContaining({ api_token_id: session.api_token.id })],
    ]);
  });

  test('a session that is left for another workspace ends in its own, in its own name', async () => {
    const browser = await signedIn(service);
    const [, { session }] = await browser.session();
    await browser.signIn(await service.issueToken(['admin'], 'next'));
    const query = `?types=console_session.end&object_id=${session.id}`;
    const { body } = await service.api.call('GET', `/api/v1/audit-events${query}`);
    expect(body.audit_events).toMatchObject([
      { actor: { type: 'api_token', api_token_id: session.api_token.id } },
    ]);
  });

  test('an API token has a bounded number of sessions: those used last; the end of another is recorded', async () => {
    const token = await service.issueToken(['admin']);
    const first = await signedIn(service, token);
    const [, { session }] = await first.session();
    const { id: apiTokenId } = session.api_token;
    const [idle] = await insertSessions(apiTokenId, Date.now() - HOUR_MS);
    await insertSessions(apiTokenId, Date.now() + 1, 98);
    await signedIn(service, token);
    expect((await first.session())[0]).toBe(200);
    const last = await signedIn(service, token);
    expect(await first.session()).toMatchObject([401, { code: 'session_ended' }]);
    expect((await last.session())[0]).toBe(200);
    const rows = await service.query<{ id: number }>(
      `SELECT id FROM console_session WHERE api_token_id = ${apiTokenId}`,
    );
    expect(rows).toHaveLength(100);
    expect(await endsOf(session.id)).toMatchObject([
      { actor: { type: 'api_token', api_token_id: apiTokenId } },
    ]);
    // It had ended by itself.
    expect(rows).not.toContainEqual({ id: idle });
    expect(await endsOf(idle!)).toEqual([]);
  });

  async function endsOf(id: string | number): Promise<object[]> {
    const query = `?types=console_session.end&object_id=${id}`;
    return (await service.api.call('GET', `/api/v1/audit-events${query}`)).body.audit_events;
  }

  /** Adds sessions that were begun at this time, and not used since. @returns their ids */
  async function insertSessions(apiTokenId: number, at: number, count = 1): Promise<number[]> {
    const [{ id: workspaceId }] = (await service.query<{ id: number }>(
      `SELECT workspace_id AS id FROM api_token WHERE id = ${apiTokenId}`,
    )) as [{ id: number }];
    const sessions = Array.from({ length: count }, () => ({
      id: randomNumber(),
      workspaceId,
      secretHash: randomBytes(32),
      apiTokenId,
      at,
      expiresAt: at + 12 * HOUR_MS,
      address: null,
      userAgent: null,
    }));
    await service.app.get(Transactor).run(async (manager) => {
      for (const session of sessions) {
        await service.app.get(ConsoleSessionRepository).insert(manager, session);
      }
    });
    return sessions.map(({ id }) => id);
  }

  describe('calls that do not come from the page are refused', () => {
    const own = () => `http://127.0.0.1:${service.port}`;
    const send = (method: string, path: string, headers: Record<string, string>) =>
      browser.send({ method, path, headers });
    let browser: ConsoleBrowser;

    beforeAll(async () => {
      browser = await signedIn(service);
    });

    test.each(['cross-site', 'same-site', 'none', 'SAME-ORIGIN', ''])(
      'a change with Sec-Fetch-Site: %s, whatever its Origin',
      async (from) => {
        for (const path of [PATH, '/console/sessions/1', '/console/api/v1/user-groups/x']) {
          const answer = await send('DELETE', path, { 'Sec-Fetch-Site': from, Origin: own() });
          expect([path, answer.status, answer.body.code]).toEqual([
            path,
            403,
            'cross_site_request',
          ]);
        }
        expect((await browser.session())[0]).toBe(200);
      },
    );

    test('a change without Sec-Fetch-Site needs the Origin of the page', async () => {
      const path = '/console/api/user';
      const wrong = [undefined, 'null', 'http://evil.example', `${own()}.evil.example`];
      for (const origin of [...wrong, own().replace('http:', 'https:'), 'http://127.0.0.1:1']) {
        const answer = await send('PUT', path, origin === undefined ? {} : { Origin: origin });
        expect([origin, answer.status, answer.body.code]).toEqual([
          origin,
          403,
          'cross_site_request',
        ]);
      }
      const answer = await send('PUT', path, { Origin: own() });
      expect([answer.status, answer.body.code]).toEqual([400, 'body_missing']);
      // A proxy that names this machine in Host, whatever browsers call it.
      const sameOrigin = { 'Sec-Fetch-Site': 'same-origin' };
      const behind = { Origin: 'https://ops.example.com' };
      const renamed = await send('PUT', path, { ...sameOrigin, ...behind });
      expect([renamed.status, renamed.body.code]).toEqual([403, 'cross_site_request']);
      for (const name of ['X-Forwarded-For', 'X-Forwarded-Proto', 'Forwarded']) {
        const proxied = await send('PUT', path, { ...sameOrigin, [name]: 'https' });
        expect([name, proxied.body.code]).toEqual([name, 'console_not_secure']);
      }
      const secured = await signedIn(secure);
      for (const [origin, status] of [
        ['https://groups.example', 400],
        ['https://groups.example/ops', 403],
        [`http://127.0.0.1:${secure.port}`, 403],
      ] as const) {
        const asked = await secured.send({ method: 'PUT', path, headers: { Origin: origin } });
        expect([origin, asked.status]).toEqual([origin, status]);
      }
    });

    test('a read that another site has made the browser send, but not one by hand', async () => {
      for (const path of [PATH, '/console/sessions', '/console/api/v1/workspace']) {
        for (const method of ['GET', 'HEAD']) {
          for (const from of ['cross-site', 'same-site']) {
            const answer = await send(method, path, { 'Sec-Fetch-Site': from });
            expect([path, from, answer.status]).toEqual([path, from, 403]);
          }
          for (const headers of [OWN_PAGE, { 'Sec-Fetch-Site': 'none' }, {}]) {
            expect([path, (await send(method, path, headers)).status]).toEqual([path, 200]);
          }
        }
      }
    });

    test('signing in from another site, which would give the browser a session of somebody else', async () => {
      const stranger = new ConsoleBrowser(service);
      const foreign: Record<string, string>[] = [
        { 'Sec-Fetch-Site': 'cross-site' },
        { Origin: 'http://evil.example' },
        {},
      ];
      for (const headers of foreign) {
        const body = { api_token: service.bootstrapToken };
        const answer = await stranger.send({ method: 'POST', path: PATH, body, headers });
        expect([answer.status, answer.body.code]).toEqual([403, 'cross_site_request']);
        expect(answer.headers).not.toHaveProperty('set-cookie');
      }
    });
  });
});
