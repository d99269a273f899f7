import { get, IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { Scope } from '../../src/platform/common/access/caller.ts';
import { ConsoleSessionRepository } from '../../src/features/console/session/console-session.repository.ts';
import { ConsoleSessionExpiry } from '../../src/features/console/session/session-life.ts';
import { ConsoleSessionService } from '../../src/features/console/session/console-session.service.ts';
import { SessionWatches } from '../../src/features/console/session/session-watches.ts';
import type { Answer } from '../support/api/api-client.ts';
import { ConsoleBrowser, type ConsoleBody, signedIn } from '../support/console/console.ts';
import {
  changeDatabase,
  createTestDatabase,
  onEachDatabase,
  type TestDatabase,
} from '../support/database/databases.ts';
import { ALL_BUT_THE_CLOCK, passTime } from '../support/time/fake-time.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { until } from '../support/time/until.ts';

const MINUTE_MS = 60_000;

onEachDatabase((kind) => {
  let database: TestDatabase;
  let service: TestService;
  /** Another process on the same database. */
  let other: TestService;

  beforeAll(async () => {
    database = await createTestDatabase(kind);
    service = await startTestService(database);
    other = await startTestService(database);
  });

  afterAll(async () => {
    await service.close();
    await other.close();
    await database.drop();
  });

  const issue = async (scopes: Scope[] = ['admin', 'user-groups:read']) =>
    (await service.api.call('POST', '/api/v1/api-tokens', { name: 'ops', scopes })).body.api_token;
  const on = (of: TestService, { cookie }: ConsoleBrowser) =>
    Object.assign(new ConsoleBrowser(of), { cookie });
  const listOf = async (browser: ConsoleBrowser) =>
    ((await browser.call('GET', '/console/sessions')).body as ConsoleBody).sessions;

  test('a session holds in every process, and ends in every one at once', async () => {
    const browser = await signedIn(service);
    const there = on(other, browser);
    expect((await there.session())[1].session).toEqual((await browser.session())[1].session);
    await there.signOut();
    expect(await browser.session()).toMatchObject([401, { code: 'session_ended' }]);
  });

  test('a session ends with its API token, at once and everywhere', async () => {
    for (const end of ['revoke', 'rotate']) {
      const { id, token } = await issue();
      const browser = await signedIn(service, token);
      const there = on(other, browser);
      expect((await there.call('GET', '/console/api/v1/user-groups')).status).toBe(200);
      expect([200, 201]).toContain(
        (await service.api.call('POST', `/api/v1/api-tokens/${id}/${end}`, {})).status,
      );
      for (const one of [there, browser]) {
        expect(await one.session()).toMatchObject([401, { code: 'session_ended' }]);
        const answer = await one.call('GET', '/console/api/v1/user-groups');
        expect([end, answer.status, answer.body.code]).toEqual([end, 401, 'session_ended']);
      }
    }
  });

  test('a change of scopes, addresses or expiry holds from the next call on, everywhere', async () => {
    const { id, token } = await issue();
    const there = on(other, await signedIn(service, token));
    const update = (settings: object) =>
      service.api.call('PATCH', `/api/v1/api-tokens/${id}`, settings);
    const codeOf = async (path: string) => (await there.call('GET', path)).body.code;
    await update({ scopes: ['admin'] });
    expect((await there.session())[1].session.scopes).toEqual(['admin']);
    expect(await codeOf('/console/api/v1/user-groups')).toBe('insufficient_scope');
    await update({ scopes: ['user-groups:read'] });
    expect(await codeOf('/console/api/v1/user-groups')).toBeUndefined();
    await update({ allowed_cidrs: ['192.0.2.0/24'] });
    expect(await codeOf('/console/session')).toBe('address_not_allowed');
    expect(await codeOf('/console/api/v1/user-groups')).toBe('address_not_allowed');
    await update({ allowed_cidrs: ['127.0.0.0/8'] });
    expect(await codeOf('/console/session')).toBeUndefined();
    const soon = new Date(Date.now() + 5 * MINUTE_MS).toISOString();
    await update({ expires_at: soon });
    expect((await there.session())[1].session).toMatchObject({
      expires_at: soon,
      idle_expires_at: soon,
    });
  });

  const start = Date.now();
  /** Sets the clock to this many minutes after the start, until the end of the test. */
  const at = (minutes: number) => {
    jest.useFakeTimers({ now: start + minutes * MINUTE_MS, doNotFake: [...ALL_BUT_THE_CLOCK] });
  };

  afterEach(() => {
    jest.useRealTimers();
  });

  describe('as time goes by', () => {
    test('a session ends 30 minutes after its last use', async () => {
      at(0);
      const used = await signedIn(service);
      const unused = await signedIn(service);
      at(29);
      expect((await used.session())[0]).toBe(200);
      at(31);
      expect(await unused.session()).toMatchObject([
        401,
        { code: 'session_ended', detail: 'The session ended after 30 minutes without use.' },
      ]);
      at(58);
      const [status, { session }] = await on(other, used).session();
      expect(status).toBe(200);
      expect(Date.parse(session.idle_expires_at)).toBeGreaterThan(start + 87 * MINUTE_MS);
      at(89);
      expect(await used.session()).toMatchObject([401, { code: 'session_ended' }]);
    });

    test('a session ends after 12 hours, however much it is used', async () => {
      at(0);
      const browser = await signedIn(service);
      for (let minutes = 20; minutes < 720; minutes += 20) {
        at(minutes);
        expect([minutes, (await browser.session())[0]]).toEqual([minutes, 200]);
      }
      at(719);
      const [, { session }] = await browser.session();
      expect(session.idle_expires_at).toBe(session.expires_at);
      at(721);
      expect(await browser.session()).toMatchObject([
        401,
        { code: 'session_ended', detail: 'The session ended after 12 hours.' },
      ]);
    });

    test('a session ends when its API token expires', async () => {
      at(0);
      const token = await service.issueToken(['admin'], 'default', 10 * MINUTE_MS);
      const browser = await signedIn(service, token);
      at(9);
      expect((await browser.session())[0]).toBe(200);
      at(11);
      expect(await browser.session()).toMatchObject([401, { code: 'session_ended' }]);
    });

    test('its use is stored at most once a minute', async () => {
      at(0);
      const browser = await signedIn(service);
      const [, { session }] = await browser.session();
      const stored = async () =>
        (
          await service.query<{ at: number }>(
            `SELECT last_used_at AS at FROM console_session WHERE id = ${session.id}`,
          )
        )[0]!.at;
      const first = await stored();
      at(0.9);
      await browser.session();
      expect(await stored()).toBe(first);
      at(1.5);
      await Promise.all(Array.from({ length: 10 }, () => browser.session()));
      const second = await stored();
      expect(second).toBeGreaterThan(first + MINUTE_MS);
      at(2);
      await on(other, browser).session();
      expect(await stored()).toBe(second);
    });

    test('the rows of sessions that have ended are removed, and no others', async () => {
      at(0);
      const ended = await signedIn(service);
      const [, { session: old }] = await ended.session();
      at(40);
      const [, { session }] = await (await signedIn(service)).session();
      expect(await service.app.get(ConsoleSessionExpiry).sweep()).toBeGreaterThan(0);
      const rows = await service.query<{ id: number }>('SELECT id FROM console_session');
      const ids = rows.map(({ id }) => String(id));
      expect(ids).toContain(session.id);
      expect(ids).not.toContain(old.id);
    });
  });

  test('an administrator sees the sessions of the workspace, and ends them', async () => {
    const admin = await signedIn(service, (await issue()).token);
    const { id, token } = await issue(['user-groups:read']);
    const agent = 'x'.repeat(300);
    const reader = await signedIn(other, token, { 'User-Agent': agent });
    const [, { session }] = await reader.session();
    const [, { session: own }] = await admin.session();
    const sessions = await listOf(admin);
    expect(sessions.filter(({ current }) => current).map((one) => one.id)).toEqual([own.id]);
    expect(sessions.find((one) => one.id === session.id)).toEqual({
      id: session.id,
      workspace: { name: 'default' },
      api_token: { id, name: 'ops' },
      subject: null,
      created_at: session.created_at,
      expires_at: session.expires_at,
      idle_expires_at: session.idle_expires_at,
      last_used_at: session.created_at,
      address: '127.0.0.1',
      user_agent: agent.slice(0, 255),
      current: false,
    });
    const answer = await admin.call('DELETE', `/console/sessions/${session.id}`);
    expect([answer.status, answer.body]).toEqual([200, { success: 1 }]);
    expect(await reader.session()).toMatchObject([401, { code: 'session_ended' }]);
    const again = await admin.call('DELETE', `/console/sessions/${session.id}`);
    expect([again.status, again.body.code]).toEqual([404, 'session_not_found']);
    expect((await listOf(admin)).map((one) => one.id)).not.toContain(session.id);
    const query = `?types=console_session.end&object_id=${session.id}`;
    const { body } = await service.api.call('GET', `/api/v1/audit-events${query}`);
    expect(body.audit_events).toMatchObject([{ actor: { api_token_id: own.api_token.id } }]);
  });

  test('sessions that their API token has ended with hide no others', async () => {
    const admin = await signedIn(service, (await issue()).token);
    const ended = await issue(['user-groups:read']);
    const [workspace] = await service.query<{ id: number }>(
      `SELECT workspace_id AS id FROM api_token WHERE id = ${ended.id}`,
    );
    const later = Date.now() + 60_000;
    const rows = Array.from(
      { length: 500 },
      (_, index) =>
        `(${5_000_000 + index}, ${workspace!.id}, ${literal(index)}, ${ended.id}, ${later}, ${later}, ${later + 60_000})`,
    );
    await changeDatabase(
      service.database,
      `INSERT INTO console_session (id, workspace_id, secret_hash, api_token_id, created_at, last_used_at, expires_at)
       VALUES ${rows.join()}`,
    );
    await service.revokeToken(ended.token);
    const [, { session }] = await admin.session();
    expect((await listOf(admin)).map(({ id }) => id)).toContain(session.id);
  });

  /** A hash that no secret has, as SQL. */
  const literal = (number: number) => {
    const hex = number.toString(16).padStart(64, '0');
    return kind === 'sqlite' ? `x'${hex}'` : `'\\x${hex}'`;
  };

  test('who is no administrator sees the sessions of the same API token alone', async () => {
    const admin = await signedIn(service);
    const { token } = await issue(['user-groups:read']);
    const [one, two] = [await signedIn(service, token), await signedIn(service, token)];
    const [, { session }] = await two.session();
    expect((await listOf(one)).map(({ id }) => id).sort()).toEqual(
      [(await one.session())[1].session.id, session.id].sort(),
    );
    const foreign = (await admin.session())[1].session.id;
    const refused = await one.call('DELETE', `/console/sessions/${foreign}`);
    expect([refused.status, refused.body.code]).toEqual([404, 'session_not_found']);
    expect((await admin.session())[0]).toBe(200);
    expect((await one.call('DELETE', `/console/sessions/${session.id}`)).status).toBe(200);
    expect((await two.session())[0]).toBe(401);
  });

  test('an administrator whose API token was rotated sees and ends its own sessions alone', async () => {
    const { id, token } = await issue(['admin']);
    const rotated = await service.api.call('POST', `/api/v1/api-tokens/${id}/rotate`, {
      grace_period_seconds: 600,
    });
    const successor = await signedIn(service, rotated.body.api_token.token);
    const [browser, second] = [await signedIn(service, token), await signedIn(service, token)];
    const all = await listOf(successor);
    const idOf = async (one: ConsoleBrowser) => (await one.session())[1].session.id;
    const [own, ofSuccessor] = [await idOf(second), await idOf(successor)];
    expect(all.map((one) => one.id)).toEqual(expect.arrayContaining([own, ofSuccessor]));
    expect((await listOf(browser)).map((one) => one.api_token.id)).toEqual([id, id]);
    const end = async (one: unknown) => {
      const { status, body } = await browser.call('DELETE', `/console/sessions/${String(one)}`);
      return [status, body.code];
    };
    expect(await end(ofSuccessor)).toEqual([404, 'session_not_found']);
    expect((await successor.session())[0]).toBe(200);
    expect(await end(own)).toEqual([200, undefined]);
  });

  test('the sessions of another workspace are not there', async () => {
    const own = await signedIn(service);
    const foreign = await signedIn(service, await service.issueToken(['admin'], 'foreign'));
    const [, { session }] = await own.session();
    expect((await foreign.session())[1].session.workspace).toEqual({ name: 'foreign' });
    expect((await listOf(foreign)).map(({ workspace }) => workspace.name)).toEqual(['foreign']);
    expect((await listOf(own)).every(({ workspace }) => workspace.name === 'default')).toBe(true);
    const answer = await foreign.call('DELETE', `/console/sessions/${session.id}`);
    expect([answer.status, answer.body.code]).toEqual([404, 'session_not_found']);
    expect((await own.session())[0]).toBe(200);
    for (const id of ['0', '-1', 'x', '9'.repeat(30), 'a%2fb']) {
      const none = await own.call('DELETE', `/console/sessions/${id}`);
      expect([id, none.status, none.body.code]).toEqual([id, 404, 'session_not_found']);
    }
  });

  describe('watching', () => {
    interface Stream {
      status: number;
      /** The text of the stream until it ended. */
      ended: Promise<string>;
      leave: () => void;
    }

    /** Opens the stream; resolves once it is open. */
    function watch(browser: ConsoleBrowser, of: TestService) {
      const headers = { Cookie: browser.cookie!, 'Sec-Fetch-Site': 'same-origin' };
      return new Promise<Stream>((resolve, reject) => {
        get(`${of.baseUrl}/console/session/watch`, { headers, agent: false }, (response) => {
          let text = '';
          response.on('data', (chunk: Buffer) => (text += chunk.toString()));
          const ended = new Promise<string>((end) => {
            response.on('end', () => {
              end(text);
            });
          });
          const leave = () => response.destroy();
          resolve({ status: response.statusCode!, ended, leave });
        }).on('error', reject);
      });
    }

    const toldOf = (detail: string) =>
      `event: ended\ndata: {"code":"session_ended","detail":"${detail}"}\n\n`;
    const REVOKED = 'The API token of this session was revoked.';
    const GONE = 'The session was signed out, or ended by a person.';

    test.each<[string, (id: number, browser: ConsoleBrowser) => Promise<Answer>, string]>([
      [
        'its API token is revoked',
        (id) => service.api.call('POST', `/api/v1/api-tokens/${id}/revoke`),
        REVOKED,
      ],
      [
        'somebody ends it',
        async (_id, browser) => {
          const admin = await signedIn(service);
          const [, { session }] = await browser.session();
          return admin.call('DELETE', `/console/sessions/${session.id}`);
        },
        GONE,
      ],
      ['it is signed out', (_id, browser) => browser.signOut(), GONE],
      [
        'its API token expires',
        async (id) => {
          const expires_at = new Date(Date.now() + 60_000).toISOString();
          const answer = await service.api.call('PATCH', `/api/v1/api-tokens/${id}`, {
            expires_at,
          });
          passTime(60_000);
          return answer;
        },
        'The API token of this session has expired.',
      ],
    ])(
      'every page is told why, by the next look, when %s, in every process',
      async (_name, end, why) => {
        const { id, token } = await issue(['user-groups:read']);
        const browser = await signedIn(service, token);
        const looks = [service, other].map(({ app }) =>
          jest.spyOn(app.get(ConsoleSessionRepository), 'findEach'),
        );
        const stays = await watch(await signedIn(service), service);
        const streams = await Promise.all([
          watch(browser, service),
          watch(browser, other),
          watch(browser, other),
        ]);
        expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
        await until(() => looks.every(({ mock }) => mock.calls.length > 1));
        const { status } = await end(id, browser);
        const before = looks.map(({ mock }) => mock.calls.length);
        expect(status).toBe(200);
        const told = streams.map(async ({ ended }, index) => {
          const process = Math.min(index, 1);
          return [await ended, looks[process]!.mock.calls.length - before[process]!] as const;
        });
        for (const [text, looked] of await Promise.all(told)) {
          expect(text).toBe(`retry: 1000\n\n${toldOf(why)}`);
          // The look under way, the look that has seen the end, and a look that begins before that is read here.
          expect(looked).toBeLessThanOrEqual(3);
        }
        for (const look of looks) look.mockRestore();
        const pending = Promise.resolve('open');
        expect(await Promise.race([stays.ended, pending])).toBe('open');
      },
    );

    test('a session has a bounded number of streams, and gets them back', async () => {
      const browser = await signedIn(service);
      const streams = await Promise.all(Array.from({ length: 20 }, () => watch(browser, service)));
      expect(new Set(streams.map(({ status }) => status))).toEqual(new Set([200]));
      const answer = await browser.call('GET', '/console/session/watch');
      expect([answer.status, answer.body.code]).toEqual([429, 'too_many_at_once']);
      await browser.signOut();
      await Promise.all(streams.map(({ ended }) => ended));
      expect((await watch(await signedIn(service), service)).status).toBe(200);
    });

    describe('of many sessions', () => {
      let occupied: ServerResponse[] = [];

      afterEach(() => {
        for (const response of occupied) release(response);
        occupied = [];
      });

      /** Opens streams of its session, as pages do, without the connections. */
      async function occupy({ cookie }: ConsoleBrowser, count: number): Promise<void> {
        const secret = cookie!.split('=')[1]!;
        const session = (await service.app.get(ConsoleSessionService).find(secret))!;
        for (let stream = 0; stream < count; stream++) {
          const response = new ServerResponse(new IncomingMessage(new Socket()));
          await service.app.get(SessionWatches).begin(session, response);
          occupied.push(response);
        }
      }
      /** The event of a response whose reader is gone. */
      const release = (response: ServerResponse) => response.emit('close');
      const refusal = async (browser: ConsoleBrowser) => {
        const { status, body } = await browser.call('GET', '/console/session/watch');
        return [status, body.code, body.detail];
      };

      test('an API token has a bounded number of streams, whichever sessions they are of', async () => {
        const { token } = await issue(['user-groups:read']);
        const [one, two, three] = [
          await signedIn(service, token),
          await signedIn(service, token),
          await signedIn(service, token),
        ];
        await occupy(one, 20);
        await occupy(two, 20);
        await occupy(three, 9);
        expect((await watch(three, service)).status).toBe(200);
        const told = expect.stringMatching(/^50 streams of the API token /);
        expect(await refusal(three)).toEqual([429, 'too_many_at_once', told]);
        expect((await watch(await signedIn(service), service)).status).toBe(200);
        release(occupied[0]!);
        expect((await watch(three, service)).status).toBe(200);
      });

      test('a workspace has a bounded number of streams, whichever API tokens they are of', async () => {
        const browsers: ConsoleBrowser[] = [];
        for (let tokens = 0; tokens < 5; tokens++) {
          const token = await service.issueToken(['user-groups:read'], 'crowded');
          browsers.push(await signedIn(service, token), await signedIn(service, token));
        }
        const next = await signedIn(
          service,
          await service.issueToken(['user-groups:read'], 'crowded'),
        );
        for (const browser of browsers) await occupy(browser, 20);
        release(occupied[0]!);
        expect((await watch(next, service)).status).toBe(200);
        const told = expect.stringMatching(/^200 streams of the workspace /);
        expect(await refusal(next)).toEqual([429, 'too_many_at_once', told]);
        expect((await watch(await signedIn(service), service)).status).toBe(200);
        release(occupied[1]!);
        expect((await watch(next, service)).status).toBe(200);
      });
    });

    test('a page that only waits for the end does not put it off, and is told of it', async () => {
      at(0);
      const browser = await signedIn(service);
      at(20);
      const streams = [await watch(browser, service)];
      at(29);
      streams.push(await watch(browser, service), await watch(browser, other));
      expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
      at(31);
      for (const { ended } of streams) {
        expect(await ended).toContain(toldOf('The session ended after 30 minutes without use.'));
      }
      expect(await browser.session()).toMatchObject([401, { code: 'session_ended' }]);
    });

    test('nothing more is said to a page after the end of its session', async () => {
      const browser = await signedIn(service);
      const streams = [await watch(browser, service), await watch(browser, service)];
      // The comment that keeps a stream open is due as the stream ends.
      const now = performance.now.bind(performance);
      const later = jest.spyOn(performance, 'now').mockImplementation(() => now() + 16_000);
      await browser.signOut();
      // A stream may be kept open once more before the sign-out arrives.
      const before = /^retry: 1000\n\n(?::\n\n)?/;
      for (const { ended } of streams) expect((await ended).replace(before, '')).toBe(toldOf(GONE));
      later.mockRestore();
    });

    test('a page that goes away gives its stream back at once', async () => {
      const browser = await signedIn(service);
      for (let page = 0; page < 25; page++) {
        const { status, leave } = await watch(browser, service);
        expect([page, status]).toEqual([page, 200]);
        leave();
      }
    });

    test('a process that ends closes its streams, without a word of an end', async () => {
      const third = await startTestService(database);
      const browser = await signedIn(service);
      const stream = await watch(browser, third);
      await third.close();
      expect(await stream.ended).toBe('retry: 1000\n\n');
      expect((await browser.session())[0]).toBe(200);
    });
  });
});
