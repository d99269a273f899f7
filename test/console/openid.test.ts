import { freePort } from '../system/lab/ports.mjs';
import { onEachDatabase } from '../support/database/databases.ts';
import type { ConsoleBody } from '../support/console/console.ts';
import { TestIdentityProvider, Visitor } from '../support/servers/identity-provider.ts';
import { startTestService, type TestService } from '../support/test-service.ts';
import { withFrozenBuckets } from '../support/time/frozen-buckets.ts';

withFrozenBuckets();

const ACCOUNTS = {
  anna: { email: 'anna@example.com', email_verified: true, groups: ['operators', 'others'] },
  bert: { email: 'bert@example.com', email_verified: true, groups: ['support'] },
  carl: { email: 'carl@example.com', email_verified: true, groups: ['nobody'] },
  // A user who writes the address of another into the profile.
  dora: { email: 'chief@example.com', email_verified: false },
  emil: { email: 'chief@example.com', email_verified: true },
  // Each with an ID token that says something else than the user info.
  fred: {
    email: 'fred@example.com',
    email_verified: true,
    id_token: { email: 'chief@example.com' },
  },
  gina: { email: 'chief@example.com', email_verified: false, id_token: { email_verified: true } },
  hugo: { email: 'chief@example.com', id_token: { email_verified: true } },
  ines: {
    email: 'chief@example.com',
    email_verified: true,
    id_token: { email: 'ines@example.com', email_verified: false },
  },
  jana: {
    email: 'jana@example.com',
    email_verified: false,
    id_token: { email: 'chief@example.com', email_verified: true },
  },
  kurt: { groups: ['operators'] },
};
const CALLS_PER_MINUTE = 1000;
const FAILURES_PER_MINUTE = 3;
const GRANTS = [
  {
    claim: 'groups',
    value: 'operators',
    workspace: 'default',
    scopes: ['admin', 'user-groups:read'],
  },
  { claim: 'groups', value: 'others', workspace: 'default', scopes: ['audit:read'] },
  { claim: 'groups', value: 'operators', workspace: 'emea', scopes: ['user-groups:read'] },
  { claim: 'groups', value: 'support', workspace: 'gone', scopes: ['admin'] },
  { claim: 'groups', value: 'support', workspace: 'emea', scopes: ['user-groups:read'] },
  { claim: 'email', value: 'chief@example.com', workspace: 'default', scopes: ['admin'] },
];

