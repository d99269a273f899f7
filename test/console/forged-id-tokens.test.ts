import { freePort } from '../system/lab/ports.mjs';
import { type Flaw, ForgingProvider } from '../support/servers/forging-provider.ts';
import { startTestService, type TestService } from '../support/test-service.ts';

// The verification does not depend on the database.
let provider: ForgingProvider;
let service: TestService;

beforeAll(async () => {
  provider = await ForgingProvider.start();
  const port = await freePort();
  service = await startTestService('sqlite', {
    PORT: String(port),
    PUBLIC_URL: `http://127.0.0.1:${port}`,
    CONSOLE_OIDC_ISSUER: provider.issuer,
    CONSOLE_OIDC_CLIENT_ID: 'console',
    CONSOLE_OIDC_GRANTS: JSON.stringify([
      { claim: 'groups', value: 'operators', workspace: 'default', scopes: ['admin'] },
    ]),
  });
});

afterAll(async () => {
  await service.close();
  provider.stop();
});

/** The address to which the service sends the browser, and the names of the cookies that it keeps. */
async function signInWith(flaw: Flaw): Promise<{ place: string; cookies: string[] }> {
  const { place, visitor } = await provider.signIn(service.baseUrl, flaw);
  return { place, cookies: visitor.cookiesOf(service.baseUrl) };
}

test('an ID token without a flaw signs in', async () => {
  expect(await signInWith({})).toEqual({ place: '../../', cookies: ['console'] });
});

test.each<[string, Flaw]>([
  ['signed by another key', { isForeign: true }],
  ['not signed', { alg: 'none' }],
  ['of another signature', { alg: 'HS256' }],
  ['of another issuer', { claims: { iss: 'https://elsewhere.example.com' } }],
  ['for another client', { claims: { aud: 'another' } }],
  ['of another attempt', { claims: { nonce: 'another' } }],
  ['without a nonce', { claims: { nonce: undefined } }],
  ['that has expired', { claims: { exp: 1 } }],
  ['of another person than the user info', { claims: { sub: 'bert' } }],
])('an ID token %s signs nobody in', async (_what, flaw) => {
  const { place, cookies } = await signInWith(flaw);
  expect(place).toMatch(/^\.\.\/\.\.\/#\/sign-in\?error=sign_in_failed&/);
  expect(cookies).toEqual([]);
});

test.each([
  [{ email: 'anna@example.com', email_verified: true, name: 'Anna' }, 'anna@example.com'],
  [{ email: 'anna@example.com', preferred_username: 'anna' }, 'anna'],
  [{ preferred_username: 'boss@example.com', name: 'Boss' }, 'Boss'],
  [{ preferred_username: 'boss@example.com', name: 'boss@example.com' }, 'anna'],
])('nobody is called by an address that is not verified as theirs: %j', async (claims, name) => {
  const { cookies } = await signInWith({ claims });
  expect(cookies).toEqual(['console']);
  const { body } = await service.api.call('GET', '/api/v1/api-tokens');
  const people = body.api_tokens.filter(({ subject }) => subject !== null);
  expect(people.map((one) => [one.subject, one.name])).toEqual([[`${provider.issuer}#anna`, name]]);
});
