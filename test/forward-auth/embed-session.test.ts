import { onEachDatabase } from '../support/database/databases.ts';
import { withService } from '../support/test-service.ts';
import { askAsGateway, type Asked, AUDIENCE, COOKIE, fieldsOf, ORIGIN } from './gateway.ts';

const SESSION = '/api/v1/embed-session';
const OWN_PAGE = { 'Sec-Fetch-Site': 'same-origin', 'Content-Type': 'application/json' };

onEachDatabase((kind) => {
  const service = withService(kind);
  let group: string;

  const issue = async (own: object = {}) => {
    const body = { audience: AUDIENCE, origin: ORIGIN, ...own };
    const answer = await service.api.call('POST', '/api/v1/user-groups/acme/embed-tokens', body);
    return answer.body.embed_token.token;
  };
  const begin = (body: unknown, asked: Asked = {}) =>
    askAsGateway(service, {
      method: 'POST',
      path: SESSION,
      body,
      ...asked,
      headers: { ...OWN_PAGE, ...asked.headers },
    });

  beforeAll(async () => {
    const body = { mapping: { sales: 'w' }, properties: { region: 'EMEA' } };
    const { body: created } = await service.api.put({ user_group_id: 'acme', name: 'A', ...body });
    group = created.user_group.token;
  });

  test('an embed token becomes a partitioned cookie until it expires, and the cookie lets in', async () => {
    const token = await issue({ expires_in_seconds: 300 });
    const { status, text, headers } = await begin({ token });
    expect([status, text]).toEqual([204, '']);
    const [, seconds] = /; Max-Age=(\d+)$/.exec(headers['set-cookie']![0]!)!;
    expect(headers['set-cookie']).toEqual([
      `${COOKIE}=${token}; Path=/; Secure; HttpOnly; SameSite=None; Partitioned; Max-Age=${seconds}`,
    ]);
    expect(Number(seconds)).toBeLessThanOrEqual(300);
    expect(Number(seconds)).toBeGreaterThan(200);
    const admitted = await askAsGateway(service, { headers: { Cookie: `${COOKIE}=${token}` } });
    expect(admitted.status).toBe(200);
  });

  test('no token ends the session', async () => {
    const { status, headers } = await begin({ token: null });
    expect(status).toBe(204);
    expect(headers['set-cookie']).toEqual([
      `${COOKIE}=; Path=/; Secure; HttpOnly; SameSite=None; Partitioned; Max-Age=0`,
    ]);
  });

  test.each<[string, () => Promise<Asked & { own?: unknown }>, number, string]>([
    [
      'another audience',
      async () => ({ own: await issue({ audience: 'x' }) }),
      403,
      'viewer_refused',
    ],
    [
      'another origin',
      async () => ({ own: await issue({ origin: 'https://x.example' }) }),
      403,
      'viewer_refused',
    ],
    [
      'a viewer without a value',
      async () => ({ own: await issue(), settings: { 'X-Seats': 'variables.seats' } }),
      403,
      'viewer_refused',
    ],
    ['a user-group token', () => Promise.resolve({ own: group }), 401, 'viewer_unknown'],
    ['nonsense', () => Promise.resolve({ own: 'x; Domain=example.com' }), 401, 'viewer_unknown'],
    [
      'a call of another site',
      async () => ({ own: await issue(), headers: { 'Sec-Fetch-Site': 'cross-site' } }),
      403,
      'viewer_refused',
    ],
    [
      'a call of a neighbouring site',
      async () => ({ own: await issue(), headers: { 'Sec-Fetch-Site': 'same-site' } }),
      403,
      'viewer_refused',
    ],
    [
      'a form',
      async () => ({ own: await issue(), headers: { 'Content-Type': 'text/plain' } }),
      415,
      'media_type_unsupported',
    ],
    ['a number', () => Promise.resolve({ own: 1 }), 422, 'validation_failed'],
    [
      'no API token of the gateway',
      async () => ({ own: await issue(), by: null }),
      502,
      'gateway_misconfigured',
    ],
    [
      'a cookie that other hosts can set',
      async () => ({ own: await issue(), settings: { cookie: 'group' } }),
      502,
      'gateway_misconfigured',
    ],
    [
      'no cookie',
      async () => ({ own: await issue(), settings: { cookie: undefined } }),
      502,
      'gateway_misconfigured',
    ],
    [
      'no origin',
      async () => ({ own: await issue(), settings: { origin: undefined } }),
      502,
      'gateway_misconfigured',
    ],
  ])('%s gets no cookie', async (_name, asked, status, code) => {
    const { own, ...more } = await asked();
    const answer = await begin({ token: own }, more);
    expect([answer.status, answer.body.code]).toEqual([status, code]);
    expect(answer.headers['set-cookie']).toBeUndefined();
  });

  test('only pages of the origin may frame the page, and it runs its own script alone', async () => {
    const page = await fetch(service.baseUrl + SESSION, { headers: fieldsOf(service, {}) });
    expect([page.status, page.headers.get('content-type')]).toEqual([
      200,
      'text/html; charset=utf-8',
    ]);
    const policy = page.headers.get('content-security-policy');
    expect(policy).toContain(`frame-ancestors ${ORIGIN}`);
    expect(policy).toMatch(/script-src 'sha256-[^']+';/);
    expect(await page.text()).toContain(`data-origin="${ORIGIN}"`);
    const strange = await askAsGateway(service, { path: SESSION, by: null });
    expect([strange.status, strange.body.code]).toEqual([502, 'gateway_misconfigured']);
  });

  test('the page is not below the endpoint, where a 200 would let anybody in', async () => {
    for (const path of ['/embed-session', '/embed', '//embed-session']) {
      const { status } = await askAsGateway(service, { path: `/api/v1/forward-auth${path}` });
      expect([path, status]).toEqual([path, 401]);
    }
  });
});