onEachDatabase((kind) => {
  let provider: TestIdentityProvider;
  let service: TestService;
  /** With the same provider, and few failed authentications a minute. */
  let limited: TestService;
  let port: number;

  beforeAll(async () => {
    port = await freePort();
    const origin = `http://127.0.0.1:${port}`;
    const redirectUri = `${origin}/console/sign-in/openid/callback`;
    const client = { id: 'console', secret: 'a secret of the client', redirectUri };
    provider = await TestIdentityProvider.start({ ...client, secret: 'secret' }, ACCOUNTS);
    const env = {
      PUBLIC_URL: origin,
      CONSOLE_OIDC_ISSUER: provider.issuer,
      CONSOLE_OIDC_CLIENT_ID: 'console',
      CONSOLE_OIDC_CLIENT_SECRET: 'secret',
      CONSOLE_OIDC_SCOPE: 'openid email groups',
      CONSOLE_OIDC_GRANTS: JSON.stringify(GRANTS),
    };
    service = await startTestService(kind, {
      ...env,
      PORT: String(port),
      RATE_LIMIT_PER_MINUTE: String(CALLS_PER_MINUTE),
    });
    limited = await startTestService(kind, {
      ...env,
      AUTHENTICATION_FAILURE_LIMIT_PER_MINUTE: String(FAILURES_PER_MINUTE),
    });
    await service.issueToken(['user-groups:read'], 'emea');
  });

  afterAll(async () => {
    await service.close();
    await limited.close();
    await provider.stop();
  });

  /** Signs somebody in, and gives where the browser is in the end. */
  async function signIn(account: string, query = '', visitor = new Visitor()) {
    const begun = await visitor.call(`${service.baseUrl}/console/sign-in/openid${query}`);
    const at = new URL(begun.headers.get('location')!, begun.url);
    at.searchParams.set('login_hint', account);
    const { url } = await visitor.visit(at.href, (place) => place.includes('/console/#'));
    return { visitor, url: url.replace(service.baseUrl, ''), at };
  }
  const sessionOf = async (visitor: Visitor) => {
    const answer = await visitor.call(`${service.baseUrl}/console/session`);
    return { status: answer.status, body: (await answer.json()) as ConsoleBody };
  };

  test('the page is told by what one can sign in, and whether one has', async () => {
    const look = async (visitor: Visitor) =>
      (await visitor.call(`${service.baseUrl}/console/sign-in`)).json();
    const ways = ['api_token', 'openid'];
    expect(await look(new Visitor())).toEqual({
      success: 1,
      signed_in: false,
      session: null,
      ways,
    });
    const { visitor } = await signIn('anna');
    const { session } = (await sessionOf(visitor)).body;
    expect(await look(visitor)).toEqual({ success: 1, signed_in: true, session, ways });
  });

  test('who fits grants has the scopes of all of them, in the first workspace', async () => {
    const { visitor, url, at } = await signIn('anna');
    expect(url).toBe('/console/');
    expect(at.searchParams.get('code_challenge_method')).toBe('S256');
    const { status, body } = await sessionOf(visitor);
    expect(status).toBe(200);
    expect(body.session).toMatchObject({
      workspace: { name: 'default' },
      subject: `${provider.issuer}#anna`,
      api_token: { name: 'anna@example.com' },
      scopes: ['admin', 'user-groups:read', 'audit:read'],
    });
    expect(visitor.cookiesOf(service.baseUrl)).toEqual(['console']);
  });

  test('another workspace is entered by its name, with what is granted there', async () => {
    const { visitor } = await signIn('anna', '?workspace=emea');
    const { body } = await sessionOf(visitor);
    expect(body.session).toMatchObject({
      workspace: { name: 'emea' },
      scopes: ['user-groups:read'],
    });
  });

  test('one goes on in the page where one was', async () => {
    const { url } = await signIn('anna', '?place=%2Fgroups%2Facme%3Fstatus%3Dsuspended');
    expect(url).toBe('/console/#/groups/acme?status=suspended');
    const { url: still } = await signIn('anna', '?place=%2F%2Felsewhere.example');
    expect(still).toBe('/console/#//elsewhere.example');
  });

  test.each(['cross-site', 'same-site'])(
    'a link elsewhere (%s) signs nobody in, and leads to the page, which asks first',
    async (from) => {
      const headers = { 'Sec-Fetch-Site': from };
      const follow = (query: string) =>
        new Visitor().call(`${service.baseUrl}/console/sign-in/openid${query}`, { headers });
      const answer = await follow('?workspace=emea&place=%2Fgroups%3Fstatus%3Dsuspended');
      expect(answer.headers.get('location')).toBe(
        '../#/sign-in?workspace=emea&place=%2Fgroups%3Fstatus%3Dsuspended',
      );
      expect(answer.headers.getSetCookie()).toEqual([]);
      expect((await follow('')).headers.get('location')).toBe('../#/sign-in?');
    },
  );

  test('a page that shows another session than the browser has does nothing', async () => {
    const { visitor } = await signIn('anna');
    const shown = (await sessionOf(visitor)).body.session.id;
    await signIn('anna', '?workspace=emea', visitor);
    const call = async (id: string) => {
      const url = `${service.baseUrl}/console/api/v1/user-groups`;
      return (await visitor.call(url, { headers: { 'X-Console-Session': id } })).status;
    };
    expect(await call(shown)).toBe(401);
    expect(await call((await sessionOf(visitor)).body.session.id)).toBe(200);
  });

  test('a workspace that is not there is passed over', async () => {
    const { visitor } = await signIn('bert');
    expect((await sessionOf(visitor)).body.session.workspace).toEqual({ name: 'emea' });
  });

  test.each([
    ['carl', '', 'sign_in_not_granted'],
    ['bert', '?workspace=default', 'sign_in_not_granted'],
    ['dora', '', 'sign_in_not_granted'],
    ['nobody', '', 'sign_in_failed'],
  ])('%s%s is led to the page with %s, and has no session', async (account, query, code) => {
    const { visitor, url } = await signIn(account, query);
    expect(url).toMatch(new RegExp(`^/console/#/sign-in\\?error=${code}&request_id=[\\w-]+$`));
    expect((await sessionOf(visitor)).body.code).toBe('session_missing');
    expect(visitor.cookiesOf(service.baseUrl)).toEqual([]);
  });

  test('an address counts only if the provider has verified it', async () => {
    const { visitor } = await signIn('emil');
    expect((await sessionOf(visitor)).body.session.scopes).toEqual(['admin']);
  });

  test('an attempt is finished by the browser that has begun it, and once', async () => {
    const visitor = new Visitor();
    const begun = await visitor.call(`${service.baseUrl}/console/sign-in/openid`);
    const at = begun.headers.get('location')!;
    const { url: callback } = await visitor.visit(at, (place) => place.includes('/callback'));
    const stranger = new Visitor();
    const refused = await stranger.visit(callback, (place) => place.includes('/console/#'));
    expect(refused.url).toContain('error=sign_in_failed');
    const { url } = await visitor.visit(callback, (place) => place.endsWith('/console/'));
    expect(url.replace(service.baseUrl, '')).toBe('/console/');
    const again = await visitor.visit(callback, (place) => place.includes('/console/#'));
    expect(again.url).toContain('error=sign_in_failed');
  });

  test('the session that the browser had ends, whose cookie does not come from another site', async () => {
    const { visitor } = await signIn('anna');
    const former = { Cookie: `console=${visitor.cookieOf(service.baseUrl, 'console')!}` };
    const begun = await visitor.call(`${service.baseUrl}/console/sign-in/openid`);
    const at = begun.headers.get('location')!;
    const { url: callback } = await visitor.visit(at, (place) => place.includes('/callback'));
    const attempt = `${ATTEMPT}=${visitor.cookieOf(service.baseUrl, ATTEMPT)!}`;
    const finished = await fetch(callback, { headers: { Cookie: attempt }, redirect: 'manual' });
    expect(finished.headers.getSetCookie().join()).toContain('console=');
    const { status, body } = await service
      .clientOf(undefined)
      .call('GET', '/console/session', undefined, former);
    expect([status, body.code]).toEqual([401, 'session_ended']);
  });

  test.each(['fred', 'gina', 'hugo', 'ines'])(
    'an address and whether it is verified count only from one source (%s)',
    async (account) => {
      const { url } = await signIn(account);
      expect(url).toContain('error=sign_in_not_granted');
    },
  );

  test('what the ID token says of the address comes before the user info', async () => {
    const { visitor } = await signIn('jana');
    expect((await sessionOf(visitor)).body.session).toMatchObject({
      scopes: ['admin'],
      api_token: { name: 'chief@example.com' },
    });
  });

  test('a sign-in counts as a call of the API token that stands for the person', async () => {
    const { visitor } = await signIn('kurt');
    const answer = await visitor.call(`${service.baseUrl}/console/session`);
    const left = /"api-token";r=(\d+)/.exec(answer.headers.get('ratelimit')!)![1];
    expect(Number(left)).toBe(CALLS_PER_MINUTE - 2);
  });

  const ATTEMPT = 'console-sign-in';
  const CALLBACK = '/console/sign-in/openid/callback';

  /** An attempt up to where the provider sends the browser back, with its cookie altered. */
  async function comeBackWith(altered: object) {
    const visitor = new Visitor();
    const begun = await visitor.call(`${service.baseUrl}/console/sign-in/openid`);
    const at = begun.headers.get('location')!;
    const { url } = await visitor.visit(at, (place) => place.includes('/callback'));
    const kept = visitor.cookieOf(service.baseUrl, ATTEMPT)!;
    const attempt = JSON.parse(Buffer.from(kept, 'base64url').toString()) as object;
    visitor.setCookie(service.baseUrl, ATTEMPT, asCookie({ ...attempt, ...altered }));
    return { visitor, answer: await visitor.call(url) };
  }
  const asCookie = (attempt: object) => Buffer.from(JSON.stringify(attempt)).toString('base64url');

  test.each([
    { state: 'another' },
    { state: '' },
    { nonce: 'another' },
    { verifier: 'x'.repeat(43) },
    { verifier: undefined },
  ])('an attempt that was altered is refused: %j', async (altered) => {
    const { visitor, answer } = await comeBackWith(altered);
    expect(answer.headers.get('location')).toMatch(
      /^\.\.\/\.\.\/#\/sign-in\?error=sign_in_failed&/,
    );
    expect(visitor.cookiesOf(service.baseUrl)).not.toContain('console');
  });

  test.each([
    ['https://elsewhere.example/', '../../#https://elsewhere.example/'],
    ['//elsewhere.example', '../../#//elsewhere.example'],
    ['/groups\r\nSet-Cookie: a=b', '../../'],
    ['/gr\u00fcppen', '../../'],
    ['/x'.repeat(501), '../../'],
    [{ href: 'https://elsewhere.example/' }, '../../'],
    [['https://elsewhere.example/'], '../../'],
  ])(
    'a place that was put into an attempt leads nowhere but into the page: %#',
    async (place, to) => {
      const { visitor, answer } = await comeBackWith({ place });
      expect(answer.headers.get('location')).toBe(to);
      const { origin, pathname } = new URL(to, answer.url);
      expect(origin + pathname).toBe(`${service.baseUrl}/console/`);
      expect(visitor.cookiesOf(service.baseUrl)).toEqual(['console']);
    },
  );

  test('callbacks that are refused are counted by address, as wrong tokens are', async () => {
    const visitor = new Visitor();
    const errors: string[] = [];
    for (let attempt = 0; attempt < FAILURES_PER_MINUTE + 2; attempt++) {
      const made = { state: 'made', nonce: 'up', verifier: 'x'.repeat(43) };
      visitor.setCookie(limited.baseUrl, ATTEMPT, asCookie(made));
      const { headers } = await visitor.call(`${limited.baseUrl}${CALLBACK}?code=x&state=made`);
      errors.push(/error=(\w+)/.exec(headers.get('location')!)![1]!);
    }
    const failed = Array<string>(FAILURES_PER_MINUTE).fill('sign_in_failed');
    expect(errors).toEqual([...failed, 'rate_limited', 'rate_limited']);
    const wrong = await limited.clientOf('wrong').call('GET', '/api/v1/workspace');
    expect([wrong.status, wrong.body.code]).toEqual([429, 'rate_limited']);
    expect((await limited.api.call('GET', '/api/v1/workspace')).status).toBe(200);
  });

  test.each(['state', 'iss', 'code'])('a callback with another %s is refused', async (name) => {
    const visitor = new Visitor();
    const begun = await visitor.call(`${service.baseUrl}/console/sign-in/openid`);
    const at = begun.headers.get('location')!;
    const { url } = await visitor.visit(at, (place) => place.includes('/callback'));
    const changed = new URL(url);
    changed.searchParams.set(name, 'https://elsewhere.example.com');
    const refused = await visitor.visit(changed.href, (place) => place.includes('/console/#'));
    expect(refused.url).toContain('error=sign_in_failed');
    expect((await sessionOf(visitor)).status).toBe(401);
  });

  test('whose token is revoked is out at once, and signs in again by another', async () => {
    const { visitor } = await signIn('bert');
    const { id } = (await sessionOf(visitor)).body.session.api_token;
    const administrator = service.clientOf(await service.issueToken(['admin'], 'emea'));
    const revoked = await administrator.call('POST', `/api/v1/api-tokens/${id}/revoke`, {});
    expect(revoked.status).toBe(200);
    expect((await sessionOf(visitor)).body.code).toBe('session_ended');
    const { visitor: again } = await signIn('bert');
    expect((await sessionOf(again)).body.session.api_token.id).not.toBe(id);
  });

  test('what a person does is written down by the number of their token', async () => {
    const { visitor } = await signIn('anna');
    const { id } = (await sessionOf(visitor)).body.session.api_token;
    const issued = await visitor.call(`${service.baseUrl}/console/api/v1/api-tokens`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', 'Sec-Fetch-Site': 'same-origin' },
      body: JSON.stringify({ name: 'made by hand', scopes: ['user-groups:read'] }),
    });
    expect(issued.status).toBe(201);
    const { body } = await service.api.call(
      'GET',
      '/api/v1/audit-events?types=api_token.issue&limit=1',
    );
    expect(body.audit_events[0]!.actor).toMatchObject({ type: 'api_token', api_token_id: id });
  });
});

test('without a provider nobody is led to one', async () => {
  const service = await startTestService('sqlite');
  const client = service.clientOf(undefined);
  expect((await client.call('GET', '/console/sign-in')).body).toEqual({
    success: 1,
    signed_in: false,
    session: null,
    ways: ['api_token'],
  });
  expect((await client.call('GET', '/console/sign-in/openid')).status).toBe(404);
  await service.close();
});

test('a provider that is away leads back to the page, and is asked again', async () => {
  const port = await freePort();
  const issuerPort = await freePort();
  const service = await startTestService('sqlite', {
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    CONSOLE_OIDC_ISSUER: `http://127.0.0.1:${issuerPort}`,
    CONSOLE_OIDC_CLIENT_ID: 'console',
    CONSOLE_OIDC_GRANTS: JSON.stringify(GRANTS),
  });
  for (let time = 0; time < 2; time++) {
    const answer = await fetch(`${service.baseUrl}/console/sign-in/openid`, { redirect: 'manual' });
    expect(answer.headers.get('location')).toMatch(
      /^\.\.\/#\/sign-in\?error=identity_provider_unavailable&/,
    );
  }
  await service.close();
});
